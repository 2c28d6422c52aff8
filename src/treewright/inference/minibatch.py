"""Sums over minibatches: functions of the counts of a few sentences, fitted where their mass is.

The certificate is that of single sentences (docs/theory.md, section 5.3): moments of the sentences
multiply, and the largest mean error that a law with the products of their moments can have is a
linear program. Cells far from the mass are judged in rectangles, where the function falls with n
and rises with d: only a window of the count range is tabulated then.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Integers
from treewright.forests.forest import Forest
from treewright.inference.count_range import CountRange, GridFunction, total_count_range

Sentences = Sequence[tuple[Forest, Floats]]
MOST_CELLS = 1 << 20  # of a table of the whole count range
FEW_CELLS = 1 << 13  # a window saves nothing in tables as small as this
MOST_EDGES = 50_000_000  # 8 bytes each while a sum is swept
LEAST_TOLERANCE = 1e-7  # smaller ones are left to other methods
SHARE = 0.85  # of the tolerance: what the fit may use up
MOST_FITS = 3  # each to a smaller error
ROUNDS = 2  # of tangent planes and means
FARTHEST = 2.0  # a mean moves by so many standard deviations at most
START_ALONG_D = 0.5  # of the first plane's slope: laws of d have long tails upwards
# Rates of the moments, radii in standard deviations to the power -1 and numbers of directions; and
# the logarithm of the mass of a cell where the window ends.
EFFORTS = (
    (((4.0, 6), (1.8, 5), (0.6, 4)), -22.0),
    (((4.5, 7), (2.2, 8), (1.1, 8), (0.4, 8)), -32.0),
)
STEEPEST = 200.0  # exponents beyond this may leave the range of a double
SLACK = 1e-9  # per sentence: more than the rounding of a moment's logarithm
LARGEST_LOG = 600.0  # of a sentence's moment
UNIT_ROUNDOFF = 2.0**-53
GROWTH = 1.3  # of the intervals outside of the window


@dataclass(frozen=True, eq=False)
class CorpusSum:
    """log of the sum of w g, every sentence's marginals under w g [parts], and their error."""

    log_sum: float
    masses: list[Floats]
    terms: int
    error: float


def minibatch_sum(
    sentences: Sentences, log_g: GridFunction, tolerance: float, falling: bool
) -> CorpusSum | None:
    """The sum of w g over all tuples of derivations; None where the tolerance is out of reach.

    Args:
        sentences: forests with counts, and their scores.
        log_g: the logarithm of g, a function of a column of N and a row of D.
        tolerance: of the marginals in total variation, and of the logarithm.
        falling: whether g falls with N and rises with D.
    """
    bounds = total_count_range(forest for forest, _ in sentences)
    cells = bounds.shape[0] * bounds.shape[1]
    if (
        tolerance < LEAST_TOLERANCE
        or sum(forest.edges for forest, _ in sentences) > MOST_EDGES
        or (cells > MOST_CELLS and not falling)
    ):
        return None
    start = _Plane.at(bounds, log_g, *_start(sentences, bounds))
    if start is None:
        return None
    slopes = start.slope_n, start.slope_d * START_ALONG_D
    items = [(forest.core, forest.count_table, scores) for forest, scores in sentences]
    corpus = _core.TiltedCorpus(items, *slopes)
    centre = _centre(corpus, bounds, log_g, slopes)
    for rings, least in EFFORTS if centre is not None else ():
        assert centre is not None
        law = _Law.around(corpus, centre, slopes, rings, bounds)
        if law is None:
            return None
        window = _window(bounds, law, least) if falling and cells > FEW_CELLS else bounds
        problem = _Problem(corpus, law, bounds, window, log_g)
        if (found := problem.solve(tolerance, len(sentences))) is not None:
            return found
    return None


def _start(sentences: Sentences, bounds: CountRange) -> tuple[float, float]:
    """Counts of fairly good derivations: where a model's mass may be."""
    sizes = [forest.gold_size for forest, _ in sentences]
    if any(size is None for size in sizes):
        return (bounds.n_low + bounds.n_high) / 2, (bounds.d_low + bounds.d_high) / 2
    size = float(sum(size for size in sizes if size is not None))
    return 0.75 * size, size


@dataclass(frozen=True)
class _Plane:
    """log g around a cell to second order, from differences of neighbouring cells."""

    n: int
    d: int
    height: float
    slope_n: float
    slope_d: float
    nn: float
    nd: float
    dd: float

    @staticmethod
    def at(bounds: CountRange, log_g: GridFunction, n: float, d: float) -> "_Plane | None":
        """Near a cell, where it and its neighbours are within reach; None if log g is infinite."""
        d_cell = _inner(d, bounds.d_low, bounds.d_high)
        most = min(bounds.n_high, d_cell - 1) if bounds.n_within_d else bounds.n_high
        n_cell = _inner(n, bounds.n_low, max(most, bounds.n_low))
        ns = np.clip(np.arange(n_cell - 1, n_cell + 2), bounds.n_low, bounds.n_high)
        ds = np.clip(np.arange(d_cell - 1, d_cell + 2), bounds.d_low, bounds.d_high)
        x = _values(log_g, ns[:, None], ds[None, :])
        if not np.isfinite(x).all():
            return None
        width_n, width_d = max(int(ns[2] - ns[0]), 1), max(int(ds[2] - ds[0]), 1)
        return _Plane(
            n_cell,
            d_cell,
            float(x[1, 1]),
            float(x[2, 1] - x[0, 1]) / width_n,
            float(x[1, 2] - x[1, 0]) / width_d,
            float(x[0, 1] - 2 * x[1, 1] + x[2, 1]) if width_n == 2 else 0.0,
            float(x[2, 2] - x[2, 0] - x[0, 2] + x[0, 0]) / (width_n * width_d),
            float(x[1, 0] - 2 * x[1, 1] + x[1, 2]) if width_d == 2 else 0.0,
        )

    @property
    def constant(self) -> float:
        """The plane at counts of 0."""
        return self.height - self.slope_n * self.n - self.slope_d * self.d


def _inner(x: float, low: int, high: int) -> int:
    """A count that has neighbours in the range, if any does."""
    return int(np.clip(round(x), low + (high > low + 1), high - (high > low + 1)))


def _values(log_g: GridFunction, n: Integers, d: Integers) -> Floats:
    with np.errstate(all="ignore"):
        table = np.asarray(log_g(n, d), dtype=np.float64)
    return np.ascontiguousarray(np.broadcast_to(table, (len(n), d.shape[1])))


def _centre(
    corpus: _core.TiltedCorpus,
    bounds: CountRange,
    log_g: GridFunction,
    slopes: tuple[float, float],
) -> _Plane | None:
    """Newton's method for the mean of the law that is tilted to the plane there."""
    mean_n, mean_d, nn, nd, dd = corpus.law()
    far_n, far_d = (FARTHEST * (variance + 0.1) ** 0.5 for variance in (nn, dd))
    n, d = mean_n, mean_d
    plane = _Plane.at(bounds, log_g, n, d)
    for _ in range(ROUNDS):
        if plane is None:
            return None
        a, b = plane.slope_n - slopes[0], plane.slope_d - slopes[1]
        miss_n, miss_d = mean_n + nn * a + nd * b - n, mean_d + nd * a + dd * b - d
        # (1 - covariance * curvature) step = miss
        m00, m01 = 1 - nn * plane.nn - nd * plane.nd, -nn * plane.nd - nd * plane.dd
        m10, m11 = -nd * plane.nn - dd * plane.nd, 1 - nd * plane.nd - dd * plane.dd
        determinant = m00 * m11 - m01 * m10
        if determinant > 0.1:
            miss_n, miss_d = (
                (m11 * miss_n - m01 * miss_d) / determinant,
                (m00 * miss_d - m10 * miss_n) / determinant,
            )
        n = min(max(n + miss_n, mean_n - far_n), mean_n + far_n)
        d = min(max(d + miss_d, mean_d - far_d), mean_d + far_d)
        plane = _Plane.at(bounds, log_g, n, d)
    return plane


@dataclass(frozen=True, eq=False)
class _Law:
    """The sentences' law, tilted to the plane at a centre: spread and moments [moments, 3]."""

    centre: _Plane
    shift: tuple[float, float]
    covariance: tuple[float, float, float]
    log_total: float
    moments: Floats

    @staticmethod
    def around(
        corpus: _core.TiltedCorpus,
        centre: _Plane,
        slopes: tuple[float, float],
        rings: tuple[tuple[float, int], ...],
        bounds: CountRange,
    ) -> "_Law | None":
        _, _, nn, nd, dd = corpus.law()
        shift = centre.slope_n - slopes[0], centre.slope_d - slopes[1]
        rates = _rates((nn, nd, dd), rings, bounds)
        logs = corpus.log_moments(rates[0] + shift[0], rates[1] + shift[1])
        if not np.isfinite(logs[0]):
            return None
        around = logs - logs[0] - rates[0] * centre.n - rates[1] * centre.d
        return _Law(
            centre,
            shift,
            (nn, nd, dd),
            float(logs[0]),
            np.stack([*rates, around], axis=1)[np.isfinite(around)],
        )

    def expected_rest(self) -> float:
        """E[r] if the law were normal and log r its second-order expansion."""
        nn, nd, dd = self.covariance
        at = self.centre
        m00, m01 = 1 - nn * at.nn - nd * at.nd, -nn * at.nd - nd * at.dd
        m10, m11 = -nd * at.nn - dd * at.nd, 1 - nd * at.nd - dd * at.dd
        return float(np.clip(m00 * m11 - m01 * m10, 0.7, 4.0) ** -0.5)


@dataclass(frozen=True, eq=False)
class _Problem:
    """What is left of g beside the plane, on a window and on rectangles around it."""

    corpus: _core.TiltedCorpus
    law: _Law
    bounds: CountRange
    window: CountRange
    log_g: GridFunction

    def solve(self, tolerance: float, sentences: int) -> CorpusSum | None:
        """The shortest sum found whose mean error is within the tolerance, swept."""
        law, corpus, window = self.law, self.corpus, self.window
        table = self._rest(window.n, window.d)
        allowed = window.possible
        if not np.isfinite(table[allowed]).all():
            return None
        table = np.where(allowed, table, 0.0)
        outside = self._outside()
        moments = law.moments + np.array([0.0, 0.0, SLACK * sentences])
        # Sums of logarithms, each of which is rounded, have as many roundings of their own.
        steps = corpus.rounding_steps + LARGEST_LOG * sentences * (sentences + 2) + STEEPEST
        mean = law.expected_rest()
        centre = float(law.centre.n), float(law.centre.d)
        for _ in range(MOST_FITS):
            found = _core.fit_terms(
                table,
                window.lows,
                window.n_within_d,
                centre,
                list(law.covariance),
                moments.tolist(),
                SHARE * tolerance * mean,
                *outside,
            )
            if found is None:
                return None
            rate_n, rate_d, coefficient, error = found
            logs = corpus.log_moments(rate_n + law.shift[0], rate_d + law.shift[1])
            shift = rate_n * centre[0] + rate_d * centre[1] + law.log_total
            shares = coefficient * np.exp(logs - shift)
            value = float(shares.sum())
            wrong = error + float(np.abs(shares).sum()) * steps * UNIT_ROUNDOFF
            if wrong <= tolerance * (value - wrong):
                log_sum = law.centre.constant + corpus.log_total + law.log_total + np.log(value)
                masses = corpus.masses(coefficient / value, shift)
                return CorpusSum(float(log_sum), masses, len(coefficient), wrong / (value - wrong))
            mean = 0.8 * min(mean, value) if value > 0 else mean / 16
        return None

    def _rest(self, n: Integers, d: Integers) -> Floats:
        at = self.law.centre
        rest = _values(self.log_g, n, d)
        return rest - (at.height + at.slope_n * (n - at.n) + at.slope_d * (d - at.d))

    def _outside(self) -> tuple[Floats, Floats, Floats]:
        """Intervals of n and d [2, intervals], and the largest log r on their rectangles.

        The largest g of a rectangle is at its least n and its largest d.
        """
        bounds, window, at = self.bounds, self.window, self.law.centre
        if window == bounds:
            return np.zeros((2, 0)), np.zeros((2, 0)), np.zeros((0, 0))
        n = _intervals(bounds.n_low, window.n_low, window.n_high, bounds.n_high)
        d = _intervals(bounds.d_low, window.d_low, window.d_high, bounds.d_high)
        with np.errstate(invalid="ignore"):
            rest = _values(self.log_g, n[0][:, None], d[1][None, :]) - at.constant
        rest = rest - np.minimum(at.slope_n * n[0], at.slope_n * n[1])[:, None]
        rest = rest - np.minimum(at.slope_d * d[0], at.slope_d * d[1])[None, :]
        inner_n = (n[0] >= window.n_low) & (n[1] <= window.n_high)
        inner_d = (d[0] >= window.d_low) & (d[1] <= window.d_high)
        skipped = inner_n[:, None] & inner_d[None, :]
        if bounds.n_within_d:
            skipped |= n[0][:, None] > d[1][None, :]
        return n.astype(np.float64), d.astype(np.float64), np.where(skipped, -np.inf, rest)


def _intervals(low: int, first: int, last: int, high: int) -> Integers:
    """The counts from low to high in intervals [2, intervals] that grow beyond first .. last."""
    step = max(1, (last - first + 1) // 28)
    inside = np.append(np.arange(first, last + 1, step), last + 1)
    above, size = [last + 1], float(step)
    while above[-1] <= high:
        above.append(min(above[-1] + int(size), high + 1))
        size *= GROWTH
    below, size = [first], float(step)
    while below[-1] > low:
        below.append(max(below[-1] - int(size), low))
        size *= GROWTH
    ends = np.unique(np.concatenate([below, inside, above]))
    together: Integers = np.stack([ends[:-1], ends[1:] - 1])
    return together


def _window(bounds: CountRange, law: _Law, least: float) -> CountRange:
    """The counts up to where the moments say, along either axis, that cells have so little mass."""
    at = law.centre
    below_n, above_n = _reach(law.moments[:, 0], law.moments[:, 2], least)
    below_d, above_d = _reach(law.moments[:, 1], law.moments[:, 2], least)
    return CountRange(
        max(bounds.n_low, at.n - below_n),
        min(bounds.n_high, at.n + above_n),
        max(bounds.d_low, at.d - below_d),
        min(bounds.d_high, at.d + above_d),
        bounds.n_within_d,
    )


def _reach(rates: Floats, logs: Floats, least: float) -> tuple[int, int]:
    """How far below and above the centre log - rate * x is at least `least` for all rates."""
    with np.errstate(divide="ignore"):
        ends = (logs - least) / np.abs(rates)
    below, above = (ends[sign * rates > 0].min(initial=1e6) for sign in (-1, 1))
    return math.ceil(below), math.ceil(above)


def _rates(
    covariance: tuple[float, float, float],
    rings: tuple[tuple[float, int], ...],
    bounds: CountRange,
) -> Floats:
    """Rates in all directions, 0 in front [2, moments]: as in cpp/counts/tilting.cpp."""
    var_n, cov, var_d = covariance
    along_n = np.sqrt(max(var_n, 0.0) + 0.3)
    skew = cov / along_n
    along_d = np.sqrt(max(var_d + 0.3 - skew**2, 1e-3 * (var_d + 0.3)))
    angles = [(r, 2 * np.pi * k / count) for r, count in rings for k in range(count)]
    x, y = np.array([(r * np.cos(angle), r * np.sin(angle)) for r, angle in angles]).T
    rates = np.stack([(x - skew / along_d * y) / along_n, y / along_d])
    steep = np.abs(rates[0]) * bounds.n_high + np.abs(rates[1]) * bounds.d_high
    rates *= np.minimum(1.0, STEEPEST / np.maximum(steep, 1e-300))
    zeros = np.zeros((2, 1))
    together: Floats = np.concatenate([zeros, rates], axis=1)
    return together
