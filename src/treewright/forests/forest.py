"""The packed forest: an acyclic hypergraph in struct-of-arrays form (docs/theory.md, section 1).

Nodes are numbered children first, and the last node is the goal. Edges are grouped by their head:
those of node v are `first_edge[v] .. first_edge[v + 1] - 1`. An edge has at most two tails (-1 is
"no tail") and exactly one part, the scored unit; edges share parts wherever the model allows. Losses
read small integer counts on the parts: n (correct), d (produced) and c (due).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.errors import ForestError

Indices = NDArray[np.int32]
SmallCounts = NDArray[np.int16]
NO_TAIL = -1
T = TypeVar("T", np.int16, np.int32)


@dataclass(frozen=True, eq=False)
class Forest:
    """An immutable, checked forest. Arrays of the right type are used as they are, not copied.

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
            object.__setattr__(self, name, _read_only(getattr(self, name), np.int32, name))
        if self.counts is not None:
            object.__setattr__(self, "counts", self._checked_counts())
        if self.gold_size is not None and self.gold_size < 0:
            raise ForestError(f"gold_size is negative: {self.gold_size}")
        try:
            core = _core.Forest(self.first_edge, self.left, self.right, self.part, self.parts)
        except ValueError as error:
            raise ForestError(str(error)) from None
        object.__setattr__(self, "core", core)

    def _checked_counts(self) -> SmallCounts:
        counts = _read_only(self.counts, np.int16, "counts", dimensions=2)
        if counts.shape != (3, self.parts):
            raise ForestError(f"counts must have the shape (3, {self.parts}), not {counts.shape}")
        return counts

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
        return self.counts[row]

    @cached_property
    def count_table(self) -> _core.Counts:
        """n and d of the parts as the core wants them."""
        try:
            return _core.Counts(self.core, self.correct, self.produced)
        except ValueError as error:
            raise ForestError(str(error)) from None

    def with_counts(self, counts: ArrayLike, gold_size: int | None = None) -> Self:
        """The same forest with other counts."""
        arrays = (self.first_edge, self.left, self.right, self.part, self.parts)
        return type(self)(*arrays, np.asarray(counts, dtype=np.int16), gold_size)

    def totals(self, edges: ArrayLike) -> tuple[int, int, int]:
        """Sums of n, d and c over the parts of a derivation given by its edges."""
        parts = self.part[np.asarray(edges, dtype=np.int64)]
        n, d, c = (int(row[parts].sum()) for row in (self.correct, self.produced, self.due))
        return n, d, c

    def unreachable_parts(self) -> Indices:
        """The parts that no derivation of the goal uses."""
        return np.flatnonzero(_core.reachable_parts(self.core) == 0).astype(np.int32)

    def restrict(self, edges: ArrayLike) -> "Forest":
        """The sub-forest of these edges (numbers, or a mask), over the same parts.

        Gold is such a sub-forest: of one derivation, or of all those that use certain edges.
        """
        keep = np.zeros(self.edges, dtype=np.uint8)
        chosen = np.asarray(edges)
        if chosen.dtype != np.bool_ and chosen.size:
            if chosen.min() < 0 or chosen.max() >= self.edges:
                raise ForestError(f"an edge is outside 0 to {self.edges - 1}")
        elif chosen.dtype == np.bool_ and chosen.shape != keep.shape:
            raise ForestError(f"a mask must have {self.edges} entries, not {chosen.size}")
        keep[chosen if chosen.size else []] = 1
        first_edge, left, right, part, _, _ = _core.restrict(self.core, keep)
        if len(first_edge) < 2:
            raise ForestError("these edges make no derivation of the goal")
        return Forest(first_edge, left, right, part, self.parts, self.counts, self.gold_size)


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
        for part, *tails in edges:
            if len(tails) > 2:
                raise ForestError(f"an edge has at most two tails, not {len(tails)}")
            left, right = (*tails, NO_TAIL, NO_TAIL)[:2]
            self._rows.append((left, right, part))
        self._first_edge.append(len(self._rows))
        return len(self._first_edge) - 2

    def build(self, counts: ArrayLike | None = None, gold_size: int | None = None) -> Forest:
        """The forest; parts are numbered up to the highest one used, or as counts say."""
        left, right, part = np.array(self._rows, dtype=np.int32).reshape(-1, 3).T.copy()
        table = None if counts is None else np.asarray(counts, dtype=np.int16)
        parts = int(part.max(initial=-1)) + 1 if table is None else table.shape[-1]
        first_edge = np.array(self._first_edge, dtype=np.int32)
        return Forest(first_edge, left, right, part, parts, table, gold_size)


def _read_only(
    values: NDArray[T] | None, dtype: type[T], name: str, dimensions: int = 1
) -> NDArray[T]:
    array = np.asarray(values)
    if array.ndim != dimensions:
        raise ForestError(f"{name} must have {dimensions} dimension(s), not {array.ndim}")
    if array.dtype != dtype:
        if array.dtype.kind not in "iu":
            raise ForestError(f"{name} must hold integers, not {array.dtype}")
        limits = np.iinfo(dtype)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise ForestError(f"{name} has values that do not fit into {np.dtype(dtype)}")
    array = np.ascontiguousarray(array, dtype=dtype)
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array
