"""Grammars and short sentences for tests of CCG charts, and charts in the reference's form."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from random import Random

import numpy as np

from tests.brute import Brute as ForestBrute
from tests.brute import Edges, Floats
from tests.ccg_brute import Brute, Derived, Key
from treewright.data.records import Derivation, Node, Tree, leaves, preorder
from treewright.forests.ccg.chart import CcgChart, Cells, PartKind
from treewright.grammar.category import parse
from treewright.grammar.compiled import Coarse, CompiledGrammar, CompiledRule
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.heads import Filled
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markup import Entry, read_entry
from treewright.grammar.rules import RuleSet, read_rules
from treewright.minibank.sentences import sample

# Grammars


@cache
def bank() -> tuple[Derivation, ...]:
    return tuple(sample(150, seed=3))


@cache
def lexicon() -> Lexicon:
    return Lexicon().learn(bank())


def minibank_entries() -> list[Entry]:
    return list(dict.fromkeys(e for d in bank() for e in lexicon().closest(d.leaves)))


@cache
def minibank_grammar(*, only_seen: bool = True, any_root: bool = True) -> CompiledGrammar:
    """The minibank's grammar: closed over seen pairs, or compiled on demand."""
    rules = read_rules(bank(), only_seen=only_seen)
    rules = replace(rules, roots=()) if any_root else rules
    return CompiledGrammar(rules, minibank_entries(), lexicon().unary, Coarse.of(bank()))


HAND_RULES = RuleSet(
    max_order=2,
    unary=(("N", "NP"), ("NP", r"S/(S\NP)"), (r"S\NP", r"NP\NP"), ("NP", r"S\(S/NP)")),
)
HAND_CATEGORIES = (
    "N", "NP", r"S\NP", r"(S\NP)/NP", "NP/N", "N/N", "conj", ",", r"(S\NP)\(S\NP)",
    r"(S\NP)/(S\NP)", r"(NP\NP)/(S/NP)", r"(NP\NP)/(S\NP)", "S/S", r"((S\NP)\(S\NP))/NP",
)  # fmt: skip
HAND_MARKUP = (
    r"((S{_}\NP{Y}<1>){_}/(S{Z}<2>\NP{Y}){Z}){_}",  # control beside the default's auxiliary
    r"((S{_}\NP{Y}<1>){_}/NP{Y}<2>){_}",  # two slots wait for one variable
)


def hand_entries() -> list[Entry]:
    return [
        *(default_entry(parse(text)) for text in HAND_CATEGORIES),
        *map(read_entry, HAND_MARKUP),
    ]


@cache
def hand_grammar(rules: RuleSet = HAND_RULES) -> CompiledGrammar:
    """All combinators over a few hand-made categories, compiled on demand."""
    return CompiledGrammar(rules, hand_entries(), default_unary)


# Sentences


def small(brute: Brute) -> bool:
    """Whether there are parses, and few enough to list."""
    try:
        return bool(brute.parses)
    except OverflowError:
        return False


def some_case(random: Random, make: Callable[[Random], Brute]) -> Brute:
    """The first small case with a parse."""
    return next(case for _ in range(2000) if small(case := make(random)))


def random_hand_case(random: Random) -> Brute:
    grammar = hand_grammar()
    entries = range(len(HAND_CATEGORIES) + len(HAND_MARKUP))
    words = [random.sample(entries, random.choice([1, 1, 2])) for _ in range(random.randint(1, 5))]
    return Brute(grammar, with_scores(random, Cells.of(words)))


def random_minibank_case(random: Random) -> Brute:
    """A constituent of the minibank with additional entries."""
    grammar = minibank_grammar(only_seen=random.choice([True, False]))
    derivation = random.choice(bank())
    trees = [t for t in preorder(derivation.root) if isinstance(t, Node) and _words(t) <= 6]
    found = Derivation("x", random.choice(trees or [derivation.root]))
    numbers = map(grammar.tables.entries.get, lexicon().closest(found.leaves))
    known = range(len(grammar.tables.entries))
    words = [
        list(dict.fromkeys([own, *random.choices(known, k=random.choice([0, 0, 1, 2]))]))
        for own in numbers
    ]
    return Brute(grammar, with_scores(random, Cells.of(words)))


def _words(tree: Tree) -> int:
    return len(list(leaves(tree)))


def with_scores(random: Random, cells: Cells) -> Cells:
    return replace(cells, score=np.array([random.uniform(-3, 0) for _ in cells.entry]))


# Charts


def compiled_rules(grammar: CompiledGrammar) -> list[CompiledRule]:
    """The rules in the core's order."""
    return [rule for _, rules in sorted(grammar.tables.pairs.items()) for rule in rules]


def part_keys(chart: CcgChart) -> list[Key]:
    """The parts in the form of the reference."""
    rules, symbols = chart.tables.rules, chart.grammar.tables.symbols
    found: list[Key] = []
    for part, (kind, what, left, right, *where) in enumerate(chart.parts.tolist()):
        place = tuple(where) if where != [-1, -1, -1] else ()
        if kind == PartKind.LEXICAL:
            found.append(((what,), (), frozenset(), place))
        elif kind in (PartKind.ROOT, PartKind.GLUE):
            found.append((PartKind(kind), symbols[what], left, place))
        else:
            rule = rules[what]
            sides = symbols[rule.left], symbols[rule.right] if rule.right >= 0 else None
            heads = (left,) if rule.right < 0 else (left, right)
            name = (*sides, symbols[rule.result], rule.maps)
            found.append((name, heads, frozenset(filled_by(chart, part)), place))
    return found


def filled_by(chart: CcgChart, part: int) -> list[Filled]:
    first, filled = chart.core.filled()
    return [_filled(chart, number) for number in filled[first[part] : first[part + 1]].tolist()]


def _filled(chart: CcgChart, number: int) -> Filled:
    cell, relation, argument = chart.core.dependencies()[number].tolist()
    category, slot = chart.grammar.tables.relations[relation]
    entry = chart.grammar.tables.entries[int(chart.cells.entry[cell])]
    assert entry.category.text == category
    return Filled(int(np.searchsorted(chart.cells.first, cell, "right")) - 1, slot, argument)


def root_key(derived: Derived, *, full: bool = True, spans: bool = False) -> Key:
    """The root's part above a derivation, in the form of `part_keys`."""
    place = (derived.begin, -1, derived.end) if spans else ()
    word = derived.word if full else derived.short[1]
    return PartKind.ROOT, derived.item.marked, word, place


def random_part_scores(random: Random, *keys: list[Key]) -> dict[Key, float]:
    found: dict[Key, float] = defaultdict(lambda: random.uniform(-2, 2))
    return {key: found[key] for each in keys for key in each}


def chart_derivations(chart: CcgChart) -> list[tuple[Edges, tuple[Key, ...], frozenset[Filled]]]:
    """The edges, trees (several for fragments) and dependencies of each derivation."""
    twin = ForestBrute(chart.forest, np.zeros(chart.forest.parts))
    keys = part_keys(chart)
    found = []
    for edges in twin.derivations:
        filled = frozenset(f for p in twin.parts_of(edges) for f in filled_by(chart, p))
        found.append((edges, _trees(twin, keys, edges), filled))
    return found


def _trees(twin: ForestBrute, keys: list[Key], edges: Edges) -> tuple[Key, ...]:
    stack: list[Key] = []
    for edge in reversed(edges):
        key = keys[int(twin.forest.part[edge])]
        if not isinstance(key[0], PartKind):
            stack.append((key[0], *(stack.pop() for _ in twin.tails(edge))))
    return tuple(reversed(stack))


def scores_of(chart: CcgChart, of: dict[Key, float]) -> Floats:
    return np.array([of[key] for key in part_keys(chart)])
