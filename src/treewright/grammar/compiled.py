"""A grammar as numbers, which is all that charts look up.

Symbols are marked categories, rules are schemas, entries are symbols with slots. Python computes
the schema of a pair once; models keep the tables on disk. With seen pairs the tables are closed:
every pair that can arise is in them. Otherwise charts name the pairs that they met for the first
time, `compile_pairs` adds them, and the chart is built again.
"""

from collections.abc import Iterable

from treewright.errors import GrammarError
from treewright.grammar.coarse import Coarse
from treewright.grammar.heads import UnaryMarkup
from treewright.grammar.markup import Entry, Marked
from treewright.grammar.rules import Kind, RuleSet, Step
from treewright.grammar.schema import Schema, schema, unary_schema
from treewright.grammar.tables import CompiledRule, Pair, Tables
from treewright.machine import shared_lock

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
        rules: which rules there are.
        entries: the lexical entries that words may have.
        unary: the markup of unary rules.
        coarse: counts of a treebank, by which charts can be pruned.
        tables: from disk, where they have been compiled before.
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
        self.version = 0  # rises whenever the tables grow
        self.growing = shared_lock()  # held by who reads or grows tables that are not closed
        for entry in entries:
            self._add_entry(entry)
        if self.closed and tables is None:
            self._close()

    def compile_pairs(self, pairs: Iterable[Pair]) -> None:
        """Add the rules of pairs of symbols that a chart has met."""
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
        """Store a schema; a result that is there already is not kept twice."""
        if how.variables > MAX_VARIABLES:
            raise GrammarError(f"a rule has too many variables: {step.result}")
        result = self._add_symbol(how.result)
        sides = (left,) if right < 0 else (left, right)
        texts = [self.tables.symbols[side].category.text for side in sides]
        name = (texts[0], texts[1] if right >= 0 else "", step.result.text)
        # A unary rule's own functor is the left side of its schema, and the child the right one.
        maps = how.maps if right >= 0 else (how.maps[1], ())
        rule = CompiledRule(
            left, right, result, self.tables.names.add(name), FORMS.get(step.kind, 0),
            how.head if right >= 0 else 0, how.variables, maps,
        )  # fmt: skip
        found = self.tables.pairs.setdefault((left, right), [])
        if all((r.result, r.maps) != (rule.result, rule.maps) for r in found):
            found.append(rule)

    def _close(self) -> None:
        """Compile every pair of categories seen, for all symbols that can arise."""
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
