"""The law of the counts and expectations under it, by every method, against enumeration."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brute import Brute
from tests.checks import (
    assert_close,
    central_differences,
    expected,
    log_expectation,
    random_tagging,
    rounding,
    seeded,
    weighted,
    with_counts,
)
from tests.strategies import (
    FAMILIES,
    forbidding,
    plain,
    random_model,
    random_scores,
    whole,
    wide,
)
from treewright.errors import ConfigError, ForestError
from treewright.forests import ForestBuilder
from treewright.inference import counts, exact, plans
from treewright.inference.count_range import GridFunction
from treewright.inference.plans import Method

EVERY = settings(max_examples=40)
EXACT: tuple[Method, ...] = ("split", "sliced", "fourier")
FUNCTIONS: dict[str, GridFunction] = {
    "smooth": lambda n, d: np.sin(0.4 * n) + 0.1 * d,
    "delta": lambda n, d: 1.0 * ((n == 2) & (d == 4)),
    "negative": lambda n, d: -np.sqrt(1.0 + n) * (2.0 + d),
    "constant": lambda _n, _d: np.array(2.5),
    "zero": lambda _n, _d: np.array(0.0),
    "exponential": lambda n, d: np.exp(0.3 * d - 0.2 * n),
    "almost exponential": lambda n, d: np.exp(0.1 * d - 0.2 * n) + 1e-6 * n * n,
}


def by_name(family: str, seed: int, most: int = 200) -> Brute:
    return random_model(Random(seed), (plain,), family, counts=True, most=most)


def f1_loss(model: Brute, tau: float) -> GridFunction:
    """tau (1 - F1); the size due is at least 1, so that no cell is 0/0."""
    size = max(1, model.forest.gold_size or 0)
    return lambda n, d: tau * (1 - 2 * n / (d + size))


# The law


@EVERY
@given(weighted(plain, whole, wide, forbidding))
def test_law(model: Brute) -> None:
    bounds = model.count_range()
    for method in (*EXACT, "auto"):
        law = counts.law(model.forest, model.scores, method)
        assert (law.bounds.n_low, law.bounds.n_high, law.bounds.d_low, law.bounds.d_high) == bounds
        assert_close(law.p, model.law_table(*bounds), rounding(model))
        assert np.all(law.p >= 0)
        assert law.p.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_law_expects(family: str) -> None:
    for seed in range(5):
        model = by_name(family, seed)
        law = counts.law(model.forest, model.scores)
        for g in FUNCTIONS.values():
            assert_close(law.expect(g), expected(model, g)[0], 1e-12)


# Expectations


@EVERY
@given(weighted(plain, whole, wide, forbidding))
def test_expectation(model: Brute) -> None:
    tolerance = 1e-9 + 10 * rounding(model)
    for g in FUNCTIONS.values():
        value, masses, gradient = expected(model, g)
        for method in (*EXACT, "auto"):
            found = counts.expectation(model.forest, model.scores, g, method)
            assert_close(found.value, value, tolerance)
            assert_close(found.masses, masses, tolerance)
            assert_close(found.gradient, gradient, tolerance)
            assert method in (found.method, "auto")
            assert found.error <= 1e-9


@pytest.mark.parametrize("method", [*EXACT, "auto", "expsum"])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_gradient_is_that_of_differences(family: str, method: Method) -> None:
    model = by_name(family, 3)
    for name in ("smooth", "exponential") if method == "expsum" else sorted(FUNCTIONS):
        g = FUNCTIONS[name]

        def value(scores: np.ndarray, g: GridFunction = g) -> float:
            return counts.expectation(model.forest, scores, g, method).value

        found = counts.expectation(model.forest, model.scores, g, method)
        assert_close(found.gradient, central_differences(value, model.scores), 1e-7)


@pytest.mark.parametrize("tau", [-1, 0.5, 1, 5])
@settings(max_examples=20)
@given(weighted(plain, forbidding))
def test_log_expectation(tau: float, model: Brute) -> None:
    log_g = f1_loss(model, tau)
    value, masses, _ = expected(model, lambda n, d: np.exp(log_g(n, d)))
    found = {m: log_expectation(model.forest, model.scores, log_g, m) for m in EXACT}
    for result in found.values():
        assert result.value == pytest.approx(math.log(value), abs=1e-9)
        assert_close(result.gradient, masses / value - model.part_marginals(), 1e-9)
        assert_close(result.masses, masses, 1e-9)
        assert math.exp(result.value - found["split"].value) == pytest.approx(1, rel=1e-9)


@EVERY
@given(seeded(lambda random: random_model(random, (forbidding,), counts=True, most=200)))
def test_forbidden_parts_have_no_mass(model: Brute) -> None:
    if not model.weighted:
        with pytest.raises(ForestError, match="no derivation has weight"):
            counts.expectation(model.forest, model.scores, FUNCTIONS["smooth"])
        return
    for method in EXACT:
        found = counts.expectation(model.forest, model.scores, FUNCTIONS["exponential"], method)
        assert np.all(found.masses[np.isneginf(model.scores)] == 0)
        assert np.all(np.isfinite(found.gradient))


@pytest.mark.parametrize("method", EXACT)
def test_nothing_has_weight(method: Method) -> None:
    model = by_name("chart", 1)
    nothing = np.full(model.forest.parts, -math.inf)
    with pytest.raises(ForestError, match="no derivation has weight"):
        counts.law(model.forest, nothing, method)
    with pytest.raises(ForestError, match="no derivation has weight"):
        counts.expectation(model.forest, nothing, FUNCTIONS["smooth"], method)


# Counts that do not vary


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("vary", ["n", "d", "neither"])
def test_a_count_may_be_constant(vary: str, seed: int) -> None:
    random = Random(seed)
    forest, emission = random_tagging(random)
    bits = np.array([random.randint(0, 1) for _ in range(forest.parts)])
    n = bits * emission if vary == "n" else emission
    d = bits + emission if vary == "d" else emission
    model = Brute(with_counts(forest, n, d, 9), random_scores(random, forest.parts))
    bounds = model.count_range()
    assert bounds[0] == bounds[1] or vary == "n"
    assert bounds[2] == bounds[3] or vary == "d"
    for name, g in FUNCTIONS.items():
        value, _, gradient = expected(model, g)
        for method in (*EXACT, "auto", *(("expsum",) if name != "delta" else ())):
            found = counts.expectation(model.forest, model.scores, g, method)
            assert_close(found.value, value, 1e-9)
            assert_close(found.gradient, gradient, 1e-8)
    log_g = f1_loss(model, 2.0)
    weight = expected(model, lambda n, d: np.exp(log_g(n, d)))[0]
    for method in (*EXACT, "auto", "expsum"):
        found = log_expectation(model.forest, model.scores, log_g, method, 1e-8)
        assert found.value == pytest.approx(math.log(weight), abs=2e-8)


# Functions that are not finite everywhere


@EVERY
@given(weighted(plain, forbidding))
def test_impossible_cells_do_not_matter(model: Brute) -> None:
    """No part has n > d, so g need not be defined there."""

    def log_g(n: np.ndarray, d: np.ndarray) -> np.ndarray:
        return 0.3 * np.sqrt(d - n) - 0.1 * np.log1p(d - n)

    with np.errstate(all="ignore"):
        value, masses, _ = expected(model, lambda n, d: np.exp(log_g(n, d)))
    for method in (*EXACT, "auto"):
        found = log_expectation(model.forest, model.scores, log_g, method)
        assert found.value == pytest.approx(math.log(value), abs=1e-9)
        assert_close(found.masses, masses, 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_expsum_ignores_impossible_cells(seed: int) -> None:
    model = by_name("dag", seed)

    def log_g(n: np.ndarray, d: np.ndarray) -> np.ndarray:
        return np.where(n > d, math.nan, 0.1 * n - 0.2 * d)

    found = log_expectation(model.forest, model.scores, log_g, "expsum", 1e-6)
    value, _, _ = expected(model, lambda n, d: np.exp(log_g(n, d)))
    assert found.value == pytest.approx(math.log(value), abs=2e-6)


@pytest.mark.parametrize("method", [*EXACT, "auto", "expsum"])
def test_possible_cells_must_be_finite(method: Method) -> None:
    model = by_name("chart", 2)
    with pytest.raises(ForestError, match="not finite"):
        counts.expectation(model.forest, model.scores, lambda n, d: 1.0 * n / (d - d), method)


# Tolerances


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_expsum_keeps_its_promise(family: str, tolerance: float) -> None:
    for seed in range(8):
        model = by_name(family, seed)
        log_g = f1_loss(model, 1.0)
        value, masses, _ = expected(model, lambda n, d: np.exp(log_g(n, d)))  # noqa: B023
        found = log_expectation(model.forest, model.scores, log_g, "expsum", tolerance)
        assert 0 <= found.error <= tolerance
        assert math.exp(found.value) == pytest.approx(value, rel=tolerance)
        assert np.all(np.abs(found.masses - masses) <= tolerance * masses + 1e-14)
        tilted = (found.gradient + exact.marginals(model.forest, model.scores).parts) * value
        assert np.all(np.abs(tilted - masses) <= 2 * tolerance * masses + 1e-13)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8])
def test_absolute_tolerances(tolerance: float) -> None:
    for seed in range(12):
        model = by_name(sorted(FAMILIES)[seed % 3], seed)
        value, masses, _ = expected(model, FUNCTIONS["smooth"])
        for method in ("auto", "expsum", "fourier"):
            found = counts.expectation(
                model.forest, model.scores, FUNCTIONS["smooth"], method, tolerance
            )
            assert found.error <= tolerance
            assert found.value == pytest.approx(value, abs=tolerance)
            most = np.max([np.bincount(model.parts_of(d)).max() for d in model.derivations])
            assert np.max(np.abs(found.masses - masses)) <= most * tolerance


@pytest.mark.parametrize("tolerance", [1e-2, 1e-4, 1e-8, 1e-12])
@settings(max_examples=20)
@given(weighted(plain, forbidding), st.sampled_from([-1.0, 1.0, 5.0, 20.0]))
def test_auto_always_works(tolerance: float, model: Brute, tau: float) -> None:
    log_g = f1_loss(model, tau)
    value, masses, _ = expected(model, lambda n, d: np.exp(log_g(n, d)))
    found = log_expectation(model.forest, model.scores, log_g, "auto", tolerance)
    assert found.error <= tolerance
    assert math.exp(found.value) == pytest.approx(value, rel=tolerance + 1e-11)
    assert np.all(np.abs(found.masses - masses) <= (tolerance + 1e-11) * value * 30)


# What cannot be done


def test_expsum_says_what_it_cannot_do() -> None:
    builder = ForestBuilder()
    node = builder.node([(0,), (1,)])
    for _ in range(29):
        node = builder.node([(0, node), (1, node)])
    forest, scores = builder.build([[0, 1], [1, 1], [1, 1]], gold_size=30), np.zeros(2)

    def delta(n: np.ndarray, d: np.ndarray) -> np.ndarray:
        return 1.0 * (n == 15) + 0 * d

    with pytest.raises(ForestError, match="expsum cannot reach 1e-10"):
        counts.expectation(forest, scores, delta, "expsum", 1e-10)
    with pytest.raises(ForestError, match="positive"):
        counts.expectation(forest, scores, delta, "expsum", 1e-2, relative=True)
    binomial = math.comb(30, 15) / 2**30
    assert counts.expectation(forest, scores, delta).value == pytest.approx(binomial, abs=1e-9)


@pytest.mark.parametrize("method", ["split", "sliced"])
def test_too_many_cells(method: Method, monkeypatch: pytest.MonkeyPatch) -> None:
    model = by_name("chart", 2)
    monkeypatch.setattr(plans, "MOST_CELLS", 10)
    with pytest.raises(ForestError, match=f"{method} needs [0-9,]+ cells"):
        counts.expectation(model.forest, model.scores, FUNCTIONS["smooth"], method)
    found = counts.expectation(model.forest, model.scores, FUNCTIONS["smooth"])
    assert found.method not in ("split", "sliced")
    assert_close(found.value, expected(model, FUNCTIONS["smooth"])[0], 1e-9)


def test_unknown_methods_and_missing_counts() -> None:
    model = by_name("dag", 0)
    with pytest.raises(ConfigError, match="unknown method 'newton'"):
        counts.expectation(model.forest, model.scores, FUNCTIONS["smooth"], "newton")
    with pytest.raises(ForestError, match="split, sliced or fourier"):
        counts.law(model.forest, model.scores, "expsum")
    builder = ForestBuilder()
    builder.node([(0,), (1,)])
    with pytest.raises(ForestError, match="no counts"):
        counts.law(builder.build(), np.zeros(2))
