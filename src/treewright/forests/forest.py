"""The packed forest: an acyclic hypergraph in struct-of-arrays form (docs/theory.md, section 1).

Nodes are numbered children first, and the last node is the goal. Edges are grouped by their head:
those of node v are `first_edge[v] .. first_edge[v + 1] - 1`. An edge has at most two tails (-1 is
"no tail") and exactly one part, the scored unit; edges share parts wherever the model allows.
Losses read small integer counts on the parts: n (correct), d (produced) and c (due).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright.arrays import Indices, SmallCounts
from treewright.errors import ForestError
from treewright.forests.checks import frozen, integers, table

NO_TAIL = -1
MAX_INDEX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Forest:
    """An immutable, checked forest. Arrays that somebody could still write to are copied.

    Args:
        first_edge: int32 [nodes + 1], from 0 to the number of edges.
        left, right: int32 [edges], tails or -1; a right tail needs a left one.
        part: int32 [edges].
        parts: the number of parts.
        counts: int16 [3, parts], rows n, d, c; None if the forest has no gold to compare with.
        gold_size: |y|, the number of items due in the sentence; None if unknown.
    """

    first_edge: Indices
    left: Indices
    right: Indices
    part: Indices
    parts: int
    counts: SmallCounts | None = None
    gold_size: int | None = None
    core: _core.Forest = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("first_edge", "left", "right", "part"):
            object.__setattr__(self, name, integers(getattr(self, name), np.int32, name))
        if self.parts > MAX_INDEX:
            raise ForestError(f"a forest has at most {MAX_INDEX} parts, not {self.parts}")
        if self.counts is not None:
            object.__setattr__(self, "counts", self._checked_counts())
        if self.gold_size is not None and not 0 <= self.gold_size <= MAX_INDEX:
            raise ForestError(f"gold_size is outside 0 to {MAX_INDEX}: {self.gold_size}")
        core = _core.Forest(self.first_edge, self.left, self.right, self.part, self.parts)
        object.__setattr__(self, "core", core)

    def _checked_counts(self) -> SmallCounts:
        counts = integers(self.counts, np.int16, "counts", dimensions=2)
        if counts.shape != (3, self.parts):
            raise ForestError(f"counts must have the shape (3, {self.parts}), not {counts.shape}")
        return counts

    def __reduce__(self) -> tuple[type["Forest"], tuple[object, ...]]:
        """Between processes its arrays travel, of which the core's forest is made again."""
        edges = (self.first_edge, self.left, self.right, self.part)
        return Forest, (*edges, self.parts, self.counts, self.gold_size)

    @property
    def nodes(self) -> int:
        return len(self.first_edge) - 1

    @property
    def edges(self) -> int:
        return len(self.part)

    @property
    def goal(self) -> int:
        return self.nodes - 1

    def __repr__(self) -> str:
        return f"Forest({self.nodes} nodes, {self.edges} edges, {self.parts} parts)"

    @cached_property
    def head(self) -> Indices:
        """The head node of every edge, int32 [edges]."""
        return np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(self.first_edge))

    @property
    def correct(self) -> SmallCounts:
        """n of every part, int16 [parts]."""
        return self._row(0)

    @property
    def produced(self) -> SmallCounts:
        """d of every part, int16 [parts]."""
        return self._row(1)

    @property
    def due(self) -> SmallCounts:
        """c of every part, int16 [parts]."""
        return self._row(2)

    def _row(self, row: int) -> SmallCounts:
        if self.counts is None:
            raise ForestError("this forest has no counts, and a loss needs them")
        found: SmallCounts = self.counts[row]
        return found

    @cached_property
    def count_table(self) -> _core.CountTable:
        """n and d of the parts as the core wants them."""
        return _core.CountTable(self.core, self.correct, self.produced)

    def with_counts(self, counts: ArrayLike, gold_size: int | None = None) -> Self:
        """The same forest with other counts."""
        arrays = (self.first_edge, self.left, self.right, self.part, self.parts)
        return type(self)(*arrays, integers(counts, np.int16, "counts", 2), gold_size)

    def totals(self, edges: ArrayLike) -> tuple[int, int, int]:
        """Sums of n, d and c over the parts of a derivation given by its edges."""
        parts = self.part[self._edge_numbers(edges)]
        n, d, c = (int(row[parts].sum()) for row in (self.correct, self.produced, self.due))
        return n, d, c

    def unreachable_parts(self) -> Indices:
        """The parts that no derivation of the goal uses."""
        return np.flatnonzero(_core.reachable_parts(self.core) == 0).astype(np.int32)

    def restrict(self, edges: ArrayLike) -> "Forest":
        """The sub-forest of these edges (numbers, or a mask), over the same parts.

        Gold is such a sub-forest: of one derivation, or of all those that use certain edges.
        """
        chosen = np.asarray(edges)
        keep = np.zeros(self.edges, dtype=np.uint8)
        if chosen.dtype != np.bool_:
            keep[self._edge_numbers(edges)] = 1
        elif chosen.shape == keep.shape:
            keep[chosen] = 1
        else:
            raise ForestError(f"a mask must have {self.edges} entries, not {chosen.size}")
        first_edge, left, right, part, _, _ = frozen(_core.restrict(self.core, keep))
        if len(first_edge) < 2:
            raise ForestError("these edges make no derivation of the goal")
        return Forest(first_edge, left, right, part, self.parts, self.counts, self.gold_size)

    def _edge_numbers(self, edges: ArrayLike) -> Indices:
        numbers = integers(edges, np.int32, "edges")
        if numbers.size and (numbers.min() < 0 or numbers.max() >= self.edges):
            raise ForestError(f"an edge is outside 0 to {self.edges - 1}")
        return numbers


class ForestBuilder:
    """Makes a forest node by node, children first: for tests, examples and small formalisms.

    >>> builder = ForestBuilder()
    >>> leaf = builder.node([(0,)])
    >>> builder.node([(1, leaf), (2, leaf, leaf)])
    1
    >>> builder.build()
    Forest(2 nodes, 3 edges, 3 parts)
    """

    def __init__(self) -> None:
        self._first_edge = [0]
        self._rows: list[tuple[int, int, int]] = []

    def node(self, edges: Iterable[Sequence[int]]) -> int:
        """Adds a node with edges (part, tail, tail), tails as needed; returns its number."""
        for edge in edges:
            if not 1 <= len(edge) <= 3:
                raise ForestError(f"an edge is a part and at most two tails, not {tuple(edge)}")
            part, left, right = (*edge, NO_TAIL, NO_TAIL)[:3]
            self._rows.append((left, right, part))
        self._first_edge.append(len(self._rows))
        return len(self._first_edge) - 2

    def build(self, counts: ArrayLike | None = None, gold_size: int | None = None) -> Forest:
        """The forest; parts are numbered up to the highest one used, or as counts say."""
        left, right, part = table(self._rows, 3, "edges").T
        known = None if counts is None else integers(counts, np.int16, "counts", 2)
        parts = int(part.max(initial=-1)) + 1 if known is None else known.shape[1]
        first_edge = np.array(self._first_edge, dtype=np.int32)
        return Forest(first_edge, left, right, part, parts, known, gold_size)
