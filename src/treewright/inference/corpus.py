"""Expectations of functions of a whole corpus's counts: the softmax-margin paper's appendix A.

The corpus's N and D are sums of independent sentence counts, so every exponential moment of them is
a product of sentence moments:

    E[exp(a N + b D)]  =  prod_s E_s[exp(a n + b d)].

With imaginary rates these are characteristic functions on a frequency grid (`fourier`); with real
rates, the terms of a short sum (`expsum`), whose number does not grow with the corpus, because
F depends on N, D and |Y| through their ratios alone. `auto` takes a short sum if there is one.

g may range over many powers of ten, most of them where there is no mass. Both methods see what is
left of it when its tangent plane has gone into the scores (`tilting`), and only where nearly all
mass is: there it is almost flat, however large the corpus. Minibatches know that from moments of
the law (`minibatch`), larger corpora from a range that holds nearly all of it (`tail_bounds`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from treewright import _core
from treewright.arrays import Complexes, Floats, Integers
from treewright.errors import ConfigError, ForestError
from treewright.forests.forest import Forest
from treewright.inference import exact, expsum
from treewright.inference.count_range import GridFunction, total_count_range
from treewright.inference.minibatch import CorpusSum, minibatch_sum
from treewright.inference.tail_bounds import TailBounds, fourier_terms, likely_range, term_plan
from treewright.inference.tilting import Tilted, tilted

Sentences = Sequence[tuple[Forest, Floats]]
CorpusMethod = Literal["auto", "expsum", "fourier"]
MOST_RANGES = 8  # that are tried before a corpus is called too hard for expsum
MOST_VALUES = 100_000_000  # sentences times terms that fourier may keep, 16 bytes each


@dataclass(frozen=True, eq=False)
class CorpusExpectation:
    """log E[g(N, D)], every sentence's E[g * uses] / E[g] [parts], and a bound on g's error.

    `error` is relative to E[g], rounding included for expsum.
    """

    log_value: float
    masses: list[Floats]
    terms: int
    error: float


@dataclass(frozen=True, eq=False)
class _Terms:
    """Exponentials whose weighted sum is g, and the error they make."""

    complex: bool
    rate_n: Complexes
    rate_d: Complexes
    coefficient: Complexes
    error: float

    def plan(self, coefficient: Complexes) -> _core.TermPlan:
        return term_plan(self.complex, self.rate_n, self.rate_d, coefficient)


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

    def log_g(n: Integers, d: Integers) -> Floats:
        logs: Floats = np.log(np.asarray(g(n, d), dtype=np.float64))
        return logs

    found = corpus_sum(sentences, log_g, method, tolerance)
    log_z = sum(exact.log_z(forest, scores) for forest, scores in sentences)
    return CorpusExpectation(found.log_sum - log_z, found.masses, found.terms, found.error)


def corpus_sum(
    sentences: Sentences,
    log_g: GridFunction,
    method: CorpusMethod = "expsum",
    tolerance: float = 1e-4,
    falling: bool = False,
) -> CorpusSum:
    """The sum of w g over all tuples of derivations, as `corpus_expectation`.

    Args:
        sentences: forests with counts, and their scores.
        log_g: the logarithm of g.
        method: see the module.
        tolerance: of the marginals under w g, in total variation, and of the logarithm.
        falling: whether g falls with N and rises with D, as of metrics' losses: that saves time.
    """
    if not sentences:
        raise ForestError("a corpus needs at least one sentence")
    if method not in get_args(CorpusMethod):
        raise ConfigError(f"unknown method {method!r} for a corpus: auto, expsum or fourier")
    if method != "fourier":
        found = minibatch_sum(sentences, log_g, tolerance, falling)
        if found is not None:
            return found
    law = tilted(sentences, lambda n, d: np.exp(log_g(n, d)))
    tolerance /= (
        2  # a relative error of g is wrong twice with a marginal: in its mass and the value
    )
    terms = None if method == "fourier" else _expsum_terms(law, tolerance)
    if terms is None and method == "expsum":
        raise ForestError(
            f"expsum cannot reach {tolerance:g} on {len(sentences)} sentences at once: take a "
            "smaller tau or fewer sentences, or the method fourier"
        )
    return _expectation(law, terms or _fourier_terms(law, tolerance))


def _moments(law: Tilted, plan: _core.TermPlan) -> Complexes:
    """The moments of every sentence [sentences, terms]."""
    return np.array(
        [_core.term_values(f.core, f.count_table, scores, plan) for f, scores in law.sentences]
    )


def _expectation(law: Tilted, terms: _Terms) -> CorpusSum:
    """The value of a sum and the sentences' masses."""
    sentences = law.sentences
    if len(sentences) * len(terms.coefficient) > MOST_VALUES:
        raise ForestError(
            f"{len(terms.coefficient):,} terms on {len(sentences):,} sentences do not fit in memory"
        )
    moments = _moments(law, terms.plan(terms.coefficient))
    others = _products_of_others(moments)
    masses = []
    value = float((terms.coefficient * others[0] * moments[0]).sum().real)
    for (forest, scores), other in zip(sentences, others, strict=True):
        share = terms.plan(terms.coefficient * other / value)
        compiled = _core.CompiledObjective("log-sum", plan=share)
        masses.append(_core.expectation(forest.core, forest.count_table, scores, compiled)[2])
    log_sum = law.log_scale + float(np.log(value))
    return CorpusSum(log_sum, masses, len(terms.coefficient), terms.error)


def _products_of_others(moments: Complexes) -> Complexes:
    """For each sentence the product of all other sentences' moments, without dividing by any."""
    ones = np.ones((1, moments.shape[1]), dtype=moments.dtype)
    before = np.concatenate((ones, np.cumprod(moments[:-1], axis=0)))
    after = np.concatenate((np.cumprod(moments[:0:-1], axis=0)[::-1], ones))
    return before * after


def _expsum_terms(law: Tilted, tolerance: float) -> _Terms | None:
    """A sum that is right on a likely range, and not too wrong for the mass outside of it."""
    sentences, g = law.sentences, law.rest
    steps = sum(forest.count_table.rounding_steps + 2 for forest, _ in sentences)
    bounds, tail = total_count_range(forest for forest, _ in sentences), tolerance
    tails = None if law.flat else TailBounds(sentences)
    for _ in range(MOST_RANGES):
        inner = bounds if tails is None else tails.likely_range(tail)
        fitted = expsum.fit(inner, g, tolerance / 2, True, steps, rounding_share=0.5)
        if fitted is None:
            break
        lost = 0.0 if inner == bounds else tail * fitted.largest_error(inner, bounds, g)
        error = fitted.error + fitted.rounding(steps) + lost
        if error <= tolerance:
            columns = (fitted.rate_n, fitted.rate_d, fitted.coefficient)
            rate_n, rate_d, coefficient = (column.astype(np.complex128) for column in columns)
            return _Terms(False, rate_n, rate_d, coefficient, error)
        tail *= tolerance / 8 / lost if lost < np.inf else 1e-30
    return None


def _fourier_terms(law: Tilted, tolerance: float) -> _Terms:
    sentences, g = law.sentences, law.rest
    bounds = total_count_range(forest for forest, _ in sentences)
    low, high = np.inf, 0.0
    for n, table in bounds.blocks(g):
        cells = table[bounds.allows(n, bounds.d)]
        low, high = min(low, cells.min(initial=np.inf)), max(high, cells.max(initial=0.0))
    if not low > 0:
        raise ForestError("a relative tolerance needs a positive function of the counts")
    inner = likely_range(sentences, tolerance * low / high / 2)
    rate_n, rate_d, coefficient = fourier_terms(inner.tabulate(g), inner.n_low, inner.d_low)
    return _Terms(True, rate_n, rate_d, coefficient, tolerance if inner != bounds else 0.0)
