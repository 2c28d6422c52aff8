"""Expectations of functions of a whole corpus's counts: the softmax-margin paper's appendix A.

The corpus's N and D are sums of independent sentence counts, so every exponential moment of them is
a product of sentence moments:

    E[exp(a N + b D)]  =  prod_s E_s[exp(a n + b d)].

With imaginary rates these are characteristic functions on a frequency grid (`fourier`); with real
rates, the terms of a short sum (`expsum`), whose number does not grow with the corpus, because
F depends on N, D and |Y| through their ratios alone.

g can range over many powers of ten, most of them where there is no mass. Both methods work on the
residual of g after its tangent plane is moved into the scores (`tilting`), and only where nearly
all mass is: there the residual is almost flat, however large the corpus. Minibatches bound the mass
by moments of the law (`minibatch`), larger corpora by a range that holds nearly all of it
(`tail_bounds`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from treewright import _core
from treewright.arrays import Complexes, Floats
from treewright.errors import ConfigError, ForestError
from treewright.forests.forest import Forest
from treewright.inference import expsum, minibatch
from treewright.inference.count_range import GridFunction, total_count_range
from treewright.inference.tail_bounds import TailBounds, fourier_terms, likely_range, term_plan
from treewright.inference.tilting import Tilted, tilted

Sentences = Sequence[tuple[Forest, Floats]]
CorpusMethod = Literal["expsum", "fourier"]
MOST_RANGES = 8  # likely ranges to try before expsum is given up
MOST_FITS = 3  # fits to try, each with a smaller error
MOST_VALUES = 100_000_000  # sentences times terms in memory, 16 bytes each


@dataclass(frozen=True, eq=False)
class CorpusExpectation:
    """log E[g(N, D)], E[g * uses] / E[g] for the parts of each sentence, and an error bound.

    `error` is relative to E[g]; for expsum it includes rounding.
    """

    log_value: float
    masses: list[Floats]
    terms: int
    error: float


@dataclass(frozen=True, eq=False)
class _Terms:
    """Exponentials whose weighted sum approximates g, and a bound on its error."""

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
    """Computes E[g(N, D)] over the sentences' derivations to a relative tolerance.

    Args:
        sentences: forests with counts, and their scores.
        g: a positive function of a column of N and a row of D.
        method: see the module's docstring.
        tolerance: relative to g.
    """
    if not sentences:
        raise ForestError("a corpus needs at least one sentence")
    makers = {"expsum": _expsum_terms, "fourier": _fourier_terms}
    if method not in makers:
        raise ConfigError(f"unknown method {method!r} for a corpus: expsum or fourier")
    law = tilted(sentences, g)
    if method == "expsum" and (found := _fitted(law, tolerance)) is not None:
        return found
    return _expectation(law, makers[method](law, tolerance))


def _fitted(law: Tilted, tolerance: float) -> CorpusExpectation | None:
    """Uses a sum fitted where the mass is; its error is checked against the value."""
    problem = None if law.flat else minibatch.problem(law)
    goal = minibatch.SHARE * tolerance
    for _ in range(MOST_FITS if problem is not None else 0):
        assert problem is not None
        if (fitted := problem.fit(goal)) is None:
            return None
        columns = (fitted.rate_n, fitted.rate_d, fitted.coefficient)
        rate_n, rate_d, coefficient = (column.astype(np.complex128) for column in columns)
        moments = _moments(law, term_plan(False, rate_n, rate_d, coefficient))
        shares = (coefficient * np.prod(moments, axis=0)).real
        value, steps = float(shares.sum()), minibatch.rounding_steps(law)
        rounding = float(np.abs(shares).sum()) * steps * expsum.UNIT_ROUNDOFF
        wrong = fitted.error + rounding
        if wrong <= tolerance * (value - wrong):
            error = wrong / (value - wrong)
            return _expectation(law, _Terms(False, rate_n, rate_d, coefficient, error), moments)
        goal *= min(0.8 * value, 0.5) if value > 0 else 0.1
    return None


def _moments(law: Tilted, plan: _core.TermPlan) -> Complexes:
    """The moments of each sentence [sentences, terms]."""
    return np.array(
        [_core.term_values(f.core, f.count_table, scores, plan) for f, scores in law.sentences]
    )


def _expectation(law: Tilted, terms: _Terms, moments: Complexes | None = None) -> CorpusExpectation:
    """The value of a sum and the sentences' masses; `moments` are computed unless given."""
    sentences = law.sentences
    if len(sentences) * len(terms.coefficient) > MOST_VALUES:
        raise ForestError(
            f"{len(terms.coefficient):,} terms on {len(sentences):,} sentences do not fit in memory"
        )
    if moments is None:
        moments = _moments(law, terms.plan(terms.coefficient))
    others = _products_of_others(moments)
    masses = []
    value = float((terms.coefficient * others[0] * moments[0]).sum().real)
    for (forest, scores), other in zip(law.sentences, others, strict=True):
        share = terms.plan(terms.coefficient * other / value)
        compiled = _core.CompiledObjective("log-sum", plan=share)
        masses.append(_core.expectation(forest.core, forest.count_table, scores, compiled)[2])
    log_value = law.log_scale + float(np.log(value))
    return CorpusExpectation(log_value, masses, len(terms.coefficient), terms.error)


def _products_of_others(moments: Complexes) -> Complexes:
    """For each sentence, the product of the other sentences' moments, without division."""
    ones = np.ones((1, moments.shape[1]), dtype=moments.dtype)
    before = np.concatenate((ones, np.cumprod(moments[:-1], axis=0)))
    after = np.concatenate((np.cumprod(moments[:0:-1], axis=0)[::-1], ones))
    return before * after


def _expsum_terms(law: Tilted, tolerance: float) -> _Terms:
    """A sum that is accurate on a likely range, and accurate enough on the mass outside it."""
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
    raise ForestError(
        f"expsum cannot reach {tolerance:g} on {len(sentences)} sentences at once: take a smaller "
        "tau or fewer sentences, or the method fourier"
    )


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
