"""Ranges that hold all but a given share of the probability of the counts (Chernoff bounds).

    P(n >= a)  <=  exp(-r a) E[exp(r n)]   for every r > 0,

and likewise for lower bounds, and for d. The moments are real terms of one forward sweep. For
several independent sentences, moments multiply.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright import _core
from treewright.arrays import Complexes, Floats
from treewright.forests.forest import Forest
from treewright.inference.count_range import CountRange, total_count_range


def term_plan(is_complex: bool, *columns: Floats | Complexes) -> _core.TermPlan:
    """Rates along n, rates along d and coefficients, in the form of the core."""
    n, d, coefficient = (list(column.astype(np.complex128)) for column in columns)
    return _core.TermPlan(is_complex, n, d, coefficient)


def half_frequencies(size: int) -> tuple[Floats, Floats]:
    """Frequencies 0 .. pi of a grid of this size, and the multiplicity of each."""
    numbers = np.arange(size // 2 + 1)
    twice = np.where((numbers == 0) | (2 * numbers == size), 1.0, 2.0)
    return 2 * np.pi * numbers / size, twice


def fourier_terms(table: Floats, n_low: int, d_low: int) -> tuple[Complexes, Complexes, Complexes]:
    """g on a rectangle of cells as a Fourier sum: rates and coefficients [terms].

    Only one of each pair of conjugate frequencies is kept. The sum is periodic outside the
    rectangle.
    """
    rows, columns = table.shape
    omega_d, twice = half_frequencies(columns)
    omega_n = 2 * np.pi * np.fft.fftfreq(rows)
    spectrum = np.fft.rfft2(table) * twice / table.size
    wave = np.add.outer(omega_n * n_low, omega_d * d_low)
    rate_n, rate_d = np.broadcast_arrays(1j * omega_n[:, None], 1j * omega_d[None, :])
    return rate_n.ravel(), rate_d.ravel(), (spectrum * np.exp(-1j * wave)).ravel()


# Rates to try, relative to the range of the count.
STEEPNESS = np.geomspace(3.0, 6000.0, 20)


def likely_range(sentences: Sequence[tuple[Forest, Floats]], tail: float) -> CountRange:
    """A range of the summed counts with at most `tail` of the mass outside."""
    return TailBounds(sentences).likely_range(tail)


class TailBounds:
    """Upper bounds on the mass of the summed counts far from their mean.

    Args:
        sentences: forests with their scores.
    """

    def __init__(self, sentences: Sequence[tuple[Forest, Floats]]) -> None:
        self.bounds = bounds = total_count_range(forest for forest, _ in sentences)
        widths = [max(size - 1, 1) for size in bounds.shape]
        self._ends = [sign * STEEPNESS / width for width in widths for sign in (1, -1)]
        rates = np.zeros((2, 4 * len(STEEPNESS)))
        rates[0, : 2 * len(STEEPNESS)] = np.concatenate(self._ends[:2])
        rates[1, 2 * len(STEEPNESS) :] = np.concatenate(self._ends[2:])
        logs = sum(log_moments(forest, scores, rates) for forest, scores in sentences)
        # Relative to the middle of the count range.
        logs -= rates[0] * (bounds.n_low + bounds.n_high) / 2
        logs -= rates[1] * (bounds.d_low + bounds.d_high) / 2
        self._logs = np.split(logs, 4)

    def likely_range(self, tail: float) -> CountRange:
        """A range with at most `tail` of the mass outside; a tail above 1/2 is treated as 1/2."""
        cuts = [
            _cut(np.abs(rate), log, size, min(tail, 0.5) / 4)
            for rate, log, size in zip(
                self._ends, self._logs, np.repeat(self.bounds.shape, 2), strict=True
            )
        ]
        return replace(
            self.bounds,
            n_low=self.bounds.n_low + cuts[1],
            n_high=self.bounds.n_high - cuts[0],
            d_low=self.bounds.d_low + cuts[3],
            d_high=self.bounds.d_high - cuts[2],
        )


def log_moments(forest: Forest, scores: Floats, rates: Floats) -> Floats:
    """log E[exp(rates[0] n + rates[1] d)] [rates]; infinite if the sweep overflows."""
    plan = term_plan(False, *rates, np.zeros(rates.shape[1]))
    moments = np.real(_core.term_values(forest.core, forest.count_table, scores, plan))
    usable = (moments > 1e-250) & (moments < 1e250)
    logs: Floats = np.log(moments, out=np.full(moments.shape, np.inf), where=usable)
    return logs


def _cut(rate: Floats, log_moment: Floats, size: int, tail: float) -> int:
    """The number of values to cut off at one end so that at most `tail` is lost there."""
    outermost_lost = (size + 1) / 2 - np.arange(size)  # from the middle, if this many are cut
    lost = np.min(log_moment[:, None] - rate[:, None] * outermost_lost, axis=0)
    fits = np.flatnonzero(lost <= np.log(tail))
    return int(fits.max(initial=0))
