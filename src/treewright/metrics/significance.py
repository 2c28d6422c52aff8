"""Paired significance tests on the counts of two systems that parsed the same sentences.

The tests only use counts: they resample sentences (paired bootstrap), swap the two systems'
sentences (approximate randomisation, Noreen 1989, Yeh 2000) or rank sentence scores (Wilcoxon's
signed ranks). All are two-sided. Both resampling tests recompute the corpus score from resampled
sums, and estimate p as (r + 1) / (k + 1) from the r of k samples that are at least as extreme as
what was observed. Samples are drawn in blocks, so memory does not grow with their number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ConfigError, TreewrightError
from treewright.metrics.counts import Counts, Metric, corpus_score, metric_named, sentence_scores

SAMPLES = 10_000
CONFIDENCE = 0.95
BLOCK_CELLS = 2**20  # samples x sentences in memory at once
DECIMALS = 12  # smaller differences between scores are due to rounding


@dataclass(frozen=True)
class Comparison:
    """The result of one test of system a against system b.

    `difference` is a's score minus b's: of corpus scores in the resampling tests, the mean over
    sentences in Wilcoxon's. `samples` is 0 for a test that draws none; `low` and `high` bound the
    difference with 95% confidence where the test gives an interval.
    """

    difference: float
    p_value: float
    test: str
    samples: int = 0
    low: float | None = None
    high: float | None = None


def compare(
    a: Counts, b: Counts, metric: str = "f1", samples: int = SAMPLES, seed: int = 0
) -> tuple[Comparison, Comparison, Comparison]:
    """All three tests: paired bootstrap, approximate randomisation, Wilcoxon."""
    return (
        paired_bootstrap(a, b, metric, samples, seed),
        approximate_randomisation(a, b, metric, samples, seed),
        wilcoxon(a, b, metric),
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values with Holm's correction for multiple comparisons (1979).

    The i-th smallest of m is multiplied by m - i + 1, and the order is preserved.
    """
    order, corrected, lowest = np.argsort(p_values, kind="stable"), [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order.tolist()):
        lowest = max(lowest, min(1.0, (len(p_values) - rank) * p_values[place]))
        corrected[place] = lowest
    return corrected


def paired_bootstrap(
    a: Counts, b: Counts, metric: str = "f1", samples: int = SAMPLES, seed: int = 0
) -> Comparison:
    """Resample sentences with replacement; p from the differences centred on the observed one."""
    observed = _observed(a, b, metric, samples)
    chosen = metric_named(metric)
    table_a, table_b = _table(a, chosen), _table(b, chosen)
    differences = np.concatenate(
        [
            _differences(chosen, weights @ table_a, weights @ table_b)
            for weights in _bootstrap_weights(len(a), samples, seed)
        ]
    )
    low, high = np.quantile(differences, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    p_value = _p_value(differences - observed, observed)
    return Comparison(observed, p_value, "paired bootstrap", samples, float(low), float(high))


def approximate_randomisation(
    a: Counts, b: Counts, metric: str = "f1", samples: int = SAMPLES, seed: int = 0
) -> Comparison:
    """Swap the systems' counts sentence by sentence, each with probability one half."""
    observed = _observed(a, b, metric, samples)
    chosen = metric_named(metric)
    table_a, table_b = _table(a, chosen), _table(b, chosen)
    sum_a, sum_b, gap = table_a.sum(axis=0), table_b.sum(axis=0), table_b - table_a
    differences = np.concatenate(
        [
            _differences(chosen, sum_a + swaps @ gap, sum_b - swaps @ gap)
            for swaps in _random_swaps(len(a), samples, seed)
        ]
    )
    p_value = _p_value(differences, observed)
    return Comparison(observed, p_value, "approximate randomisation", samples)


def wilcoxon(a: Counts, b: Counts, metric: str = "f1") -> Comparison:
    """Wilcoxon's signed-rank test on sentence scores; ties are dropped."""
    _check_paired(a, b)
    gaps = sentence_scores(a, metric) - sentence_scores(b, metric)
    # Differences that are mathematically equal must be equal here, to share a rank.
    gaps = np.round(gaps, DECIMALS)
    from scipy import stats  # imported here, because it takes half a second

    p_value = float(stats.wilcoxon(gaps, zero_method="wilcox").pvalue) if gaps.any() else 1.0
    return Comparison(float(gaps.mean()), p_value, "wilcoxon")


def _observed(a: Counts, b: Counts, metric: str, samples: int) -> float:
    _check_paired(a, b)
    if samples < 1:
        raise ConfigError(f"a resampling test needs at least one sample, not {samples}")
    return corpus_score(a, metric) - corpus_score(b, metric)


def _check_paired(a: Counts, b: Counts) -> None:
    if len(a) != len(b):
        raise TreewrightError(f"paired systems need the same sentences: {len(a)} against {len(b)}")
    if len(a) == 0:
        raise TreewrightError("there are no sentences to compare")


def _table(counts: Counts, metric: Metric) -> Floats:
    # Floats, for the matrix product; sums of counts are exact up to 2**53.
    return np.stack(metric.view(counts).columns(), axis=1).astype(np.float64)


def _differences(metric: Metric, sums_a: Floats, sums_b: Floats) -> Floats:
    return metric.formula(*sums_a.T) - metric.formula(*sums_b.T)


def _p_value(under_null: Floats, observed: float) -> float:
    extreme = np.abs(under_null) >= abs(observed) - 10.0**-DECIMALS
    return (int(extreme.sum()) + 1) / (len(under_null) + 1)


def _blocks(sentences: int, samples: int) -> Iterator[int]:
    size = max(1, BLOCK_CELLS // sentences)
    for start in range(0, samples, size):
        yield min(size, samples - start)


def _bootstrap_weights(sentences: int, samples: int, seed: int) -> Iterator[Floats]:
    # Blocks of (samples, sentences): how often each sentence was drawn; every row sums to
    # `sentences`. Counting draws is several times faster than drawing from the multinomial.
    rng = np.random.default_rng(seed)
    for size in _blocks(sentences, samples):
        draws = rng.integers(sentences, size=(size, sentences))
        draws += sentences * np.arange(size)[:, np.newaxis]
        weights = np.bincount(draws.ravel(), minlength=size * sentences)
        yield weights.reshape(size, sentences).astype(np.float64)


def _random_swaps(sentences: int, samples: int, seed: int) -> Iterator[Floats]:
    # Blocks of (samples, sentences) of fair coins.
    rng = np.random.default_rng(seed)
    for size in _blocks(sentences, samples):
        yield (rng.random((size, sentences)) < 0.5).astype(np.float64)
