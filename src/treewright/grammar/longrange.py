r"""Long-range dependencies: which of a derivation's dependencies pass through a shared head.

In `he wants to go`, `he` is the subject of `go` because `wants` shares its subject with the clause
that it takes. CCGbank marks such dependencies: `<XB>` where a bounded gap, `S\NP`, was shared, as
in control, raising and auxiliaries; `<XU>` where an unbounded one was, `S/NP`, as in relative
clauses and questions. The nodes of all categories are followed through the derivation, with
links of three strengths: what rules make equal, and what bounded and unbounded gaps share.
"""

import re
from collections.abc import Iterator, Sequence

from treewright.data.records import Dependency, Derivation, Leaf, Node, fold
from treewright.grammar.category import Category, parse
from treewright.grammar.defaults import default_unary, is_pied_piper
from treewright.grammar.gaps import BOUNDED, UNBOUNDED, gap_of
from treewright.grammar.heads import UnaryMarkup
from treewright.grammar.markup import Entry, Marked
from treewright.grammar.notation import parse_annotated
from treewright.grammar.rules import Kind, Step, dialect, recognise
from treewright.grammar.schema import Joined, Place, changed_side, plan

MARK = re.compile(r"_[0-9]+:[A-Z]")
LEVELS = (None, BOUNDED, UNBOUNDED)
Vertices = list[int]


def gap_marks(marked: Marked) -> dict[int, str]:
    """B or U for the nodes of a category that are gaps with a shared filler."""
    marks: dict[int, str] = {}
    here, node = marked.category, 0
    while here.slash is not None and not here.is_modifier:
        first = node + 1 + here.result.size
        if gap := UNBOUNDED if is_pied_piper(here) else gap_of(here.argument):
            at = first + 1 + here.argument.result.size
            inside = range(first, first + here.argument.size)
            outside = (head for n, head in enumerate(marked.heads) if n not in inside)
            if marked.heads[at] in outside:
                spine = range(at, at + here.argument.argument.size)
                marks |= {n: gap for n in spine if marked.heads[n] == marked.heads[at]}
        here, node = here.result, node + 1
    return marks


def leaf_marks(leaf: Leaf, entry: Entry) -> dict[int, str]:
    """The marks of a leaf's own annotation, or those of its entry if it has none."""
    written = parse_annotated(leaf.markup).marks if MARK.search(leaf.markup) else ()
    return {n: mark for n, mark in enumerate(written) if mark} or gap_marks(entry.marked)


def long_range(
    derivation: Derivation,
    entries: Sequence[Entry],
    dependencies: Sequence[Dependency],
    unary: UnaryMarkup = default_unary,
) -> dict[Dependency, str]:
    """XB or XU for each dependency that is long-range."""
    links = _Links()
    own: list[Vertices] = []
    hubs: list[int] = []

    def word(place: int, leaf: Leaf) -> tuple[Category, Vertices]:
        entry = entries[place]
        vertices, heads = links.add(entry.marked, leaf_marks(leaf, entry))
        own.append(vertices)
        hubs.append(heads)
        return entry.category, vertices

    def node(tree: Node, below: list[tuple[Category, Vertices]]) -> tuple[Category, Vertices]:
        return parse(tree.category), links.combine(derivation, tree, below, unary)

    fold(derivation.root, word, node)
    return {
        row: f"X{mark}"
        for row in dependencies
        if (mark := links.weakest(_slot(entries, own, row), hubs[row.argument]))
    }


def _slot(entries: Sequence[Entry], own: list[Vertices], row: Dependency) -> int:
    """The vertex of the slot that a dependency fills."""
    node = next(node for number, node in entries[row.functor].slots if number == row.slot)
    return own[row.functor][node]


class _Links:
    """Nodes of categories with common numbers, connected by links of three strengths."""

    def __init__(self) -> None:
        self.levels = [Joined() for _ in LEVELS]

    def add(self, marked: Marked, marks: dict[int, str]) -> tuple[Vertices, int]:
        """The vertices of a category, and that of its word."""
        hubs = self._new(marked.variables)
        vertices = self._new(len(marked.heads))
        for node, head in enumerate(marked.heads):
            self._link(vertices[node], hubs[head], marks.get(node))
        return vertices, hubs[0]

    def weakest(self, one: int, two: int) -> str | None:
        """The mark of the strongest path between two vertices; None if it needs no mark."""
        same = (level.find(one) == level.find(two) for level in self.levels)
        return next((mark for mark, joined in zip(LEVELS, same, strict=True) if joined), None)

    def combine(
        self,
        derivation: Derivation,
        tree: Node,
        below: list[tuple[Category, Vertices]],
        unary: UnaryMarkup,
    ) -> Vertices:
        """The vertices of the result of a node."""
        result = parse(tree.category)
        if len(below) == 1:
            return self._change(unary(below[0][0], result), result, *below[0])
        step = recognise(tree, dialect(derivation)) or recognise(tree)
        if step is None:
            return self._new(result.size)
        left, right = below
        if step.kind is Kind.TYPE_CHANGE:
            child = below[changed_side(left[0], right[0])]
            return self._change(default_unary(child[0], result.plain), result, *child)
        return self._by_plan(step, left, right)

    def _change(
        self, rule: Marked, result: Category, child: Category, vertices: Vertices
    ) -> Vertices:
        own, _ = self.add(rule, {})
        return self._by_plan(Step(Kind.UNARY, result), (rule.category, own), (child, vertices))

    def _by_plan(
        self, step: Step, left: tuple[Category, Vertices], right: tuple[Category, Vertices]
    ) -> Vertices:
        sides, loosest = (left[1], right[1]), self.levels[-1]

        def shares(one: Place, two: Place) -> bool:
            return loosest.find(sides[one[0]][one[1]]) == loosest.find(sides[two[0]][two[1]])

        made = plan(step, left[0], right[0], shares)
        for (side, node), (other, across) in made.equal:
            self._link(sides[side][node], sides[other][across], None)
        return [sides[side][node] for side, node in made.places]

    def _new(self, count: int) -> Vertices:
        for level in self.levels[1:]:
            level.new(count)
        return self.levels[0].new(count)

    def _link(self, one: int, two: int, mark: str | None) -> None:
        for level in self._from(mark):
            level.join(one, two)

    def _from(self, mark: str | None) -> Iterator[Joined]:
        yield from self.levels[LEVELS.index(mark) :]
