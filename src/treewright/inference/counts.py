"""The distribution of the counts P(n, d), and expectations of functions of (n, d).

n and d of a derivation are the sums of the counts of its parts. With |y| fixed, every metric of the
papers is a function of them, and so are the weights exp(tau * loss) of softmax-margin training.
"""

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.arrays import Floats
from treewright.errors import ForestError
from treewright.forests.forest import Forest
from treewright.inference import exact, plans
from treewright.inference.count_range import CountRange, GridFunction, count_range_of
from treewright.inference.tail_bounds import fourier_terms, term_plan

EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class Law:
    """P(n, d): `p[i, j]` is the probability of n = bounds.n_low + i and d = bounds.d_low + j."""

    bounds: CountRange
    p: Floats

    def expect(self, g: GridFunction) -> float:
        """E[g(n, d)]."""
        return float((self.p * self.bounds.tabulate(g)).sum())


@dataclass(frozen=True, eq=False)
class Expectation:
    """E[g] with its gradient with respect to scores, and the method.

    `masses` are E[g * uses] of the parts; `error` bounds the error of g, relative or absolute as
    requested.
    """

    value: float
    gradient: Floats
    masses: Floats
    method: str
    error: float


def law(forest: Forest, scores: Floats, method: plans.Method = "auto") -> Law:
    """P(n, d) on the forest's count range, float64 [rows, columns]; rounding below 0 is clipped."""
    bounds = count_range_of(forest)
    counts = forest.count_table
    if method == "auto":
        fourier = bounds.shape[0] * bounds.shape[1] / 2 * forest.edges * plans.NS_COMPLEX_TERM
        method = "split" if plans.split_cost(forest) < fourier else "fourier"
    if method == "split":
        return Law(bounds, _core.split_law(forest.core, counts, scores))
    if method == "sliced":
        return Law(bounds, np.maximum(_sliced_law(forest, scores, bounds), 0.0))
    if method == "fourier":
        return Law(bounds, np.maximum(_fourier_law(forest, scores, bounds), 0.0))
    raise ForestError(f"the law of (n, d) is computed by split, sliced or fourier, not {method}")


def _sliced_law(forest: Forest, scores: Floats, bounds: CountRange) -> Floats:
    rows, columns = bounds.shape
    rates = 2j * np.pi * np.arange(rows // 2 + 1) / rows
    plan = _core.SlicedPlan(True, list(rates), [0j] * (len(rates) * columns))
    values = np.array(_core.sliced_values(forest.core, forest.count_table, scores, plan))
    spectrum = values.reshape(columns, -1) * np.exp(-rates * bounds.n_low)
    return np.fft.irfft(spectrum.conj(), n=rows, axis=1).T


def _fourier_law(forest: Forest, scores: Floats, bounds: CountRange) -> Floats:
    plan = term_plan(True, *fourier_terms(np.ones(bounds.shape), 0, 0))
    values = np.array(_core.term_values(forest.core, forest.count_table, scores, plan))
    spectrum = values.reshape(bounds.shape[0], -1)
    omega_n = 2 * np.pi * np.fft.fftfreq(bounds.shape[0])
    omega_d = 2 * np.pi * np.arange(spectrum.shape[1]) / bounds.shape[1]
    shifted = spectrum * np.exp(-1j * np.add.outer(omega_n * bounds.n_low, omega_d * bounds.d_low))
    return np.fft.irfft2(shifted.conj(), s=bounds.shape)


def expectation(
    forest: Forest,
    scores: Floats,
    g: GridFunction,
    method: plans.Method = "auto",
    tolerance: float = EXACT,
    relative: bool = False,
) -> Expectation:
    """E[g(n, d)] and its gradient E[g * uses] - E[g] E[uses] over the parts' scores.

    Args:
        forest: a forest with counts.
        scores: float64 [parts].
        g: a function of a column of n and a row of d.
        method: see `treewright.inference.plans`.
        tolerance: maximum error of the method's approximation of g; split and sliced are exact.
        relative: whether the tolerance is relative to g, which must then be positive.
    """
    table = count_range_of(forest).tabulate(g)
    plan = plans.make(forest, table, method, tolerance, relative, scores)
    compiled = _core.CompiledObjective("log-sum", plan=plan.core)
    _, value, masses = _core.expectation(forest.core, forest.count_table, scores, compiled)
    gradient = masses - value * exact.marginals(forest, scores).parts
    return Expectation(value, gradient, masses, plan.method, plan.error)
