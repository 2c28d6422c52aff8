"""Ways to take an expectation of a function of the counts, compiled for the core.

Five methods (docs/theory.md, sections 4 and 5) for E[g(n, d)] and, by an adjoint sweep, for every
part's E[g(n, d) * uses]:

- `split`: the paper's state-split recursion; every node is split by (n, d). Exact.
- `sliced`: nodes are split by d alone, and n is kept in exponential terms: real ones, one per
  slope, where log g is affine in n at fixed d (softmax-margin for precision, recall and F), complex
  ones otherwise. Exact.
- `fourier`: nothing is split; one complex term for each frequency of the grid. Exact.
- `expsum`: nothing is split; a few real terms, to a tolerance that is certified beforehand.
- `tilted`: real terms again, of a sum that is fitted anew for every vector of scores, where their
  mass is. Certified while it runs; where the tolerance is out of reach, an exact method takes over.

Rounding of complex terms is small against the largest g, but not against E[g] if g is steep: with a
relative tolerance, both raise an error where it may be larger.

`auto` takes the one of the lowest predicted cost: `tilted` for positive functions to a moderate
tolerance; `expsum` only where its fit pays for itself.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from treewright import _core
from treewright.arrays import Complexes, Floats, Integers
from treewright.errors import ConfigError, ForestError
from treewright.forests.forest import Forest
from treewright.inference import expsum
from treewright.inference.count_range import CountRange, count_range_of
from treewright.inference.tail_bounds import (
    fourier_terms,
    half_frequencies,
    likely_range,
    term_plan,
)

Method = Literal["auto", "split", "sliced", "fourier", "expsum", "tilted"]
METHODS: tuple[str, ...] = get_args(Method)
ExactPlan = _core.TermPlan | _core.SplitPlan | _core.SlicedPlan
CorePlan = ExactPlan | _core.TiltedPlan
MOST_STEEP = 600.0  # exponents of terms: numbers end at exp(-708) and exp(709)
MOST_CELLS = 200_000_000  # of split or sliced counts; 16 bytes each while a sweep runs

# Predicted nanoseconds, sweep and adjoint, fitted to the forests of benchmarks/forests.py: a term
# on an edge; a product of two cells; what an edge costs with count ranges of any size.
NS_REAL_TERM, NS_COMPLEX_TERM = 1.25, 2.5
NS_CELL, NS_COMPLEX_CELL, NS_EDGE = 2.0, 5.5, 50.0
# Of a tilted sum: an edge, if none is negligible, and the fit.
NS_TILTED, NS_TILTED_FIT = 30.0, 20_000.0
LEAST_TILTED = 1e-7  # a smaller tolerance is left to the other methods
# A fit takes some 10 to 30 ms. On forests whose exact pass is shorter than this, nobody pays for
# one of their own; of fits that many forests share, training pays for more.
NS_WORTH_A_FIT, NS_WORTH_A_SHARED_FIT = 500_000, 60_000


class SteepError(ForestError):
    """The rounding of complex terms may exceed the tolerance."""


@dataclass(frozen=True, eq=False)
class FitCache:
    """Fits of g(n, d, |y|) found so far, for callers that use it on many forests.

    Count ranges are rounded outwards, so that forests of about the same size share a fit.
    """

    g: Callable[[Integers, Integers, int], Floats]
    found: dict[tuple[object, ...], expsum.ExpSum | None] = field(default_factory=dict)

    def fit(
        self, bounds: CountRange, size: int, how: tuple[float, bool, float, int]
    ) -> expsum.ExpSum | None:
        """The fit for a gold size; `how`: tolerance and so on, as in `expsum.fit`."""
        key = (bounds, size, *how)
        if key not in self.found:
            self.found[key] = expsum.fit(bounds, lambda n, d: self.g(n, d, size), *how)
        return self.found[key]


@dataclass(frozen=True, eq=False)
class Plan:
    """A method made ready for one forest and one g; `error` bounds its result's error."""

    method: str
    core: CorePlan
    terms: int
    error: float


def make(
    forest: Forest,
    table: Floats,
    method: Method,
    tolerance: float,
    relative: bool = True,
    scores: Floats | None = None,
    fits: FitCache | None = None,
) -> Plan:
    """A plan for g, given as a table on the forest's count range.

    With scores, `fourier` uses a smaller grid where the model's law is concentrated. With a cache,
    `expsum` fits g once for all forests of one gold size and about one count range.
    Raises ForestError if the method cannot do it: nothing falls back to another.
    """
    if method == "auto":
        return _cheapest(forest, table, tolerance, relative, fits)
    exactness = tolerance if relative else np.inf
    makers: dict[str, Callable[[], Plan | None]] = {
        "split": lambda: _split(forest, table),
        "sliced": lambda: _sliced(forest, table, exactness),
        "fourier": lambda: (
            _fourier(forest, table, exactness)
            if scores is None
            else _folded(forest, table, tolerance, relative, scores)
        ),
        "expsum": lambda: _expsum(forest, table, tolerance, relative, fits),
        "tilted": lambda: _tilted(forest, table, tolerance, relative),
    }
    if method not in makers:
        raise ConfigError(f"unknown method {method!r}: one of {', '.join(METHODS)}")
    plan = makers[method]()
    if plan is None:
        raise ForestError(
            f"expsum cannot reach {tolerance:g} with {expsum.MAX_TERMS} terms for this loss on "
            f"{count_range_of(forest)}: use a larger tolerance or another method"
        )
    return plan


def _cheapest(
    forest: Forest, table: Floats, tolerance: float, relative: bool, fits: FitCache | None
) -> Plan:
    """Predicts the exact methods' costs, and tries sums of exponentials where they are cheaper."""
    exactness = tolerance if relative else np.inf
    costs = _exact_costs(forest, table, exactness)
    best = min(costs, key=lambda name: costs[name])
    if relative and tolerance >= LEAST_TILTED and _tilted_cost(forest) < costs[best]:
        return _tilted(forest, table, tolerance, relative)
    fewest = forest.edges * NS_REAL_TERM * expsum.TERM_COUNTS[0]
    worth = NS_WORTH_A_FIT if fits is None else NS_WORTH_A_SHARED_FIT
    if fewest < costs[best] and costs[best] > worth:
        # Only sums that would be cheaper are looked for; most forests share the number of terms.
        most = costs[best] / (forest.edges * NS_REAL_TERM)
        allowed = max(terms for terms in expsum.TERM_COUNTS if terms <= most)
        short = _expsum(forest, table, tolerance, relative, fits, allowed)
        if short is not None and forest.edges * NS_REAL_TERM * short.terms < costs[best]:
            return short
    return _exact(best, forest, table, exactness)


def _tilted_cost(forest: Forest) -> float:
    return forest.edges * NS_TILTED + NS_TILTED_FIT


def tilting_pays(forest: Forest, table: Floats, tolerance: float) -> bool:
    """Whether `tilted` is allowed at a relative tolerance, and predicted to be the cheapest."""
    return tolerance >= LEAST_TILTED and _tilted_cost(forest) < min(
        _exact_costs(forest, table, tolerance).values()
    )


def _exact_costs(forest: Forest, table: Floats, tolerance: float) -> dict[str, float]:
    """Predicted nanoseconds of the exact methods; infinite if the cells do not fit into memory.

    If g is so steep that sums of complex terms may not reach the relative tolerance, only sums of
    positive terms are left, unless they do not fit.
    """
    _, sliced, _, sliced_cells = _core.cell_costs(forest.core, forest.count_table)
    lines = _log_lines(forest, table)
    rows, columns = table.shape
    sliced_terms = rows // 2 + 1 if lines is None else len(np.unique(lines[0]))
    ns_sliced = NS_COMPLEX_CELL if lines is None else NS_CELL
    costs = {
        "split": split_cost(forest),
        "sliced": forest.edges * NS_EDGE + sliced * sliced_terms * ns_sliced
        if sliced_cells * sliced_terms <= MOST_CELLS
        else np.inf,
        "fourier": forest.edges * rows * (columns // 2 + 1) * NS_COMPLEX_TERM,
    }
    positive = {"split"} if lines is None else {"split", "sliced"}
    fits = any(np.isfinite(costs[name]) for name in positive)
    if fits and _rounding(forest, table) > tolerance:
        return {name: costs[name] for name in costs if name in positive}
    return costs


def _rounding(forest: Forest, table: Floats) -> float:
    """The largest rounding error of sums of complex terms, relative to E[g] of a positive g.

    It is relative to the sum of the sizes of the terms, which the norm of g bounds: some operations
    of complex numbers per step, and the phases, multiples of 2 pi n / rows and 2 pi d / columns.
    """
    least, most = float(table[count_range_of(forest).possible].min()), float(np.abs(table).max())
    if not least > 0:
        return np.inf
    norm = most * float(np.linalg.norm(table / most))
    steps = forest.count_table.rounding_steps + sum(table.shape)
    return 4 * expsum.UNIT_ROUNDOFF * steps * (norm / least)


def _check_digits(forest: Forest, table: Floats, tolerance: float) -> None:
    if _rounding(forest, table) > tolerance:
        raise SteepError(
            f"this loss is too steep for sums of complex terms to reach {tolerance:g}: use method "
            "auto or split, a smaller tau, or a larger tolerance"
        )


def _exact(method: str, forest: Forest, table: Floats, tolerance: float) -> Plan:
    if method == "split":
        return _split(forest, table)
    return {"sliced": _sliced, "fourier": _fourier}[method](forest, table, tolerance)


def _tilted(forest: Forest, table: Floats, tolerance: float, relative: bool) -> Plan:
    """Exponential tilting, with the cheapest exact method in reserve.

    An error of g is a mean here: E|sum - g| / E[g] bounds what is wrong with a marginal once, and
    the largest relative error of g bounds it twice. So this may be twice as large.
    """
    if not relative:
        raise ForestError("exponential tilting needs a relative tolerance")
    bounds = count_range_of(forest)
    _check_positive(table, bounds)
    costs = _exact_costs(forest, table, tolerance)
    try:
        reserve = _exact(min(costs, key=lambda name: costs[name]), forest, table, tolerance).core
    except SteepError:
        reserve = term_plan(False, *np.zeros((3, 1)))  # of value 0: an error where it is needed
    assert not isinstance(reserve, _core.TiltedPlan)
    logs = np.log(np.where(bounds.possible, table, 1.0))
    core = _core.TiltedPlan(
        logs.ravel(), bounds.n_within_d, _start(forest, bounds), 2 * tolerance, reserve
    )
    return Plan("tilted", core, 0, tolerance)


def _start(forest: Forest, bounds: CountRange) -> tuple[float, float]:
    """Counts of a fairly good derivation: where a model's mass may be."""
    size = forest.gold_size
    if size is None:
        return (bounds.n_low + bounds.n_high) / 2, (bounds.d_low + bounds.d_high) / 2
    return (
        float(np.clip(0.75 * size, bounds.n_low, bounds.n_high)),
        float(np.clip(size, bounds.d_low, bounds.d_high)),
    )


def split_cost(forest: Forest) -> float:
    """Predicted nanoseconds of state-splitting; infinite if the cells do not fit into memory."""
    products, _, cells, _ = _core.cell_costs(forest.core, forest.count_table)
    return forest.edges * NS_EDGE + products * NS_CELL if cells <= MOST_CELLS else np.inf


def _split(forest: Forest, table: Floats) -> Plan:
    cells = _core.cell_costs(forest.core, forest.count_table)[2]
    _check_cells("split", cells)
    return Plan("split", _core.SplitPlan(table.ravel()), 1, 0.0)


def _sliced(forest: Forest, table: Floats, tolerance: float) -> Plan:
    bounds = count_range_of(forest)
    lines = _log_lines(forest, table)
    if lines is None:
        rates, coefficients = _frequencies_of_rows(table, bounds)
    else:
        slopes, scales = lines
        rates, term = np.unique(slopes, return_inverse=True)
        coefficients = np.zeros((table.shape[1], len(rates)), dtype=np.complex128)
        coefficients[np.arange(len(slopes)), term] = scales
    cells = _core.cell_costs(forest.core, forest.count_table)[3]
    _check_cells("sliced", cells * len(rates))
    if lines is None:
        _check_digits(forest, table, tolerance)
    core = _core.SlicedPlan(lines is None, list(rates), list(coefficients.ravel()))
    return Plan("sliced", core, len(rates), 0.0)


def _check_positive(table: Floats, bounds: CountRange) -> None:
    if not (table[bounds.possible] > 0).all():
        raise ForestError("a relative tolerance needs a positive function of (n, d)")


def _check_cells(method: str, cells: int) -> None:
    if cells > MOST_CELLS:
        raise ForestError(f"{method} needs {cells:,} cells for this forest: use another method")


def _log_lines(forest: Forest, table: Floats) -> tuple[Floats, Floats] | None:
    """g as scale * exp(slope * n) for each d on the cells that derivations can reach.

    None if this is not so to a relative 1e-12, or if terms could leave the range of numbers. Where
    a d has only one such cell (at d = 0 only n = 0), its slope is that of the next d, so that it
    needs no other term.
    """
    bounds = count_range_of(forest)
    possible = bounds.possible
    if not (table[possible] > 0).all():
        return None
    logs = np.log(np.where(possible, table, 1.0))
    last = possible.sum(axis=0) - 1  # n <= d: the possible cells of a column are the first ones
    slopes = (logs[last, np.arange(len(last))] - logs[0]) / np.maximum(last, 1)
    if len(slopes) > 1 and last[0] == 0:
        slopes[0] = slopes[1]
    lines = logs[0] + slopes * (bounds.n - bounds.n_low)
    if not np.allclose(lines[possible], logs[possible], rtol=0.0, atol=1e-12):
        return None
    log_scales = logs[0] - slopes * bounds.n_low
    if log_scales.max() - logs[possible].min() > MOST_STEEP:
        return None
    if (rise := slopes.max()) > 0:  # also in nodes that no derivation uses
        most_n = _core.node_ranges(forest.core, forest.count_table)[:, 1].max()
        if rise * most_n > MOST_STEEP:
            return None
    return slopes, np.exp(log_scales)


def _frequencies_of_rows(table: Floats, bounds: CountRange) -> tuple[Complexes, Complexes]:
    """g(n, d) at each d as a Fourier sum along n: rates [terms], coefficients [columns, terms]."""
    omega, twice = half_frequencies(table.shape[0])
    spectrum = np.fft.rfft(table, axis=0).T * twice / table.shape[0]
    coefficients = spectrum * np.exp(-1j * omega * bounds.n_low)
    return (1j * omega).astype(np.complex128), coefficients.astype(np.complex128)


def _fourier(forest: Forest, table: Floats, tolerance: float) -> Plan:
    bounds = count_range_of(forest)
    terms = table.shape[0] * (table.shape[1] // 2 + 1)
    _check_digits(forest, table, tolerance)
    core = term_plan(True, *fourier_terms(table, bounds.n_low, bounds.d_low))
    return Plan("fourier", core, terms, 0.0)


def _folded(
    forest: Forest, table: Floats, tolerance: float, relative: bool, scores: Floats
) -> Plan:
    """Fourier on a part of the count range; g is periodic outside it, where hardly any mass is.

    The mass outside gets a wrong g, by at most twice the largest: that bounds the error.
    """
    bounds = count_range_of(forest)
    if relative:
        _check_positive(table, bounds)
    sizes = np.abs(table[bounds.possible])
    worst = 2 * float(sizes.max()) / (float(sizes.min()) if relative else 1.0)
    if worst == 0:
        return _fourier(forest, table, np.inf)
    inner = likely_range([(forest, scores)], tolerance / worst)
    rows = slice(inner.n_low - bounds.n_low, inner.n_high - bounds.n_low + 1)
    columns = slice(inner.d_low - bounds.d_low, inner.d_high - bounds.d_low + 1)
    terms = inner.shape[0] * (inner.shape[1] // 2 + 1)
    _check_digits(forest, table, tolerance if relative else np.inf)
    core = term_plan(True, *fourier_terms(table[rows, columns], inner.n_low, inner.d_low))
    return Plan("fourier", core, terms, tolerance if inner != bounds else 0.0)


def _expsum(
    forest: Forest,
    table: Floats,
    tolerance: float,
    relative: bool,
    fits: FitCache | None,
    max_terms: int = expsum.MAX_TERMS,
) -> Plan | None:
    bounds = count_range_of(forest)
    if relative:
        _check_positive(table, bounds)
    steps = 2.0 ** np.ceil(np.log2(forest.count_table.rounding_steps))
    if fits is None:
        fitted = expsum.fit(
            bounds,
            lambda n, d: table[n - bounds.n_low, d - bounds.d_low],
            tolerance,
            relative,
            steps,
            max_terms,
        )
    else:
        size = forest.gold_size or 0
        fitted = fits.fit(bounds.rounded(), size, (tolerance, relative, steps, max_terms))
    if fitted is None:
        return None
    core = term_plan(False, fitted.rate_n, fitted.rate_d, fitted.coefficient)
    return Plan("expsum", core, fitted.terms, fitted.error)
