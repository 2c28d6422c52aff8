"""Functions of the counts as short sums of real exponentials (docs/theory.md, section 5.2).

    g(n, d)  ~  sum_k c_k exp(a_k n + b_k d)

One sweep serves several terms at once, so a sum of K terms costs O(K) per edge and no factor of the
sentence's length. The largest error on the range and the rounding error of the sweep are known
before the sweep: a fit is returned only if both together stay within the tolerance.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product, takewhile

import numpy as np
from threadpoolctl import ThreadpoolController

from treewright.arrays import Floats, Integers
from treewright.inference.count_range import CountRange, GridFunction

# What sums of real terms can cost: the core sweeps 12 terms at once, or 16 of them again and again.
TERM_COUNTS: tuple[int, ...] = (12, *range(16, 129, 16))
MAX_TERMS = TERM_COUNTS[-1]
UNIT_ROUNDOFF = 2.0**-53
MOST_STEEP = 300.0  # exponents beyond this are no use, and would overflow
SAMPLES = 24  # fitted on at most this many values of n and of d
CERTIFIED = 1024  # compared on all values up to this many, else on as many Chebyshev points
FLAT = 0.1  # of log g and its plane
EXTREMES = 256  # values of n and of d among which the extremes of g are looked for
MOST_CELLS = 1 << 26  # the winner is checked on every cell of a count range up to this size
# In solves as small as these, BLAS threads only wait for each other.
_BLAS = ThreadpoolController().select(user_api="blas")
# How far the rates reach, against the least that can work for n and against 1 for d.
SPREADS = ((1, 0.2), (1, 0.5), (1, 1.0), (2, 0.5), (2, 1.0), (4, 1.0), (1, 2.0), (4, 2.0), (8, 1.0))


@dataclass(frozen=True, eq=False)
class ExpSum:
    """A certified sum: rates and coefficients [terms], its error, and how much terms cancel.

    `error` is the largest relative (or absolute) error on the range; `condition` is the largest
    ratio of the sum of the terms' sizes to the size of g (or to 1): it multiplies rounding errors.
    """

    rate_n: Floats
    rate_d: Floats
    coefficient: Floats
    error: float
    condition: float

    @property
    def terms(self) -> int:
        """The number of terms that the core sweeps for it, the last of which may be 0."""
        return min(terms for terms in TERM_COUNTS if terms >= len(self.coefficient))

    def rounding(self, steps: float) -> float:
        """A bound on the sweep's rounding error; an exponential's grows with its exponent."""
        return self.condition * (steps + MOST_STEEP) * UNIT_ROUNDOFF

    def largest_error(self, inner: CountRange, bounds: CountRange, g: GridFunction) -> float:
        """A bound on the error anywhere in a range, against the least that g is on an inner one.

        The sum's terms are convex, so that their sizes are largest at a corner of the count range.
        """
        ends = (bounds.n_low, bounds.n_high), (bounds.d_low, bounds.d_high)
        corner_n, corner_d = np.meshgrid(*ends)
        with np.errstate(over="ignore"):
            terms = np.exp(
                np.outer(corner_n.ravel(), self.rate_n) + np.outer(corner_d.ravel(), self.rate_d)
            )
            largest = float(np.max(terms @ np.abs(self.coefficient))) + _values(bounds, g).max()
        return float(largest / _values(inner, g).min())


def fit(
    bounds: CountRange,
    g: GridFunction,
    tolerance: float,
    relative: bool = True,
    rounding_steps: float = 0.0,
    max_terms: int = MAX_TERMS,
    rounding_share: float = 0.0,
) -> ExpSum | None:
    """The shortest sum found whose error and rounding stay within the tolerance; None if none does.

    Args:
        bounds: where g is needed.
        g: a function of a column of n and a row of d; positive if `relative`.
        tolerance: the largest error, relative to g or absolute.
        relative: which of the two.
        rounding_steps: the sweep's (`_core.CountTable.rounding_steps`).
        max_terms: a longer sum is of no use.
        rounding_share: how much of the tolerance may be rounding. Line searches want smooth values
            more than exact ones, so that it gets little where this is 0.
    """
    max_rounding = max(1e-3 * tolerance, min(tolerance / 2, 1e-9), rounding_share * tolerance)
    with _BLAS.limit(limits=1):
        problem = _Problem(bounds, g, relative)
        total = _shortest(problem, tolerance, max_rounding, rounding_steps, max_terms)
    if total is None or not _holds_everywhere(total, bounds, g, tolerance, relative):
        return None
    return total


def _shortest(
    problem: "_Problem", tolerance: float, max_rounding: float, steps: float, max_terms: int
) -> ExpSum | None:
    """The first of ever longer sums that is right on the checked cells."""
    skip = 0
    for layouts in _costs(problem.varies_n, problem.varies_d, max_terms):
        if skip > 0:
            skip -= 1
            continue
        best = np.inf
        for (points_n, points_d), (spread_n, spread_d) in product(layouts, SPREADS):
            total = problem.solve(points_n, points_d, spread_n, spread_d)
            rounding = total.rounding(steps)
            if total.error + rounding <= tolerance and rounding <= max_rounding:
                return total
            best = min(best, total.error + rounding)
        if not np.isfinite(best):
            return None
        # The next larger sum rarely gains as much as three digits.
        skip = max(0, int(np.log10(best / tolerance) / 3))
    return None


def is_flat(bounds: CountRange, g: GridFunction) -> bool:
    """Whether log g is so close to a plane that a short sum will do."""
    return _Problem(bounds, g, True, SAMPLES).roughness() < FLAT


def _holds_everywhere(
    fitted: ExpSum, bounds: CountRange, g: GridFunction, tolerance: float, relative: bool
) -> bool:
    """Whether a sum that is right on the checked cells is so on the rest of a large count range.

    Count ranges beyond MOST_CELLS are not gone through: there g must be smooth, as metrics are.
    """
    rows, columns = bounds.shape
    if max(rows, columns) <= CERTIFIED or rows * columns > MOST_CELLS:
        return True
    along_d = np.exp(np.outer(fitted.rate_d, bounds.d))
    for n, cells in bounds.blocks(g):
        total = (fitted.coefficient * np.exp(n * fitted.rate_n)) @ along_d
        wrong = np.abs(total - cells)[bounds.allows(n, bounds.d)]
        scale = cells[bounds.allows(n, bounds.d)] if relative else 1.0
        if not (wrong <= tolerance * scale).all():
            return False
    return True


def _costs(varies_n: bool, varies_d: bool, most: int) -> Iterator[list[tuple[int, int]]]:
    """Numbers of rates for n and d, grouped by their cost, cheapest first."""
    for terms in takewhile(lambda terms: terms <= most, TERM_COUNTS):
        if varies_n and varies_d:
            full = range(terms - 3, terms + 1)
            pairs = [(j, k // j) for k in full for j in range(2, 17) if k % j == 0]
            # The squarest, with rather more rates for d.
            yield sorted(pairs, key=lambda pair: abs(pair[1] - pair[0] - 1))[:3]
        elif terms <= 32:
            yield [(terms if varies_n else 1, terms if varies_d else 1)]


class _Problem:
    """One function on one count range, in coordinates s, t in [-1, 1]."""

    def __init__(
        self, bounds: CountRange, g: GridFunction, relative: bool, cells: int = CERTIFIED
    ) -> None:
        self.relative = relative
        n = bounds.n_low + _spread(bounds.shape[0], cells)
        d = bounds.d_low + _spread(bounds.shape[1], cells)
        self.middle = (bounds.n_low + bounds.n_high) / 2, (bounds.d_low + bounds.d_high) / 2
        self.half = (max(bounds.shape[0] - 1, 1) / 2, max(bounds.shape[1] - 1, 1) / 2)
        self.s = (n - self.middle[0]) / self.half[0]
        self.t = (d - self.middle[1]) / self.half[1]
        self.table = bounds.evaluate(g, n[:, None], d[None, :])
        self.possible = bounds.allows(n[:, None], d[None, :])
        self.sample = np.ix_(_spread(len(n), SAMPLES), _spread(len(d), SAMPLES))
        self.scale = np.where(self.possible & (self.table != 0), np.abs(self.table), 1.0)
        if not relative:
            self.scale = np.ones_like(self.table)
        self.base = self._linear_part() if relative else np.zeros(3)
        self.least_n = self._slope_range() if relative else 1.0
        self.varies_n = bounds.shape[0] > 1 and self.least_n > 1e-12
        self.varies_d = bounds.shape[1] > 1

    def _linear_part(self) -> Floats:
        """The least-squares plane of log g: one exponential that is right on average."""
        logs = np.log(self.table[self.possible])
        return np.linalg.lstsq(self._plane(), logs, rcond=None)[0].astype(np.float64)

    def _plane(self) -> Floats:
        mask = self.possible
        s, t = np.broadcast_to(self.s[:, None], mask.shape), np.broadcast_to(self.t, mask.shape)
        return np.stack([np.ones(mask.sum()), s[mask], t[mask]], axis=1, dtype=np.float64)

    def roughness(self) -> float:
        """How far log g is from its plane, at most."""
        away = np.log(self.table[self.possible]) - self._plane() @ self.base
        return float(np.abs(away).max())

    def _slope_range(self) -> float:
        """Half the range of the slopes of log g along n: what the rates for n must span."""
        if len(self.s) < 2:
            return 0.0
        usable = self.possible[1:] & self.possible[:-1]
        with np.errstate(all="ignore"):
            slopes = np.diff(np.log(self.table), axis=0) / np.diff(self.s)[:, None]
        slopes = slopes[usable]
        if not len(slopes):
            return 0.0
        return float(max(slopes.max() - self.base[1], self.base[1] - slopes.min()))

    def solve(self, points_n: int, points_d: int, spread_n: float, spread_d: float) -> ExpSum:
        """Least squares on the sample, then the largest errors on all checked cells."""
        alpha = self.base[1] + _chebyshev(points_n) * spread_n * self.least_n
        beta = self.base[2] + _chebyshev(points_d) * spread_d
        exponents_n, exponents_d = np.outer(self.s, alpha), np.outer(self.t, beta)
        if self._steepness(alpha, beta) > MOST_STEEP:
            return ExpSum(alpha, beta, np.zeros(0), np.inf, np.inf)
        along_n, along_d = np.exp(exponents_n), np.exp(self.base[0] + exponents_d)
        coefficient = self._least_squares(along_n, along_d)
        total = along_n @ coefficient @ along_d.T
        sizes = along_n @ np.abs(coefficient) @ along_d.T
        mask = self.possible
        return self._in_counts(
            alpha,
            beta,
            coefficient,
            float(np.max((np.abs(total - self.table) / self.scale)[mask])),
            float(np.max((sizes / self.scale)[mask])),
        )

    def _steepness(self, alpha: Floats, beta: Floats) -> float:
        """The largest exponent of a term, in the count range and on the way to it from (0, 0)."""
        far_n, far_d = (1 + abs(m) / h for m, h in zip(self.middle, self.half, strict=True))
        return float(np.abs(alpha).max() * far_n + np.abs(beta).max() * far_d)

    def _least_squares(self, along_n: Floats, along_d: Floats) -> Floats:
        rows, columns = self.sample
        mask = self.possible[self.sample]
        terms = along_n[rows[:, 0]][:, None, :, None] * along_d[columns[0]][None, :, None, :]
        scale = self.scale[self.sample]
        matrix = (terms / scale[:, :, None, None])[mask].reshape(mask.sum(), -1)
        target = (self.table[self.sample] / scale)[mask]
        solution: Floats = np.linalg.lstsq(matrix, target, rcond=1e-15)[0]
        return solution.reshape(along_n.shape[1], along_d.shape[1])

    def _in_counts(
        self, alpha: Floats, beta: Floats, coefficient: Floats, error: float, condition: float
    ) -> ExpSum:
        """From s and t back to n and d."""
        a, b = alpha / self.half[0], beta / self.half[1]
        shift = np.exp(self.base[0] - np.add.outer(a * self.middle[0], b * self.middle[1]))
        rate_n, rate_d = np.meshgrid(a, b, indexing="ij")
        flat = (coefficient * shift).ravel()
        return ExpSum(rate_n.ravel(), rate_d.ravel(), flat, error, condition)


def _values(bounds: CountRange, g: GridFunction) -> Floats:
    """g where a derivation may land, on as many cells as are checked in a large count range."""
    n, d = (
        low + _spread(size, EXTREMES)[:, None]
        for low, size in zip(bounds.lows, bounds.shape, strict=True)
    )
    values: Floats = bounds.evaluate(g, n, d.T)[bounds.allows(n, d.T)]
    return values


def _chebyshev(k: int) -> Floats:
    points = np.cos(np.pi * (2 * np.arange(k) + 1) / (2 * k))
    centred: Floats = points - points.mean()  # exactly 0 for k = 1
    return centred


def _spread(size: int, most: int) -> Integers:
    """All of 0 .. size-1, or `most` of them, thinned like Chebyshev points: dense at the ends."""
    if size <= most:
        return np.arange(size)
    angles = np.linspace(0.0, np.pi, most)
    return np.unique(np.round((1 - np.cos(angles)) / 2 * (size - 1)).astype(np.int64))
