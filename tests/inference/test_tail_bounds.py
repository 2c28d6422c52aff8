"""Windows of the counts: what they leave out is known, and they are small where the law is."""

import math
from functools import reduce
from operator import add
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brute import Brute
from tests.checks import Floats, law_of_sum, log_expectation, weighted, with_counts
from tests.strategies import FAMILIES, forbidding, plain, random_model, wide
from treewright.forests import Forest, Grammar, chart
from treewright.inference import counts, plans
from treewright.inference.count_range import CountRange, count_range_of
from treewright.inference.tail_bounds import likely_range

TAILS = st.sampled_from([1.0, 0.3, 1e-2, 1e-4, 1e-8, 1e-12])


def outside(inner: CountRange, bounds: CountRange, law: Floats) -> float:
    """The mass of a law on `bounds` that lies outside `inner`."""
    assert bounds.n_low <= inner.n_low <= inner.n_high <= bounds.n_high
    assert bounds.d_low <= inner.d_low <= inner.d_high <= bounds.d_high
    rows = (bounds.n < inner.n_low) | (bounds.n > inner.n_high)
    columns = (bounds.d < inner.d_low) | (bounds.d > inner.d_high)
    return math.fsum(law[rows | columns])


def concentrated(words: int, peak: float) -> tuple[Forest, Floats]:
    """A chart of all binary trees; the right-branching one is correct and has the high scores."""
    entries = [(word, 0) for word in range(words)]
    built = chart(Grammar.of(1, [(0, 0, 0)]), words, entries, goal=0)
    assert built is not None
    _, _, split, end = built.parts.T
    rule, begin = built.parts[:, 0] >= 0, built.parts[:, 1]
    right = (rule & (split == begin + 1) & (end == words)).astype(int)
    forest = with_counts(built.forest, right, rule + rule * (end - begin == 2), words)
    return forest, peak * right


@settings(max_examples=60)
@given(weighted(plain, wide, forbidding), TAILS)
def test_at_most_the_tail_is_outside(model: Brute, tail: float) -> None:
    bounds = count_range_of(model.forest)
    inner = likely_range([(model.forest, model.scores)], tail)
    law = model.law_table(*model.count_range())
    assert outside(inner, bounds, law) <= tail * (1 + 1e-9)
    assert inner.n_within_d == bounds.n_within_d


@pytest.mark.parametrize("family", sorted(FAMILIES))
@pytest.mark.parametrize("sentences", [2, 3, 4])
def test_several_sentences(sentences: int, family: str) -> None:
    for seed in range(5):
        random = Random(seed)
        together = [random_model(random, (plain,), family, True, 150) for _ in range(sentences)]
        bounds, law = law_of_sum(together)
        for tail in (0.5, 1e-2, 1e-6):
            inner = likely_range([(model.forest, model.scores) for model in together], tail)
            assert outside(inner, bounds, law) <= tail * (1 + 1e-9)


def test_peaked_models_have_small_windows() -> None:
    forest, scores = concentrated(words=12, peak=6.0)
    bounds, law = count_range_of(forest), counts.law(forest, scores)
    inner = likely_range([(forest, scores)], 1e-6)
    assert outside(inner, bounds, law.p) <= 1e-6
    assert math.prod(inner.shape) < 0.7 * math.prod(bounds.shape)
    flat = likely_range([(forest, 0 * scores)], 1e-6)
    assert flat.n_low == bounds.n_low
    assert inner.n_high == bounds.n_high
    assert inner.n_low > flat.n_low


def test_one_derivation_leaves_one_cell() -> None:
    forest, scores = concentrated(words=12, peak=200.0)
    assert likely_range([(forest, scores)], 1e-3).shape == (1, 1)
    forbidden = np.where(scores > 0, scores, -math.inf)
    forbidden[:12] = 0.0  # the words
    assert likely_range([(forest, forbidden)], 1e-3).shape == (1, 1)


def test_smaller_tails_have_larger_windows() -> None:
    forest, scores = concentrated(words=12, peak=3.0)
    tails = [10.0**-k for k in range(1, 40)]
    sizes = [math.prod(likely_range([(forest, scores)], tail).shape) for tail in tails]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1] == math.prod(count_range_of(forest).shape)


@settings(max_examples=40)
@given(weighted())
def test_extreme_tails_keep_the_whole_count_range(model: Brute) -> None:
    assert likely_range([(model.forest, model.scores)], 1e-300) == count_range_of(model.forest)


@pytest.mark.parametrize("tail", [2.0, 4.0, 500.0])
def test_a_tail_of_more_than_everything_leaves_a_window(tail: float) -> None:
    forest, scores = concentrated(words=6, peak=1.0)
    inner = likely_range([(forest, scores)], tail)
    assert min(inner.shape) >= 1


def test_a_tolerance_far_above_g_leaves_a_window() -> None:
    forest, scores = concentrated(words=6, peak=1.0)
    found = counts.expectation(forest, scores, lambda n, d: 1e-6 * (n + d), "fourier", 1e-2)
    assert abs(found.value) <= 1e-2


def test_many_sentences_concentrate() -> None:
    """The range of k equal sentences grows like the root of k, their bounds like k."""
    forest, scores = concentrated(words=6, peak=1.0)
    few, many = (likely_range([(forest, scores)] * k, 1e-6).shape for k in (50, 200))
    whole = reduce(add, [count_range_of(forest)] * 200).shape
    assert many[0] < whole[0] / 2
    assert many[0] < 2.5 * few[0]
    assert many[1] < 2.5 * few[1]


@pytest.mark.parametrize("relative", [False, True])
def test_fourier_takes_fewer_frequencies_where_it_may(relative: bool) -> None:
    forest, scores = concentrated(words=12, peak=6.0)
    table = count_range_of(forest).tabulate(lambda n, d: np.exp(1 - 2 * n / (d + 12)))
    whole = plans.make(forest, table, "fourier", 1e-4, relative)
    folded = plans.make(forest, table, "fourier", 1e-4, relative, scores)
    assert whole.error == 0 < folded.error <= 1e-4
    assert folded.terms < 0.7 * whole.terms
    for tolerance in (1e-2, 1e-4, 1e-9):
        found = log_expectation(
            forest, scores, lambda n, d: 1 - 2 * n / (d + 12), "fourier", tolerance
        )
        exact = log_expectation(forest, scores, lambda n, d: 1 - 2 * n / (d + 12), "split")
        assert found.error <= tolerance
        assert found.value == pytest.approx(exact.value, abs=tolerance)
        np.testing.assert_allclose(found.masses, exact.masses, atol=tolerance)
