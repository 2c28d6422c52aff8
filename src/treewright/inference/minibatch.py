"""Sums of exponentials for the counts of a few sentences, fitted where their mass is.

The certificate is that of single sentences (docs/theory.md, section 5.3): moments of sentences
multiply, and a linear program computes the largest possible mean error of a law with these moments.
The whole count range is tabulated, so this is for minibatches only.
"""

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.arrays import Floats
from treewright.inference.count_range import CountRange, total_count_range
from treewright.inference.tail_bounds import log_moments
from treewright.inference.tilting import Tilted

MOST_CELLS = 1 << 20  # cells of the count range
SHARE = 0.85  # the fraction of the tolerance for the fit
STEP = 1e-3  # of the finite differences for mean and covariance
# Rates of the moments: radii in standard deviations to the power -1, and numbers of directions.
RINGS = ((4.5, 7), (2.2, 8), (1.1, 8), (0.4, 8))
STEEPEST = 200.0  # larger exponents can overflow a double
SLACK = 1e-9  # per sentence: bounds the rounding of a moment's logarithm


@dataclass(frozen=True, eq=False)
class FittedTerms:
    """Rates and coefficients [terms], and a bound on the mean error under the law."""

    rate_n: Floats
    rate_d: Floats
    coefficient: Floats
    error: float


@dataclass(frozen=True, eq=False)
class Problem:
    """The residual of a function on the count range, and moments of the law [moments, 3]."""

    bounds: CountRange
    log_rest: Floats
    mean: tuple[float, float]
    covariance: tuple[float, float, float]
    moments: Floats

    def fit(self, tolerance: float) -> FittedTerms | None:
        """The shortest sum found whose mean error is within the tolerance."""
        found = _core.fit_terms(
            self.log_rest,
            self.bounds.lows,
            self.bounds.n_within_d,
            self.mean,
            list(self.covariance),
            self.moments.tolist(),
            tolerance,
        )
        if found is None:
            return None
        rate_n, rate_d, coefficient, error = found
        shift = np.exp(-rate_n * self.mean[0] - rate_d * self.mean[1])
        return FittedTerms(rate_n, rate_d, coefficient * shift, error)


def problem(law: Tilted) -> Problem | None:
    """The fitting problem of a tilted law; None if the count range is too large to tabulate."""
    bounds = total_count_range(forest for forest, _ in law.sentences)
    if np.prod(bounds.shape) > MOST_CELLS:
        return None
    table = bounds.tabulate(law.rest)
    if not (table[bounds.possible] > 0).all():
        return None
    logs = np.log(np.where(bounds.possible, table, 1.0))
    mean = (float(law.mean[0]), float(law.mean[1]))
    covariance = _covariance(law)
    rates = _rates(covariance, bounds)
    moments = _log_moments(law, rates) - rates[0] * mean[0] - rates[1] * mean[1]
    usable = np.isfinite(moments)
    slack = SLACK * len(law.sentences)
    rows = np.stack([*rates, moments + slack], axis=1)[usable]
    return Problem(bounds, logs, mean, covariance, rows)


def rounding_steps(law: Tilted) -> float:
    """The number of roundings in a moment of all sentences, including exponentials."""
    return float(sum(f.count_table.rounding_steps + 2 for f, _ in law.sentences)) + STEEPEST


def _log_moments(law: Tilted, rates: Floats) -> Floats:
    logs: Floats = np.sum([log_moments(f, scores, rates) for f, scores in law.sentences], axis=0)
    return logs


def _covariance(law: Tilted) -> tuple[float, float, float]:
    """Var(n), Cov(n, d) and Var(d), by second differences of the logarithms of moments."""
    along = np.array([[1, -1, 0, 0, 1, -1, 0], [0, 0, 1, -1, 1, -1, 0]], dtype=np.float64)
    logs = _log_moments(law, STEP * along)
    n, d, both = ((logs[2 * k] + logs[2 * k + 1] - 2 * logs[6]) / STEP**2 for k in range(3))
    return float(n), float((both - n - d) / 2), float(d)


def _rates(covariance: tuple[float, float, float], bounds: CountRange) -> Floats:
    """Rates in all directions, starting with 0 [2, moments], as in cpp/counts/tilting.cpp."""
    var_n, cov, var_d = covariance
    along_n = np.sqrt(max(var_n, 0.0) + 0.3)
    skew = cov / along_n
    along_d = np.sqrt(max(var_d + 0.3 - skew**2, 1e-3 * (var_d + 0.3)))
    angles = [(r, 2 * np.pi * k / count) for r, count in RINGS for k in range(count)]
    x, y = np.array([(r * np.cos(angle), r * np.sin(angle)) for r, angle in angles]).T
    rates = np.stack([(x - skew / along_d * y) / along_n, y / along_d])
    steep = np.abs(rates[0]) * bounds.n_high + np.abs(rates[1]) * bounds.d_high
    rates *= np.minimum(1.0, STEEPEST / np.maximum(steep, 1e-300))
    zeros = np.zeros((2, 1))
    together: Floats = np.concatenate([zeros, rates], axis=1)
    return together
