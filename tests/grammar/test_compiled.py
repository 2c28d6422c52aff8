"""Compiled grammars against the rules and schemas that they are made of."""

from dataclasses import replace
from math import exp, log

import pytest

from tests.ccg_brute import binary_schemas, unary_schemas
from tests.ccg_cases import HAND_RULES, bank, hand_entries, lexicon, minibank_entries
from treewright.data.auto import parse_tree
from treewright.data.records import Derivation, Node, fold
from treewright.errors import GrammarError
from treewright.grammar import compiled
from treewright.grammar.category import parse
from treewright.grammar.compiled import UNSEEN, Coarse, CompiledGrammar, CompiledRule, Numbering
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.heads import node_schema
from treewright.grammar.markup import Marked
from treewright.grammar.rules import Kind, RuleSet, read_rules


def minibank(*, only_seen: bool) -> CompiledGrammar:
    rules = read_rules(bank(), only_seen=only_seen)
    return CompiledGrammar(rules, minibank_entries(), lexicon().unary, Coarse.of(bank()))


@pytest.fixture(scope="module")
def closed() -> CompiledGrammar:
    return minibank(only_seen=True)


def check_pair(grammar: CompiledGrammar, left: int, right: int) -> None:
    """The rules of a pair are its schemas, in order, as numbers."""
    tables = grammar.tables
    one, two = tables.symbols[left], tables.symbols[right]
    found = tables.pairs.get((left, right), [])
    wanted = binary_schemas(grammar, one, two)
    assert len(found) == len(wanted)
    for rule, (step, how) in zip(found, wanted, strict=True):
        name = one.category.text, two.category.text, step.result.text
        assert rule == CompiledRule(
            left, right, tables.symbols.get(how.result), tables.names.get(name),
            compiled.FORMS.get(step.kind, 0), how.head, how.variables, how.maps,
        )  # fmt: skip


def test_every_pair_is_what_the_rules_say(closed: CompiledGrammar) -> None:
    symbols = range(len(closed.tables.symbols))
    assert closed.closed
    for left in symbols:
        for right in symbols:
            check_pair(closed, left, right)
    assert sum(map(len, closed.tables.pairs.values())) > 100


def test_unary_rules_belong_to_symbols(closed: CompiledGrammar) -> None:
    tables = closed.tables
    raised = 0
    for number, symbol in enumerate(tables.symbols):
        found = tables.pairs.get((number, -1), [])
        wanted = [how for how, _ in unary_schemas(closed, symbol)]
        assert [(tables.symbols[r.result], r.maps, r.variables, r.head) for r in found] == [
            (how.result, (how.maps[1], ()), how.variables, 0) for how in wanted
        ]
        names = [tables.names[r.number] for r in found]
        assert names == [(symbol.category.text, "", h.result.category.text) for h in wanted]
        raised += sum("/(" in name[2] or "\\(" in name[2] for name in names)
    assert raised


def test_all_that_arises_in_the_treebank_is_compiled(closed: CompiledGrammar) -> None:
    for derivation in bank():
        check_derivation(closed, derivation)


def check_derivation(grammar: CompiledGrammar, derivation: Derivation) -> None:
    tables = grammar.tables
    entries = lexicon().closest(derivation.leaves)

    def combine(node: Node, children: list[Marked]) -> Marked:
        how, rule = node_schema(derivation, node, children, grammar.unary)
        left = tables.symbols.get(children[0])
        right = -1 if rule else tables.symbols.get(children[1])
        maps = (how.maps[1], ()) if rule else how.maps
        made = [(r.result, r.maps) for r in tables.pairs[left, right]]
        assert (tables.symbols.get(how.result), maps) in made
        return how.result

    fold(derivation.root, lambda word, _: entries[word].marked, combine)
    assert all(tables.entries.get(entry) >= 0 for entry in entries)
    assert all(
        grammar.relation(entry.category.text, number) >= 0
        for entry in entries
        for number, _ in entry.slots
    )


def test_pairs_on_demand_are_the_pairs_of_closure(closed: CompiledGrammar) -> None:
    rules = replace(closed.rules, seen=())
    grown = CompiledGrammar(rules, minibank_entries(), lexicon().unary)
    assert not grown.closed
    assert not any(right >= 0 for _, right in grown.tables.pairs)
    symbols = closed.tables.symbols
    known = [pair for pair in closed.tables.pairs if pair[1] >= 0]
    before = grown.version
    for left, right in known:  # in the order of closure, so that both sides are there
        pair = grown.tables.symbols.get(symbols[left]), grown.tables.symbols.get(symbols[right])
        grown.compile_pairs([pair])
        check_pair(grown, *pair)
    assert grown.version == before + len(known)
    assert set(symbols) == set(grown.tables.symbols)
    kept = {pair: list(found) for pair, found in grown.tables.pairs.items()}
    grown.compile_pairs([pair for pair in kept if pair[1] >= 0])
    assert grown.tables.pairs == kept


def test_pairs_without_rules_are_known_to_have_none() -> None:
    grammar = CompiledGrammar(HAND_RULES, hand_entries(), default_unary)
    noun, phrase = (default_entry(parse(text)).marked for text in ("N", "NP"))
    pair = grammar.tables.symbols.get(noun), grammar.tables.symbols.get(phrase)
    grammar.compile_pairs([pair])
    assert grammar.tables.pairs[pair] == []


def test_rules_of_one_effect_are_one() -> None:
    rules = RuleSet(unary=(("N", "NP"), ("N", "NP")))
    grammar = CompiledGrammar(rules, [default_entry(parse("N"))], default_unary)
    assert [len(found) for found in grammar.tables.pairs.values()] == [1]


@pytest.mark.parametrize(
    ("limit", "value", "says"),
    [
        ("MAX_SLOTS", 1, "more than 1 slots"),
        ("MAX_SYMBOLS", 5, "too many symbols"),
        ("MAX_VARIABLES", 1, "too many"),
    ],
)
def test_limits(monkeypatch: pytest.MonkeyPatch, limit: str, value: int, says: str) -> None:
    monkeypatch.setattr(compiled, limit, value)
    with pytest.raises(GrammarError, match=says):
        CompiledGrammar(HAND_RULES, hand_entries(), default_unary)


def test_rules_of_too_many_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = [default_entry(parse(text)) for text in (r"(S\NP)/NP", r"NP\PP")]
    grammar = CompiledGrammar(RuleSet(), pair, default_unary)
    monkeypatch.setattr(compiled, "MAX_VARIABLES", 3)
    with pytest.raises(GrammarError, match="too many variables"):
        grammar.compile_pairs([(0, 1)])


def test_forms_are_those_of_the_kinds() -> None:
    assert {kind.value for kind in compiled.FORMS} == {">B", ">Bx", "<B", "<Bx", ">", "<", "&"}
    assert compiled.FORMS[Kind.FORWARD_COMPOSITION] != compiled.FORMS[Kind.BACKWARD_COMPOSITION]


def test_numberings() -> None:
    numbers = Numbering("abca")
    assert (list(numbers), len(numbers), numbers[1]) == (["a", "b", "c"], 3, "b")
    assert (numbers.add("d"), numbers.add("a"), numbers.get("x")) == (3, 0, -1)


# The coarse model


def test_coarse_scores_are_log_probabilities(closed: CompiledGrammar) -> None:
    coarse, tables = closed.coarse, closed.tables
    rules, roots = coarse.rule_scores(tables), coarse.root_scores(tables)
    assert len(rules) == len(tables.names)
    assert len(roots) == len(tables.symbols)
    assert max(rules) < 0
    assert max(roots) < 0
    shares: dict[str, float] = {}
    for name, score in zip(tables.names, rules, strict=True):
        if name in coarse.rules:
            shares[name[2]] = shares.get(name[2], 0.0) + exp(score) - exp(rules.min())
    assert all(0 < share <= 1 for share in shares.values())
    seen = {s.category.text: p for s, p in zip(tables.symbols, roots, strict=True)}
    assert sum(exp(seen[root]) for root in coarse.roots) <= 1


def test_coarse_scores_by_hand() -> None:
    left, right = r"(<L NP X X a NP>)", r"(<L S\NP X X b S\NP>)"
    derivation = Derivation("x", parse_tree(f"(<T S 1 2> {left} {right} )"))
    coarse = Coarse.of([derivation, derivation])
    entries = [default_entry(parse(text)) for text in ("NP", r"S\NP", "N")]
    grammar = CompiledGrammar(RuleSet(), entries, default_unary, coarse)
    grammar.compile_pairs([(0, 1)])
    tables = grammar.tables
    number = tables.names.get(("NP", r"S\NP", "S"))
    assert coarse.rule_scores(tables)[number] == pytest.approx(log((2 + UNSEEN) / 3))
    assert coarse.root_scores(tables).tolist() == pytest.approx(
        [log((2 * (s.category.text == "S") + UNSEEN) / 3) for s in tables.symbols]
    )
    assert coarse.entry_scores(tables).tolist() == pytest.approx([-log(3), -log(3), 0.0])
