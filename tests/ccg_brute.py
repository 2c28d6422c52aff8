"""A brute-force reference for CCG charts: lists all derivations of a few words.

Derivations are built bottom-up with `RuleSet` and `grammar.heads`, without compiled tables, packing
or coarse models.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from treewright.data.records import Dependency, Derivation, Leaf, Node, Tree
from treewright.forests.ccg.chart import Cells
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.heads import Filled, Item, apply, lexical_item, rule_item
from treewright.grammar.markup import Entry, Marked
from treewright.grammar.rules import Kind, Step
from treewright.grammar.schema import Schema, schema, unary_schema

Key = tuple[Hashable, ...]
BINARY_FORMS = {
    Kind.FORWARD_COMPOSITION: 1,
    Kind.FORWARD_CROSSED_COMPOSITION: 1,
    Kind.BACKWARD_COMPOSITION: 2,
    Kind.BACKWARD_CROSSED_COMPOSITION: 2,
    Kind.COORDINATION: 3,
}


@dataclass(frozen=True, eq=False)
class Derived:
    """A derivation of a span.

    rule: the sides, the result and the maps of its last step; of a word, its cell.
    short: the heads of variable 0 and the head word, of a chart without dependencies.
    """

    begin: int
    end: int
    item: Item
    word: int
    short: tuple[frozenset[int], int]
    rule: Key
    kind: Kind | None = None
    level: int = 0
    children: tuple["Derived", ...] = ()
    filled: frozenset[Filled] = frozenset()

    @property
    def split(self) -> int:
        return self.children[1].begin if len(self.children) == 2 else -1

    def below(self) -> Iterator["Derived"]:
        """This derivation and all its subderivations."""
        yield self
        for child in self.children:
            yield from child.below()

    @cached_property
    def tree(self) -> Key:
        """Rules and cells as nested tuples, which identify a derivation."""
        return self.rule, *(child.tree for child in self.children)

    @cached_property
    def dependencies(self) -> frozenset[Filled]:
        return frozenset(f for each in self.below() for f in each.filled)

    def part(self, *, full: bool = True, spans: bool = False) -> Key:
        """The properties of the last step that the model can use."""
        heads = tuple(child.word if full else child.short[1] for child in self.children)
        where = (self.begin, self.split, self.end) if spans else ()
        return self.rule, heads, self.filled if full else frozenset(), where

    def key(self, *, normal_form: bool) -> Key:
        """The key of the chart item; derivations with equal keys are interchangeable."""
        form = BINARY_FORMS.get(self.kind, 0) if self.kind and normal_form else 0
        heads = tuple(frozenset(words) for words in self.item.heads)
        own = -1 if heads[0] else self.word
        waiting = frozenset((w, self.cell_of(w.functor)) for w in self.item.waiting)
        return self.begin, self.end, self.item.marked, form, self.level, heads, own, waiting

    def cell_of(self, word: int) -> Hashable:
        return next(d.rule for d in self.below() if not d.children and d.begin == word)


@dataclass(frozen=True)
class Brute:
    """All derivations of the cells of a few words under a grammar."""

    grammar: CompiledGrammar
    cells: Cells
    normal_form: bool = True
    max_unary: int = 2
    most: int = 400

    def entry(self, cell: int) -> Entry:
        return self.grammar.tables.entries[int(self.cells.entry[cell])]

    def cells_of(self, word: int) -> range:
        return range(int(self.cells.first[word]), int(self.cells.first[word + 1]))

    @cached_property
    def spans(self) -> dict[tuple[int, int], list[Derived]]:
        words = self.cells.words
        found: dict[tuple[int, int], list[Derived]] = {}
        for length in range(1, words + 1):
            for begin in range(words - length + 1):
                here = list(self._made(begin, begin + length, found))
                found[begin, begin + length] = list(self._changed(here))
                if len(found[begin, begin + length]) > self.most:
                    raise OverflowError("too many derivations to list")
        return found

    @property
    def parses(self) -> list[Derived]:
        """The derivations of the whole sentence."""
        whole = self.spans[0, self.cells.words]
        return [d for d in whole if self.grammar.rules.is_root(d.item.marked.category)]

    def covers(self) -> list[tuple[Derived, ...]]:
        """All ways to cover the sentence with the fewest constituents."""
        words = self.cells.words
        found: list[list[tuple[Derived, ...]]] = [[()]]
        for end in range(1, words + 1):
            ways = [
                (*before, d)
                for begin in range(end)
                for before, d in product(found[begin], self.spans[begin, end])
            ]
            fewest = min(map(len, ways), default=0)
            found.append([way for way in ways if len(way) == fewest])
        return found[words]

    def _made(
        self, begin: int, end: int, found: dict[tuple[int, int], list[Derived]]
    ) -> Iterator[Derived]:
        if end == begin + 1:
            for cell in self.cells_of(begin):
                item = lexical_item(begin, self.entry(cell))
                yield Derived(begin, end, item, begin, (frozenset([begin]), begin), (cell,))
        for split in range(begin + 1, end):
            for left, right in product(found[begin, split], found[split, end]):
                yield from self._combined(left, right)

    def _combined(self, left: Derived, right: Derived) -> Iterator[Derived]:
        one, two = left.item.marked, right.item.marked
        for step, how in binary_schemas(self.grammar, one, two):
            if step.kind is Kind.COORDINATION and not self._opens(right.begin):
                continue
            if self.normal_form and not self._is_normal(step.kind, left.kind, right.kind):
                continue
            item, filled = apply(how, left.item, right.item)
            head = (left, right)[how.head]
            made = Derived(
                left.begin, right.end, item, _word(item, head), _short(how, head, left, right),
                rule_key(one, two, how), step.kind, 0, (left, right), frozenset(filled),
            )  # fmt: skip
            yield made

    def _is_normal(self, kind: Kind, left: Kind | None, right: Kind | None) -> bool:
        if kind is Kind.COORDINATION and right is Kind.COORDINATION:
            return False
        return is_normal_form(kind, left, right)

    def _opens(self, word: int) -> bool:
        categories = [self.entry(cell).category for cell in self.cells_of(word)]
        return any(map(self.grammar.rules.opens_conjunct, categories))

    def _changed(self, found: list[Derived]) -> Iterator[Derived]:
        level = 0
        while found:
            yield from found
            level += 1
            last, found = found, []
            if level <= self.max_unary:
                found = [each for child in last for each in self._unary(child)]

    def _unary(self, child: Derived) -> Iterator[Derived]:
        for how, rule in unary_schemas(self.grammar, child.item.marked):
            item, filled = apply(how, rule_item(rule), child.item)
            where = {v for v, new in enumerate(how.maps[1]) if new == 0}
            heads = child.short[0] if 0 in where else frozenset[int]()
            yield Derived(
                child.begin, child.end, item, _word(item, child),
                (heads, min(heads) if heads else child.short[1]),
                rule_key(child.item.marked, None, how), Kind.UNARY, child.level + 1, (child,),
                frozenset(filled),
            )  # fmt: skip


def _word(item: Item, head: Derived) -> int:
    return min(item.heads[0]) if item.heads[0] else head.word


def _short(how: Schema, head: Derived, left: Derived, right: Derived) -> tuple[frozenset[int], int]:
    """Heads as in items that only know those of their own category."""
    sides = zip(how.maps, (left, right), strict=True)
    heads = frozenset(word for maps, d in sides if maps[0] == 0 for word in d.short[0])
    return heads, min(heads) if heads else head.short[1]


def rule_key(left: Marked, right: Marked | None, how: Schema) -> Key:
    """A rule as in charts: its symbols and the mapping of their variables."""
    return left, right, how.result, how.maps if right else (how.maps[1], ())


def binary_schemas(
    grammar: CompiledGrammar, left: Marked, right: Marked
) -> list[tuple[Step, Schema]]:
    """The rules of two symbols; duplicates are removed."""
    found: dict[Key, tuple[Step, Schema]] = {}
    for step in grammar.rules.combine(left.category, right.category):
        how = schema(step, left, right)
        found.setdefault((how.result, how.maps), (step, how))
    return list(found.values())


def unary_schemas(grammar: CompiledGrammar, child: Marked) -> list[tuple[Schema, Marked]]:
    rules = [
        grammar.unary(child.category, result) for result in grammar.rules.change(child.category)
    ]
    return [(unary_schema(rule, child), rule) for rule in rules]


def as_derivation(derived: Derived, entries: Sequence[Entry], name: str = "x") -> Derivation:
    """The derivation as a record; its words are w0, w1, ..."""

    def tree(here: Derived) -> Tree:
        category = here.item.marked.category.text
        if not here.children:
            return Leaf(category, f"w{here.begin}", "X", "X", str(entries[here.begin]))
        return Node(category, tuple(map(tree, here.children)))

    return Derivation(name, tree(derived))


def entries_of(brute: Brute, derived: Derived) -> list[Entry]:
    """The entry of each word of a derivation."""
    leaves = [d for d in derived.below() if not d.children]
    return [brute.entry(int(str(leaf.rule[0]))) for leaf in sorted(leaves, key=lambda d: d.begin)]


def dependencies_of(brute: Brute, derived: Derived) -> list[Dependency]:
    """The dependencies of a derivation as records."""
    texts = [entry.category.text for entry in entries_of(brute, derived)]
    first = derived.begin
    found = [Dependency(f[0], texts[f[0] - first], f[1], f[2]) for f in derived.dependencies]
    return sorted(found, key=lambda d: (d.argument, d.functor, d.slot))


def without(brute: Brute, **changes: object) -> Brute:
    """The same sentence with other settings."""
    return replace(brute, **changes)  # type: ignore[arg-type]


FORWARD_COMPOSITIONS = {Kind.FORWARD_COMPOSITION, Kind.FORWARD_CROSSED_COMPOSITION}
BACKWARD_COMPOSITIONS = {Kind.BACKWARD_COMPOSITION, Kind.BACKWARD_CROSSED_COMPOSITION}
FORWARD_RULES = FORWARD_COMPOSITIONS | {Kind.FORWARD_APPLICATION}
BACKWARD_RULES = BACKWARD_COMPOSITIONS | {Kind.BACKWARD_APPLICATION}


def is_normal_form(kind: Kind, left: Kind | None, right: Kind | None) -> bool:
    """Whether a rule may apply to children that the rules `left` and `right` made (Eisner 1996).

    What a forward composition made is never the functor of a forward rule, and likewise backward;
    None stands for a word.
    """
    if kind in FORWARD_RULES:
        return left not in FORWARD_COMPOSITIONS
    return kind not in BACKWARD_RULES or right not in BACKWARD_COMPOSITIONS
