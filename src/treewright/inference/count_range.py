"""The cells (n, d) that a forest's derivations can reach, and functions on them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Integers
from treewright.errors import ForestError
from treewright.forests.forest import Forest

BLOCK_CELLS = 1 << 20
# A function of the counts: called with a column of n and a row of d, it returns a table.
GridFunction = Callable[[Integers, Integers], Floats]


@dataclass(frozen=True)
class CountRange:
    """All pairs of counts between the lowest and the highest n and d."""

    n_low: int
    n_high: int
    d_low: int
    d_high: int
    n_within_d: bool = False  # no part has n > d, so cells with n > d stay empty

    @property
    def n(self) -> Integers:
        """The values of n as a column, int64 [rows, 1]."""
        return np.arange(self.n_low, self.n_high + 1)[:, None]

    @property
    def d(self) -> Integers:
        """The values of d as a row, int64 [1, columns]."""
        return np.arange(self.d_low, self.d_high + 1)[None, :]

    @property
    def lows(self) -> tuple[int, int]:
        return self.n_low, self.d_low

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_high - self.n_low + 1, self.d_high - self.d_low + 1

    def tabulate(self, g: GridFunction) -> Floats:
        """g on the count range, float64 [rows, columns], checked."""
        return self.evaluate(g, self.n, self.d)

    def evaluate(self, g: GridFunction, n: Integers, d: Integers) -> Floats:
        """g for a column of n and a row of d; non-finite values in unreachable cells become 0."""
        with np.errstate(all="ignore"):
            table = np.asarray(g(n, d), dtype=np.float64)
        table = np.ascontiguousarray(np.broadcast_to(table, (len(n), d.shape[1])))
        finite = np.isfinite(table)
        if not finite[self.allows(n, d)].all():
            raise ForestError("the function of (n, d) is not finite on all cells")
        return np.where(finite, table, 0.0)

    def blocks(self, g: GridFunction) -> Iterator[tuple[Integers, Floats]]:
        """g on the whole count range, in blocks of rows: columns of n with tables."""
        step = max(1, BLOCK_CELLS // self.shape[1])
        for first in range(0, self.shape[0], step):
            n = self.n[first : first + step]
            yield n, self.evaluate(g, n, self.d)

    def allows(self, n: Integers, d: Integers) -> NDArray[np.bool_]:
        """A mask of the cells that a derivation can reach, bool [rows, columns]."""
        cells = np.ones((len(n), d.shape[1]), dtype=np.bool_)
        return cells & (n <= d) if self.n_within_d else cells

    @property
    def possible(self) -> NDArray[np.bool_]:
        """A mask of the cells that a derivation can reach, bool [rows, columns]."""
        return self.allows(self.n, self.d)

    def rounded(self) -> "CountRange":
        """A slightly larger range on a coarse grid, without 0, where metrics can jump."""
        n_low, n_high = _outwards(self.n_low, self.n_high)
        d_low, d_high = _outwards(self.d_low, self.d_high)
        return CountRange(n_low, n_high, d_low, d_high, self.n_within_d)

    def __add__(self, other: "CountRange") -> "CountRange":
        """The count range of sums of counts over two sentences."""
        return CountRange(
            self.n_low + other.n_low,
            self.n_high + other.n_high,
            self.d_low + other.d_low,
            self.d_high + other.d_high,
            self.n_within_d and other.n_within_d,
        )


def _outwards(low: int, high: int) -> tuple[int, int]:
    """Multiples of a power of two of about a sixteenth of the range."""
    step = 1 << max(0, (high - low).bit_length() - 4)
    return max(min(low, 1), low // step * step), -(-high // step) * step


def count_range_of(forest: Forest) -> CountRange:
    """The count range of the forest's derivations."""
    within = bool((forest.correct <= forest.produced).all())
    return CountRange(*forest.count_table.goal_range, n_within_d=within)


def total_count_range(forests: Iterable[Forest]) -> CountRange:
    """The count range of summed counts over one derivation per forest (at least one forest)."""
    return reduce(add, map(count_range_of, forests))
