"""The paired tests against plain references, exhaustive enumeration, scipy and the null."""

import tracemalloc
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from treewright.errors import ConfigError, TreewrightError
from treewright.metrics import significance
from treewright.metrics.counts import Counts, corpus_score, sentence_scores
from treewright.metrics.significance import (
    Comparison,
    approximate_randomisation,
    compare,
    paired_bootstrap,
    wilcoxon,
)

METRICS = ["precision", "recall", "f1", "f0.5", "exact"]
RESAMPLING = [paired_bootstrap, approximate_randomisation]


def system(rng: np.random.Generator, due: np.ndarray, quality: float) -> Counts:
    """A system that finds each due item with probability `quality`, and adds some wrong ones."""
    correct = rng.binomial(due, quality)
    return Counts(correct, correct + rng.poisson(2 * (1 - quality), due.size), due)


def two_systems(seed: int, sentences: int, first: float, second: float) -> tuple[Counts, Counts]:
    rng = np.random.default_rng(seed)
    due = rng.integers(1, 8, sentences)
    return system(rng, due, first), system(rng, due, second)


def pairs(fewest: int) -> st.SearchStrategy[tuple[Counts, Counts]]:
    sizes = st.integers(fewest, fewest + 20)
    return st.builds(two_systems, st.integers(0, 2**32), sizes, st.just(0.7), st.just(0.6))


@settings(deadline=None)
@given(pairs(1), st.sampled_from(METRICS))
def test_identical_systems_give_p_of_one(pair: tuple[Counts, Counts], metric: str) -> None:
    a, _ = pair
    for result in compare(a, a, metric, samples=50):
        assert (result.difference, result.p_value) == (0, 1)
        assert result.low in (None, 0)
        assert result.high in (None, 0)


@settings(deadline=None)
@given(pairs(14), st.sampled_from(METRICS), st.integers(0, 9))  # scipy enumerates up to 13: slow
def test_exchanging_the_systems_only_changes_the_sign(
    pair: tuple[Counts, Counts], metric: str, seed: int
) -> None:
    a, b = pair
    forth = compare(a, b, metric, 60, seed)
    back = compare(b, a, metric, 60, seed)
    for one, other in zip(forth, back, strict=True):
        assert one.difference == pytest.approx(-other.difference, abs=1e-15)
        assert one.p_value == pytest.approx(other.p_value)
    bounds = forth[0].low, forth[0].high
    mirrored = back[0].high, back[0].low
    assert bounds == pytest.approx(tuple(-bound for bound in mirrored if bound is not None))


@pytest.mark.parametrize("metric", METRICS)
def test_a_clear_difference_is_significant(metric: str) -> None:
    a, b = two_systems(5, 300, 0.9, 0.7)
    bootstrap, randomisation, ranks = compare(a, b, metric, samples=999, seed=3)
    for result in (bootstrap, randomisation, ranks):
        assert result.difference > 0
        assert result.p_value < 0.01
    assert bootstrap.low is not None
    assert bootstrap.high is not None
    assert 0 < bootstrap.low < bootstrap.difference < bootstrap.high


def test_the_names_and_the_difference_that_each_test_reports() -> None:
    a, b = two_systems(6, 50, 0.9, 0.7)
    bootstrap, randomisation, ranks = compare(a, b, "recall", samples=20, seed=4)
    corpus = corpus_score(a, "recall") - corpus_score(b, "recall")
    mean = np.mean(sentence_scores(a, "recall") - sentence_scores(b, "recall"))
    assert (bootstrap.test, bootstrap.samples, bootstrap.difference) == (
        "paired bootstrap",
        20,
        corpus,
    )
    assert (randomisation.test, randomisation.samples, randomisation.difference) == (
        "approximate randomisation",
        20,
        corpus,
    )
    assert (ranks.test, ranks.samples) == ("wilcoxon", 0)
    assert ranks.difference == pytest.approx(mean)


@pytest.mark.parametrize("test", RESAMPLING)
def test_no_p_value_is_below_one_in_samples_plus_one(test: Callable[..., Comparison]) -> None:
    a, b = Counts.of_rows([(5, 5, 5)] * 60), Counts.of_rows([(1, 5, 5)] * 59 + [(2, 5, 5)])
    assert test(a, b, "f1", samples=99).p_value == 1 / 100


@pytest.mark.parametrize("test", [*RESAMPLING, wilcoxon])
def test_under_the_null_p_values_are_roughly_uniform(test: Callable[..., Comparison]) -> None:
    trials = 500
    options = {} if test is wilcoxon else {"samples": 400}
    p_values = np.array(
        [test(*two_systems(seed, 150, 0.8, 0.8), "f1", **options).p_value for seed in range(trials)]
    )
    for level in (0.05, 0.25, 0.5):
        fewest, most = stats.binom.interval(0.998, trials, level)
        assert fewest <= np.count_nonzero(p_values <= level) <= most


@pytest.mark.parametrize("metric", METRICS)
def test_bootstrap_matches_a_plain_loop(monkeypatch: pytest.MonkeyPatch, metric: str) -> None:
    samples, sentences, seed = 150, 40, 11
    monkeypatch.setattr(significance, "BLOCK_CELLS", 7 * sentences)
    a, b = two_systems(8, sentences, 0.75, 0.7)
    rng = np.random.default_rng(seed)
    differences = []
    for _ in range(samples):
        draw = rng.integers(sentences, size=sentences)
        differences.append(
            corpus_score(a.subset(draw), metric) - corpus_score(b.subset(draw), metric)
        )
    observed = corpus_score(a, metric) - corpus_score(b, metric)
    extreme = sum(abs(each - observed) >= abs(observed) for each in differences)
    result = paired_bootstrap(a, b, metric, samples, seed)
    assert result.p_value == (extreme + 1) / (samples + 1)
    assert 0.02 < result.p_value < 0.98
    assert (result.low, result.high) == pytest.approx(
        tuple(np.percentile(differences, [2.5, 97.5]))
    )


def exhaustive_p_value(a: Counts, b: Counts, metric: str) -> float:
    observed = abs(corpus_score(a, metric) - corpus_score(b, metric))
    both = list(zip(a.rows(), b.rows(), strict=True))
    extreme = 0
    for swaps in product((False, True), repeat=len(both)):
        first = Counts.of_rows(pair[swap] for pair, swap in zip(both, swaps, strict=True))
        second = Counts.of_rows(pair[not swap] for pair, swap in zip(both, swaps, strict=True))
        difference = corpus_score(first, metric) - corpus_score(second, metric)
        extreme += abs(difference) >= observed - 1e-12
    return float(extreme / 2 ** len(both))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", [21, 22])
def test_randomisation_matches_exhaustive_enumeration(metric: str, seed: int) -> None:
    samples = 40_000
    a, b = two_systems(seed, 8, 0.8, 0.6)
    exact = exhaustive_p_value(a, b, metric)
    error = 4 * np.sqrt(exact * (1 - exact) / samples) + 1 / samples
    assert abs(approximate_randomisation(a, b, metric, samples, seed).p_value - exact) < error


def test_randomisation_swaps_with_a_fair_coin() -> None:
    a, b = Counts.of_rows([(5, 5, 5)] * 8), Counts.of_rows([(1, 5, 5)] * 8)
    none_or_all = 2 / 2**8
    p_value = approximate_randomisation(a, b, "f1", samples=100_000, seed=1).p_value
    assert p_value == pytest.approx(none_or_all, abs=4 * np.sqrt(none_or_all / 100_000))


def test_randomisation_counts_differences_that_are_equal_on_paper() -> None:
    # 1/3 - 3/5 = 2/5 - 2/3, but not in floating point: every swap is as extreme as none.
    a, b = Counts.of_rows([(1, 1, 3), (0, 2, 3)]), Counts.of_rows([(2, 3, 3), (1, 2, 3)])
    assert abs(1 / 3 - 3 / 5) > abs(2 / 5 - 2 / 3)
    assert approximate_randomisation(a, b, "precision", samples=200).p_value == 1


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("sentences", [10, 40, 400])
def test_wilcoxon_equals_scipy(metric: str, sentences: int) -> None:
    a, b = two_systems(sentences, sentences, 0.8, 0.7)
    gaps = np.round(sentence_scores(a, metric) - sentence_scores(b, metric), 12)
    direct = stats.wilcoxon(gaps, zero_method="wilcox")
    assert np.count_nonzero(gaps == 0) > 0
    assert wilcoxon(a, b, metric).p_value == direct.pvalue


def test_wilcoxon_gives_equal_differences_equal_ranks() -> None:
    rng = np.random.default_rng(31)
    ten = np.full(60, 10)
    first, second = rng.integers(0, 11, (2, 60))
    in_tenths = stats.wilcoxon(first - second, zero_method="wilcox").pvalue
    a, b = Counts(first, ten, ten), Counts(second, ten, ten)
    assert wilcoxon(a, b, "precision").p_value == pytest.approx(in_tenths, rel=1e-12)


@pytest.mark.parametrize("test", RESAMPLING)
def test_results_follow_the_seed_and_not_the_blocks(
    monkeypatch: pytest.MonkeyPatch, test: Callable[..., Comparison]
) -> None:
    a, b = two_systems(9, 50, 0.75, 0.7)
    one = test(a, b, "f1", samples=300, seed=1)
    assert test(a, b, "f1", samples=300, seed=2) != one
    monkeypatch.setattr(significance, "BLOCK_CELLS", 1)
    assert test(a, b, "f1", samples=300, seed=1) == one


@pytest.mark.parametrize("test", RESAMPLING)
def test_memory_is_bounded_by_the_block(
    monkeypatch: pytest.MonkeyPatch, test: Callable[..., Comparison]
) -> None:
    a, b = two_systems(10, 500, 0.75, 0.7)
    monkeypatch.setattr(significance, "BLOCK_CELLS", 2**13)
    tracemalloc.start()
    test(a, b, "f1", samples=4000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1_000_000  # all samples at once would hold 16 MB of weights


def test_compare_runs_each_test_with_its_settings() -> None:
    a, b = two_systems(12, 60, 0.75, 0.7)
    assert compare(a, b, "recall", 70, 5) == (
        paired_bootstrap(a, b, "recall", 70, 5),
        approximate_randomisation(a, b, "recall", 70, 5),
        wilcoxon(a, b, "recall"),
    )


@pytest.mark.parametrize("test", [*RESAMPLING, wilcoxon])
def test_systems_must_share_their_sentences(test: Callable[..., Comparison]) -> None:
    one, two = Counts.of_rows([(1, 1, 1)]), Counts.of_rows([(1, 1, 1)] * 2)
    with pytest.raises(TreewrightError, match="1 against 2"):
        test(one, two)
    with pytest.raises(TreewrightError, match="no sentences"):
        test(Counts.of_rows([]), Counts.of_rows([]))


@pytest.mark.parametrize("test", RESAMPLING)
def test_a_resampling_test_needs_samples(test: Callable[..., Comparison]) -> None:
    one = Counts.of_rows([(1, 1, 1)])
    with pytest.raises(ConfigError, match="at least one sample"):
        test(one, one, samples=0)


def test_holms_correction() -> None:
    """By hand: 4 * 0.005, 3 * 0.01, 2 * 0.03, and 0.04 rises to the one before it."""
    assert significance.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert significance.holm([0.9, 0.8]) == [1.0, 1.0]
    assert significance.holm([]) == []
