"""CCG grammars compiled for the core."""

from collections.abc import Iterable
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from treewright import _core
from treewright.arrays import Bytes, Floats, Indices
from treewright.errors import ForestError
from treewright.grammar.compiled import CompiledGrammar, CompiledRule

_known: WeakKeyDictionary[CompiledGrammar, "CoreGrammar"] = WeakKeyDictionary()


class CoreGrammar:
    """A grammar in the core, with the scores of its lexical entries in the coarse model."""

    def __init__(self, grammar: CompiledGrammar) -> None:
        self.version = grammar.version
        arrays = _Arrays(grammar)
        self.core = arrays.core()
        self.rules = arrays.rules  # numbered as in the core
        self.entry_scores = grammar.coarse.entry_scores(grammar.tables)

    def coarse_scores(self, entry: Indices) -> Floats:
        """The score of each given lexical entry in the coarse model."""
        if len(entry) and not 0 <= entry.min() <= entry.max() < len(self.entry_scores):
            raise ForestError(f"a lexical entry is outside 0 to {len(self.entry_scores) - 1}")
        return self.entry_scores[entry]


def core_grammar(grammar: CompiledGrammar) -> CoreGrammar:
    """The grammar in the core, compiled again if its tables have grown."""
    with grammar.growing:
        known = _known.get(grammar)
        if known is None or known.version != grammar.version:
            known = _known[grammar] = CoreGrammar(grammar)
        return known


class _Arrays:
    """The tables of a grammar as arrays for the core."""

    def __init__(self, grammar: CompiledGrammar) -> None:
        self.grammar = grammar
        self.tables = grammar.tables

    def core(self) -> _core.CcgGrammar:
        tables, rules, coarse = self.tables, self.grammar.rules, self.grammar.coarse
        categories = [symbol.category for symbol in tables.symbols]
        rows, maps = self._rules
        return _core.CcgGrammar(
            _bytes(symbol.variables for symbol in tables.symbols),
            _ints(tables.categories.get(category.text) for category in categories),
            _bytes(rules.is_root(category) for category in categories),
            _bytes(rules.opens_conjunct(category) for category in categories),
            rows,
            maps,
            _ints(tables.symbols.get(entry.marked) for entry in tables.entries),
            *self._slots,
            _ints(side for pair, listed in tables.pairs.items() if not listed for side in pair),
            coarse.rule_scores(tables),
            coarse.root_scores(tables),
            coarse.priors(tables),
            self.grammar.closed,
        )

    @cached_property
    def rules(self) -> list[CompiledRule]:
        return [rule for _, rules in sorted(self.tables.pairs.items()) for rule in rules]

    @cached_property
    def _rules(self) -> tuple[Indices, Bytes]:
        """The rows of rules, sorted by category pair, and the variable maps that they index."""
        offsets: dict[tuple[int, ...], int] = {}
        maps: list[int] = []

        def offset(mapped: tuple[int, ...]) -> int:
            if mapped not in offsets:
                offsets[mapped] = len(maps)
                maps.extend(mapped)
            return offsets[mapped]

        rows: list[int] = []
        for r in self.rules:
            rows += (r.left, r.right, r.result, r.number, r.form, r.head, r.variables)
            rows += (offset(r.maps[0]), offset(r.maps[1]))
        return _ints(rows), _bytes(maps)

    @cached_property
    def _slots(self) -> tuple[Indices, Indices]:
        first, slots = [0], []
        for entry in self.tables.entries:
            for number, node in entry.slots:
                relation = self.tables.relations.get((entry.category.text, number))
                slots += [entry.marked.heads[node], relation]
            first.append(len(slots) // 2)
        return _ints(first), _ints(slots)


def _bytes(values: Iterable[int]) -> Bytes:
    return np.fromiter(values, dtype=np.uint8)


def _ints(values: Iterable[int]) -> Indices:
    return np.fromiter(values, dtype=np.int32)
