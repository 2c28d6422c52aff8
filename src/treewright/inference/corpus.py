"""Expectations of functions of a whole corpus's counts: the softmax-margin paper's appendix A.

The corpus's N and D are sums of independent sentence counts, so every exponential moment of them is
a product of sentence moments:

    E[exp(a N + b D)]  =  prod_s E_s[exp(a n + b d)].

With imaginary rates these are characteristic functions on a frequency grid (`fourier`); with real
rates, the terms of a short sum (`expsum`), whose number does not grow with the corpus, because
F depends on N, D and |Y| through their ratios alone.

g may range over many powers of ten, most of them where there is no mass. Both methods see what is
left of it when its plane at the place that counts has gone into the scores (`tilt`), and only on
the window where nearly all mass is: there it is almost flat, however large the corpus.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from treewright import _core
from treewright.arrays import Complexes, Floats
from treewright.errors import ConfigError, ForestError
from treewright.forests.forest import Forest
from treewright.inference import expsum
from treewright.inference.box import GridFunction, total_box
from treewright.inference.lanes import fourier_lanes, lane_plan
from treewright.inference.tilt import Tilted, tilted
from treewright.inference.window import Tails, window

Sentences = Sequence[tuple[Forest, Floats]]
CorpusMethod = Literal["expsum", "fourier"]
MOST_WINDOWS = 8  # that are tried before a corpus is called too hard for expsum
MOST_VALUES = 100_000_000  # sentences times lanes that fourier may keep, 16 bytes each


@dataclass(frozen=True, eq=False)
class CorpusExpectation:
    """log E[g(N, D)], every sentence's E[g * uses] / E[g] [parts], and a bound on g's error.

    `error` is relative to E[g], rounding included for expsum.
    """

    log_value: float
    masses: list[Floats]
    lanes: int
    error: float


@dataclass(frozen=True, eq=False)
class _Lanes:
    """Exponentials whose weighted sum is g, and the error they make."""

    complex: bool
    rate_n: Complexes
    rate_d: Complexes
    coefficient: Complexes
    error: float

    def plan(self, coefficient: Complexes) -> _core.LanePlan:
        return lane_plan(self.complex, self.rate_n, self.rate_d, coefficient)


def corpus_expectation(
    sentences: Sentences,
    g: GridFunction,
    method: CorpusMethod = "expsum",
    tolerance: float = 1e-4,
) -> CorpusExpectation:
    """E[g(N, D)] over the sentences' derivations, g positive, to a relative tolerance.

    Args:
        sentences: forests with counts, and their scores.
        g: a function of a column of N and a row of D.
        method: see the module.
        tolerance: relative to g.
    """
    if not sentences:
        raise ForestError("a corpus needs at least one sentence")
    makers = {"expsum": _expsum_lanes, "fourier": _fourier_lanes}
    if method not in makers:
        raise ConfigError(f"unknown method {method!r} for a corpus: expsum or fourier")
    law = tilted(sentences, g)
    lanes = makers[method](law, tolerance)
    if len(sentences) * len(lanes.coefficient) > MOST_VALUES:
        raise ForestError(
            f"{len(lanes.coefficient):,} lanes on {len(sentences):,} sentences do not fit in memory"
        )
    plan = lanes.plan(lanes.coefficient)
    moments = np.array(
        [_core.lane_values(f.core, f.count_table, scores, plan) for f, scores in law.sentences]
    )
    others = _products_of_others(moments)
    masses = []
    value = float((lanes.coefficient * others[0] * moments[0]).sum().real)
    for (forest, scores), other in zip(law.sentences, others, strict=True):
        program = _core.Program("log-sum", plan=lanes.plan(lanes.coefficient * other / value))
        masses.append(_core.expectation(forest.core, forest.count_table, scores, program)[2])
    log_value = law.log_scale + float(np.log(value))
    return CorpusExpectation(log_value, masses, len(lanes.coefficient), lanes.error)


def _products_of_others(moments: Complexes) -> Complexes:
    """For each sentence the product of all other sentences' moments, without dividing by any."""
    ones = np.ones((1, moments.shape[1]), dtype=moments.dtype)
    before = np.concatenate((ones, np.cumprod(moments[:-1], axis=0)))
    after = np.concatenate((np.cumprod(moments[:0:-1], axis=0)[::-1], ones))
    return before * after


def _expsum_lanes(law: Tilted, tolerance: float) -> _Lanes:
    """A sum that is right on a window, and not too wrong for the mass that is outside of it."""
    sentences, g = law.sentences, law.rest
    steps = sum(forest.count_table.rounding_steps + 2 for forest, _ in sentences)
    box, tail = total_box(forest for forest, _ in sentences), tolerance
    tails = None if law.flat else Tails(sentences)
    for _ in range(MOST_WINDOWS):
        inner = box if tails is None else tails.window(tail)
        fitted = expsum.fit(inner, g, tolerance / 2, True, steps, rounding_share=0.5)
        if fitted is None:
            break
        lost = 0.0 if inner == box else tail * fitted.largest_error(inner, box, g)
        error = fitted.error + fitted.rounding(steps) + lost
        if error <= tolerance:
            columns = (fitted.rate_n, fitted.rate_d, fitted.coefficient)
            rate_n, rate_d, coefficient = (column.astype(np.complex128) for column in columns)
            return _Lanes(False, rate_n, rate_d, coefficient, error)
        tail *= tolerance / 8 / lost if lost < np.inf else 1e-30
    raise ForestError(
        f"expsum cannot reach {tolerance:g} on {len(sentences)} sentences at once: take a smaller "
        "tau or fewer sentences, or the method fourier"
    )


def _fourier_lanes(law: Tilted, tolerance: float) -> _Lanes:
    sentences, g = law.sentences, law.rest
    box = total_box(forest for forest, _ in sentences)
    low, high = np.inf, 0.0
    for n, table in box.blocks(g):
        cells = table[box.allows(n, box.d)]
        low, high = min(low, cells.min(initial=np.inf)), max(high, cells.max(initial=0.0))
    if not low > 0:
        raise ForestError("a relative tolerance needs a positive function of the counts")
    inner = window(sentences, tolerance * low / high / 2)
    rate_n, rate_d, coefficient = fourier_lanes(inner.tabulate(g), inner.n_low, inner.d_low)
    return _Lanes(True, rate_n, rate_d, coefficient, tolerance if inner != box else 0.0)
