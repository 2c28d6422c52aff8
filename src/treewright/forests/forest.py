"""The packed forest: an acyclic hypergraph in struct-of-arrays form (docs/theory.md, section 1).

Nodes are numbered children first, and the last node is the goal. Edges are grouped by their head:
those of node v are `first_edge[v] .. first_edge[v + 1] - 1`. An edge has at most two tails (-1 is
"no tail") and exactly one part, the unit that is scored; edges share parts where the model allows
it. Losses use small integer counts of the parts: n (correct), d (predicted) and c (gold).

Input arrays are converted to contiguous read-only arrays of the core's types; invalid arrays raise
a ForestError. Since the core relies on these checks, writable arrays are copied and read-only ones
are used directly. Conversions never overflow or truncate.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from mmap import mmap
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.arrays import Floats32, Indices, SmallCounts
from treewright.errors import ForestError

T = TypeVar("T", np.int16, np.int32)
Made = TypeVar("Made", bound=tuple[object, ...])


def integers(
    values: ArrayLike | None, dtype: type[T], name: str, dimensions: int = 1
) -> NDArray[T]:
    """Converts values to integers of this type."""
    array = _array(values, name)
    if array.ndim != dimensions:
        raise ForestError(f"{name} must have {dimensions} dimension(s), not {array.ndim}")
    if array.size and array.dtype != dtype:
        if array.dtype.kind not in "iu":
            raise ForestError(f"{name} must hold integers, not {array.dtype}")
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise ForestError(f"{name} has values that do not fit into {np.dtype(dtype)}")
    return _owned(np.ascontiguousarray(array, dtype=dtype), values)


def table(values: ArrayLike, columns: int, name: str) -> Indices:
    """Converts values to int32 [rows, columns]; empty input gives a table without rows."""
    array = _array(values, name)
    if not array.size:
        return np.zeros((0, columns), dtype=np.int32)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ForestError(f"{name} must have {columns} columns, not the shape {array.shape}")
    return integers(array, np.int32, name, dimensions=2)


def reals(values: ArrayLike, name: str) -> Floats32:
    """Converts values to finite float32."""
    array = _array(values, name)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise ForestError(f"{name} must be a list of numbers, not {array.dtype} {array.shape}")
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(array).all():
        raise ForestError(f"{name} must be finite, but entry {np.isfinite(array).argmin()} is not")
    return _owned(array, values)


def frozen(made: Made) -> Made:
    """Makes the arrays that the core returned read-only."""
    for array in made:
        for each in _memory(array):
            each.flags.writeable = False
    return made


def _array(values: ArrayLike | None, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, OverflowError):
        raise ForestError(f"{name} is not an array of numbers") from None


def _owned(array: NDArray[Any], given: object) -> NDArray[Any]:
    """The array if no writable reference to its memory exists, otherwise a read-only copy."""
    if any(each.flags.writeable for each in _memory(array)) or not _is_fixed(array):
        fresh = array.base is None and array is not given
        array = array if fresh else array.copy()
        array.flags.writeable = False
    return array


def _is_fixed(array: NDArray[Any]) -> bool:
    """Whether the memory of read-only arrays belongs to numpy, the core or a forest store."""
    *_, last = _memory(array)
    if any(isinstance(each, np.memmap) for each in _memory(array)):
        return False
    base: Any = last.base  # the owner of the memory, which can be something else than an array
    if isinstance(base, memoryview):
        base = base.obj
    return base is None or isinstance(base, (bytes, mmap)) or type(base).__name__ == CORE


def _memory(each: object) -> Iterator[NDArray[Any]]:
    """An array and all arrays that it is a view of."""
    while isinstance(each, np.ndarray):
        yield each
        each = each.base


CORE = "nb_ndarray"  # the owner of arrays that the core created
NO_TAIL = -1
MAX_INDEX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Forest:
    """An immutable, validated forest. Writable arrays are copied.

    Args:
        first_edge: int32 [nodes + 1], from 0 to the number of edges.
        left, right: int32 [edges], tails or -1; a right tail needs a left one.
        part: int32 [edges].
        parts: number of parts.
        counts: int16 [3, parts], rows n, d, c; None without gold.
        gold_size: |y|, the number of gold items in the sentence; None if unknown.
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
        """Objects of the core cannot be pickled; the forest is rebuilt from its arrays."""
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
        """The head node of each edge, int32 [edges]."""
        return np.repeat(np.arange(self.nodes, dtype=np.int32), np.diff(self.first_edge))

    @property
    def correct(self) -> SmallCounts:
        """n of each part, int16 [parts]."""
        return self._row(0)

    @property
    def produced(self) -> SmallCounts:
        """d of each part, int16 [parts]."""
        return self._row(1)

    @property
    def due(self) -> SmallCounts:
        """c of each part, int16 [parts]."""
        return self._row(2)

    def _row(self, row: int) -> SmallCounts:
        if self.counts is None:
            raise ForestError("this forest has no counts, and a loss needs them")
        counts: SmallCounts = self.counts[row]
        return counts

    @cached_property
    def count_table(self) -> _core.CountTable:
        """n and d of the parts, for the core."""
        return _core.CountTable(self.core, self.correct, self.produced)

    def with_counts(self, counts: ArrayLike, gold_size: int | None = None) -> Self:
        """The same forest with other counts."""
        arrays = (self.first_edge, self.left, self.right, self.part, self.parts)
        return type(self)(*arrays, integers(counts, np.int16, "counts", 2), gold_size)

    def totals(self, edges: ArrayLike) -> tuple[int, int, int]:
        """Sums of n, d and c over the parts of a derivation."""
        parts = self.part[self._edge_numbers(edges)]
        n, d, c = (int(row[parts].sum()) for row in (self.correct, self.produced, self.due))
        return n, d, c

    def unreachable_parts(self) -> Indices:
        """The parts that are in no derivation of the goal."""
        return np.flatnonzero(_core.reachable_parts(self.core) == 0).astype(np.int32)

    def restrict(self, edges: ArrayLike) -> "Forest":
        """The sub-forest of some edges (numbers or a mask), with the same parts.

        The gold derivations of a sentence are such a sub-forest.
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
            raise ForestError("these edges do not form a derivation of the goal")
        return Forest(first_edge, left, right, part, self.parts, self.counts, self.gold_size)

    def _edge_numbers(self, edges: ArrayLike) -> Indices:
        numbers = integers(edges, np.int32, "edges")
        if numbers.size and (numbers.min() < 0 or numbers.max() >= self.edges):
            raise ForestError(f"an edge is outside 0 to {self.edges - 1}")
        return numbers


class ForestBuilder:
    """Builds a forest node by node, children first, for tests, examples and small formalisms.

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
        """Adds a node with edges (part, tail, tail), with up to two tails; returns its number."""
        for edge in edges:
            if not 1 <= len(edge) <= 3:
                raise ForestError(f"an edge is a part and at most two tails, not {tuple(edge)}")
            part, left, right = (*edge, NO_TAIL, NO_TAIL)[:3]
            self._rows.append((left, right, part))
        self._first_edge.append(len(self._rows))
        return len(self._first_edge) - 2

    def build(self, counts: ArrayLike | None = None, gold_size: int | None = None) -> Forest:
        """Builds the forest; the counts or the highest part used give the number of parts."""
        left, right, part = table(self._rows, 3, "edges").T
        known = None if counts is None else integers(counts, np.int16, "counts", 2)
        parts = int(part.max(initial=-1)) + 1 if known is None else known.shape[1]
        first_edge = np.array(self._first_edge, dtype=np.int32)
        return Forest(first_edge, left, right, part, parts, known, gold_size)
