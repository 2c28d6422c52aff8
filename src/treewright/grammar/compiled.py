"""Grammars compiled to numbers for charts.

Symbols are marked categories, rules are schemas, entries are symbols with slots. Python computes
the schema of a pair once; models keep the tables on disk. With seen pairs, the tables are closed:
they contain every pair that can occur. Otherwise charts report new pairs, `compile_pairs` adds
them, and the chart is built again.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from math import log
from typing import Generic, TypeVar

import numpy as np

from treewright.arrays import Floats
from treewright.data.records import Derivation, Node, preorder
from treewright.errors import GrammarError
from treewright.grammar.heads import UnaryMarkup
from treewright.grammar.markup import Entry, Marked
from treewright.grammar.rules import Kind, RuleSet, Step
from treewright.grammar.schema import Schema, schema, unary_schema
from treewright.machine import shared_lock

Thing = TypeVar("Thing", bound=Hashable)
Pair = tuple[int, int]


class Numbering(Generic[Thing]):
    """Items and their numbers, in order of first appearance."""

    def __init__(self, things: Iterable[Thing] = ()) -> None:
        self.things: list[Thing] = []
        self.numbers: dict[Thing, int] = {}
        for thing in things:
            self.add(thing)

    def __len__(self) -> int:
        return len(self.things)

    def __getitem__(self, number: int) -> Thing:
        return self.things[number]

    def __iter__(self) -> Iterator[Thing]:
        return iter(self.things)

    def add(self, thing: Thing) -> int:
        """The number of an item; a new item gets the next number."""
        number = self.numbers.setdefault(thing, len(self.things))
        if number == len(self.things):
            self.things.append(thing)
        return number

    def get(self, thing: Thing) -> int:
        """The number of an item, or -1."""
        return self.numbers.get(thing, -1)


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """A schema as numbers: a row of the core's table; `right` is -1 in a unary rule."""

    left: int
    right: int
    result: int
    number: int
    form: int
    head: int
    variables: int
    maps: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass
class Tables:
    """The tables of a compiled grammar."""

    categories: Numbering[str] = field(default_factory=Numbering)
    symbols: Numbering[Marked] = field(default_factory=Numbering)
    entries: Numbering[Entry] = field(default_factory=Numbering)
    relations: Numbering[tuple[str, int]] = field(default_factory=Numbering)
    names: Numbering[tuple[str, str, str]] = field(default_factory=Numbering)
    pairs: dict[Pair, list[CompiledRule]] = field(default_factory=dict)


UNSEEN = 0.1  # counts for unseen rules, categories and roots


@dataclass
class Coarse:
    """A coarse model: frequencies of rules, categories and roots in a treebank.

    It defines the joint probability of a derivation as the product of p(rule | result) and p(word |
    category), which Bayes's rule derives from the tagger: a word's factor is its posterior divided
    by the frequency of its category.
    """

    rules: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)
    roots: Counter[str] = field(default_factory=Counter)

    @classmethod
    def of(cls, derivations: Iterable[Derivation]) -> "Coarse":
        """Counts the rules, categories and roots in derivations."""
        counts = cls()
        for derivation in derivations:
            counts.roots[derivation.root.category] += 1
            for tree in preorder(derivation.root):
                counts.categories[tree.category] += 1
                if isinstance(tree, Node):
                    texts = [child.category for child in tree.children]
                    counts.rules[texts[0], "".join(texts[1:]), tree.category] += 1
        return counts

    def rule_scores(self, tables: Tables) -> Floats:
        """log p(rule | result) of each rule over categories."""
        logs = [log(self.rules[n] + UNSEEN) - self._log_total(n[2]) for n in tables.names]
        return np.array(logs, dtype=np.float64)

    def root_scores(self, tables: Tables) -> Floats:
        """log p(root) of each symbol."""
        total = log(self.roots.total() + 1)
        logs = [log(self.roots[s.category.text] + UNSEEN) - total for s in tables.symbols]
        return np.array(logs, dtype=np.float64)

    def priors(self, tables: Tables) -> Floats:
        """The log frequency of the category of each symbol."""
        logs = [self._log_total(symbol.category.text) for symbol in tables.symbols]
        return np.array(logs, dtype=np.float64)

    def entry_scores(self, tables: Tables) -> Floats:
        """The score that each lexical entry adds to the log of its posterior."""
        logs = [-self._log_total(entry.category.text) for entry in tables.entries]
        return np.array(logs, dtype=np.float64)

    def _log_total(self, category: str) -> float:
        return log(self.categories[category] + 1)


FORMS = {
    Kind.FORWARD_COMPOSITION: 1,
    Kind.FORWARD_CROSSED_COMPOSITION: 1,
    Kind.BACKWARD_COMPOSITION: 2,
    Kind.BACKWARD_CROSSED_COMPOSITION: 2,
    Kind.FORWARD_APPLICATION: 3,
    Kind.BACKWARD_APPLICATION: 4,
    Kind.COORDINATION: 5,
}
MAX_SYMBOLS = 1 << 16
MAX_VARIABLES = 255
MAX_SLOTS = 64


class CompiledGrammar:
    """The tables of a rule set and a lexicon.

    Args:
        rules: the rule set.
        entries: the lexical entries.
        unary: markup of unary rules.
        coarse: frequencies in a treebank, for pruning charts.
        tables: compiled tables from disk.
    """

    def __init__(
        self,
        rules: RuleSet,
        entries: Iterable[Entry],
        unary: UnaryMarkup,
        coarse: Coarse | None = None,
        tables: Tables | None = None,
    ) -> None:
        self.rules = rules
        self.unary = unary
        self.coarse = coarse or Coarse()
        self.tables = tables or Tables()
        self.closed = bool(rules.seen)
        self.version = 0  # increases whenever the tables grow
        self.growing = shared_lock()  # held while open tables are read or extended
        for entry in entries:
            self._add_entry(entry)
        if self.closed and tables is None:
            self._close()

    def compile_pairs(self, pairs: Iterable[Pair]) -> None:
        """Adds the rules of pairs of symbols that occurred in a chart."""
        with self.growing:
            for left, right in pairs:
                self._compile_pair(left, right)
            self.version += 1

    def relation(self, category: str, slot: int) -> int:
        """The number of a slot of a category, or -1 if no entry has it."""
        return self.tables.relations.get((category, slot))

    def _add_entry(self, entry: Entry) -> None:
        if len(entry.slots) > MAX_SLOTS:
            raise GrammarError(f"an entry has more than {MAX_SLOTS} slots: {entry.category}")
        self.tables.entries.add(entry)
        self._add_symbol(entry.marked)
        for slot in entry.slots:
            self.tables.relations.add((entry.category.text, slot.number))

    def _add_symbol(self, marked: Marked) -> int:
        known = len(self.tables.symbols)
        number = self.tables.symbols.add(marked)
        if number < known:
            return number
        if number >= MAX_SYMBOLS or marked.variables > MAX_VARIABLES:
            raise GrammarError(f"the grammar has too many symbols: {marked.category}")
        self.tables.categories.add(marked.category.text)
        for result in self.rules.change(marked.category):
            how = unary_schema(self.unary(marked.category, result), marked)
            self._keep(number, -1, Step(Kind.UNARY, result), how)
        return number

    def _compile_pair(self, left: int, right: int) -> None:
        one, two = self.tables.symbols[left], self.tables.symbols[right]
        self.tables.pairs.setdefault((left, right), [])
        for step in self.rules.combine(one.category, two.category):
            self._keep(left, right, step, schema(step, one, two))

    def _keep(self, left: int, right: int, step: Step, how: Schema) -> None:
        """Stores a schema; duplicate results are dropped."""
        if how.variables > MAX_VARIABLES:
            raise GrammarError(f"a rule has too many variables: {step.result}")
        result = self._add_symbol(how.result)
        sides = (left,) if right < 0 else (left, right)
        texts = [self.tables.symbols[side].category.text for side in sides]
        name = (texts[0], texts[1] if right >= 0 else "", step.result.text)
        # The functor of a unary rule is the left side of its schema, the child the right one.
        maps = how.maps if right >= 0 else (how.maps[1], ())
        rule = CompiledRule(
            left, right, result, self.tables.names.add(name), FORMS.get(step.kind, 0),
            how.head if right >= 0 else 0, how.variables, maps,
        )  # fmt: skip
        rules = self.tables.pairs.setdefault((left, right), [])
        if all((r.result, r.maps) != (rule.result, rule.maps) for r in rules):
            rules.append(rule)

    def _close(self) -> None:
        """Compiles all seen pairs of categories, for all symbols that can occur."""
        known: dict[str, list[int]] = {}
        after: dict[str, list[str]] = {}
        before: dict[str, list[str]] = {}
        for first, second in self.rules.seen:
            after.setdefault(first, []).append(second)
            before.setdefault(second, []).append(first)
        number = 0
        while number < len(self.tables.symbols):
            text = self.tables.symbols[number].category.text
            known.setdefault(text, []).append(number)
            right = [s for other in after.get(text, ()) for s in known.get(other, ())]
            left = [s for other in before.get(text, ()) for s in known.get(other, ())]
            for symbol in right:
                self._compile_pair(number, symbol)
            for symbol in left:
                if symbol != number:
                    self._compile_pair(symbol, number)
            number += 1
