"""Short sums of exponentials: certificates recomputed from rates and coefficients alone."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from treewright.inference import expsum
from treewright.inference.count_range import CountRange, GridFunction
from treewright.inference.expsum import CERTIFIED, MAX_TERMS, ExpSum
from treewright.metrics.counts import f_measure, precision, recall

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
METRICS = {
    "precision": precision,
    "recall": recall,
    "f1": f_measure,
    "f2": lambda n, d, y: f_measure(n, d, y, beta=2.0),
    "f0.5": lambda n, d, y: f_measure(n, d, y, beta=0.5),
}


def weight(metric: str, tau: float, size: int) -> GridFunction:
    """exp(tau * (1 - metric)): what softmax-margin needs."""
    return lambda n, d: np.exp(tau * (1 - METRICS[metric](n, d, size)))


def ccg_like(words: int) -> CountRange:
    """Between words - 1 and half as many more dependencies, any number of them right."""
    return CountRange(0, words - 1, words - 1, words - 1 + words // 2, n_within_d=True)


def terms(found: ExpSum, n: Counts, d: Counts) -> Floats:
    """Every term at every pair of a column of n and a row of d, [rows, columns, terms]."""
    exponent = n[:, :, None] * found.rate_n + d[:, :, None] * found.rate_d
    return found.coefficient * np.exp(exponent)


def assert_certified(
    found: ExpSum | None,
    bounds: CountRange,
    g: GridFunction,
    n: Counts,
    d: Counts,
    relative: bool = True,
) -> None:
    """The error and the condition that a sum claims are true on these cells."""
    assert found is not None
    inside = (n <= d) | (not bounds.n_within_d)
    table = np.where(inside, g(n, d), 1.0)
    each = np.where(inside[:, :, None], terms(found, n, d), 0.0)
    scale = np.abs(table) if relative else np.ones_like(table)
    largest = np.abs(found.rate_n).max() * n.max() + np.abs(found.rate_d).max() * d.max()
    slack = (100 + 4 * largest) * found.condition * 2.0**-53  # this sum's own rounding
    wrong = np.where(inside, np.abs(each.sum(axis=2) - table) / scale, 0.0)
    assert wrong.max() <= found.error * (1 + 1e-6) + slack
    assert (np.abs(each).sum(axis=2) / scale).max() <= found.condition * (1 + 1e-6)


def everywhere(bounds: CountRange) -> tuple[Counts, Counts]:
    return bounds.n, bounds.d


def scattered(bounds: CountRange, how_many: int = 500, seed: int = 0) -> tuple[Counts, Counts]:
    """The ends of the count range, their neighbours, and random values between them."""
    random = np.random.default_rng(seed)

    def values(low: int, high: int) -> Counts:
        ends = [low, low + 1, low + 2, high - 2, high - 1, high]
        return np.concatenate([ends, random.integers(low, high + 1, how_many)])

    return values(bounds.n_low, bounds.n_high)[:, None], values(bounds.d_low, bounds.d_high)[
        None, :
    ]


# Certificates


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("tau", [-1.0, 1.0, 5.0])
@pytest.mark.parametrize("metric", sorted(METRICS))
def test_certificates_of_metrics(metric: str, tau: float, tolerance: float) -> None:
    bounds, g = ccg_like(30), weight(metric, tau, 29)
    found = expsum.fit(bounds, g, tolerance, rounding_steps=1000)
    if found is None:  # rounding stands in the way
        assert (tau, tolerance) == (5.0, 1e-8)
        return
    assert_certified(found, bounds, g, *everywhere(bounds))
    assert found.error + found.condition * 1000 * expsum.UNIT_ROUNDOFF <= tolerance


@settings(max_examples=80)
@given(
    st.sampled_from(sorted(METRICS)),
    st.tuples(*[st.integers(0, 12)] * 4),
    st.booleans(),
    st.booleans(),
    st.sampled_from([1e-1, 1e-3, 1e-6]),
    st.sampled_from([-3.0, 0.2, 2.0]),
)
def test_certificates_of_any_count_range(
    metric: str,
    corner: tuple[int, int, int, int],
    within: bool,
    relative: bool,
    tolerance: float,
    tau: float,
) -> None:
    n_low, rows, above, columns = corner
    bounds = CountRange(n_low, n_low + rows, n_low + above, n_low + above + rows + columns, within)
    g = weight(metric, tau, 20)
    found = expsum.fit(bounds, g, tolerance, relative, 500)
    if found is not None:
        assert_certified(found, bounds, g, *everywhere(bounds), relative)
        assert found.error <= tolerance


@pytest.mark.parametrize("metric", ["f1", "f2", "recall"])
@pytest.mark.parametrize("low", [1, 3000])
def test_certificates_of_large_boxes(metric: str, low: int) -> None:
    """Checked on fewer values than there are; a tenth of a percent is for those in between."""
    bounds, g = CountRange(0, 4999, low, low + 4999, n_within_d=True), weight(metric, 1.0, 3000)
    assert min(bounds.shape) > 4 * CERTIFIED
    found = expsum.fit(bounds, g, 1e-4, rounding_steps=1e4)
    assert found is not None
    assert found.error <= 1e-4
    kept = ExpSum(
        found.rate_n, found.rate_d, found.coefficient, 1.001 * found.error, 1.001 * found.condition
    )
    assert_certified(kept, bounds, g, *scattered(bounds))


@pytest.mark.parametrize("cell", [(2600, 2600), (1, 2), (4001, 4003)])
def test_a_spike_in_a_large_box_is_not_certified(cell: tuple[int, int]) -> None:
    """What no checked cell shows must not be promised."""
    bounds = CountRange(0, 4999, 0, 4999, n_within_d=True)

    def g(n: Counts, d: Counts) -> Floats:
        return np.where((n == cell[0]) & (d == cell[1]), math.e, 1.0)

    found = expsum.fit(bounds, g, 1e-4)
    if found is not None:
        assert_certified(found, bounds, g, np.array([[cell[0]]]), np.array([[cell[1]]]))


def test_rounding_counts_towards_the_tolerance() -> None:
    """The more a sweep rounds, the less may the terms cancel."""
    bounds, g = ccg_like(20), weight("f1", 5.0, 19)
    for steps in (0.0, 1e3, 1e6, 1e9):
        found = expsum.fit(bounds, g, 1e-6, rounding_steps=steps)
        if found is not None:
            assert found.error + found.condition * steps * expsum.UNIT_ROUNDOFF <= 1e-6
    assert expsum.fit(bounds, g, 1e-6, rounding_steps=1e12) is None
    assert expsum.fit(bounds, g, 1e-6) is not None


# Lengths


@pytest.mark.parametrize("words", [10, 15, 20, 30, 40, 60, 80])
def test_f1_takes_one_group_of_terms(words: int) -> None:
    found = expsum.fit(ccg_like(words), weight("f1", 1.0, words - 1), 1e-4, rounding_steps=2000)
    assert found is not None
    assert found.terms <= 16


@pytest.mark.parametrize("words", [10, 40, 80])
def test_steeper_weights_take_more(words: int) -> None:
    found = expsum.fit(ccg_like(words), weight("f1", 5.0, words - 1), 1e-4, rounding_steps=2000)
    assert found is not None
    assert found.terms <= 32


def test_the_terms_do_not_grow_with_the_corpus() -> None:
    """F depends on ratios alone."""
    for sentences in (1, 10, 100):
        bounds = CountRange(0, 19 * sentences, 19 * sentences, 29 * sentences, n_within_d=True)
        found = expsum.fit(bounds, weight("f1", 1.0, 19 * sentences), 1e-4, rounding_steps=1e4)
        assert found is not None
        assert found.terms <= 16


@pytest.mark.parametrize(
    ("bounds", "terms_at_most"),
    [
        (CountRange(3, 3, 7, 7), 1),
        (CountRange(0, 9, 7, 7), 32),
        (CountRange(3, 3, 7, 20), 32),
    ],
)
def test_thin_boxes(bounds: CountRange, terms_at_most: int) -> None:
    for relative in (True, False):
        g = weight("f1", 2.0, 9)
        found = expsum.fit(bounds, g, 1e-6, relative, 100)
        assert_certified(found, bounds, g, *everywhere(bounds), relative)
        assert len(found.coefficient) <= terms_at_most


@pytest.mark.parametrize("how_many", [50, 300, 800, 2000])
@pytest.mark.parametrize("tau", [1.0, 5.0])
def test_boxes_far_from_the_origin(how_many: int, tau: float) -> None:
    """Few values of d, and all of them large: terms may not leave the range of numbers."""
    bounds = CountRange(how_many - 40, how_many, how_many, how_many + 1, n_within_d=True)
    g = weight("f1", tau, how_many)
    found = expsum.fit(bounds, g, 1e-4, rounding_steps=1e4)
    if found is not None:
        assert_certified(found, bounds, g, *everywhere(bounds))
        assert np.abs(found.rate_d).max() * bounds.d_high < 700
        assert np.abs(found.rate_n).max() * bounds.n_high < 700


# What cannot be fitted


def hopeless() -> dict[str, GridFunction]:
    def noise(n: Counts, d: Counts) -> Floats:
        return 1.5 + np.sin(12.9898 * n + 78.233 * d + n * d * 1.37)

    def spike(n: Counts, d: Counts) -> Floats:
        return np.where((n == 10) & (d == 21), math.e, 1.0)

    def rough(n: Counts, d: Counts) -> Floats:
        return np.exp(300 * np.sin(1.7 * n * d))

    return {"noise": noise, "spike": spike, "rough": rough}


@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("name", sorted(hopeless()))
def test_a_hopeless_function_gives_none(name: str, relative: bool) -> None:
    assert expsum.fit(CountRange(0, 20, 20, 40), hopeless()[name], 1e-4, relative) is None


@pytest.mark.parametrize("tau", [1.0, 5.0])
@pytest.mark.parametrize("low", [0, 1])
def test_precision_of_next_to_nothing(low: int, tau: float) -> None:
    """Its slopes are those of 1 / d: steep at one end. Any answer but a crash or a lie will do."""
    bounds, g = CountRange(0, 60, low, 60, n_within_d=True), weight("precision", tau, 30)
    found = expsum.fit(bounds, g, 1e-4, rounding_steps=1000)
    if found is not None:
        assert_certified(found, bounds, g, *everywhere(bounds))


@pytest.mark.parametrize("tolerance", [1e-15, 1e-18])
def test_tolerances_below_rounding_give_none(tolerance: float) -> None:
    found = expsum.fit(ccg_like(20), weight("f1", 1.0, 19), tolerance, rounding_steps=1000)
    assert found is None


def test_never_more_than_the_most_terms() -> None:
    for tolerance in (1e-3, 1e-6, 1e-9, 1e-11):
        found = expsum.fit(ccg_like(30), weight("precision", 5.0, 29), tolerance)
        assert found is None or found.terms <= MAX_TERMS
