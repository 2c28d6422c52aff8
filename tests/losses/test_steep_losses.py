"""Softmax-margin with a large tau: sums of complex terms cancel, and must not be wrong silently."""

from functools import cache
from random import Random

import numpy as np
import pytest

from tests.brute import Brute
from tests.plain import log_sum_exp
from tests.strategies import FAMILIES, plain, random_gold, random_model
from treewright.errors import ForestError
from treewright.forests import Forest, ForestBuilder
from treewright.inference import plans
from treewright.inference.count_range import count_range_of
from treewright.losses import SoftmaxMargin, count_loss, loss_named
from treewright.losses.costs import Loss

TAUS = [1.0, 10.0, 50.0, 150.0, 200.0, 400.0]
TOLERANCE = 1e-6
# The log of its weight is affine in n at no d.
CUSTOM = count_loss(lambda n, d, y: 1 - np.sqrt((n + 1) / (d + y + 2)), "custom")


def loss_of(name: str) -> Loss:
    return CUSTOM if name == "custom" else loss_named(name)


@cache
def cases(zero: bool) -> list[tuple[Brute, Forest]]:
    """Models and gold forests, unsure ones and sure ones, in which d = 0 is reachable or not."""
    found = []
    for family in sorted(FAMILIES):
        for seed in range(60):
            random = Random(seed)
            model = random_model(random, (plain,), family, counts=True, most=100)
            sure = Brute(model.forest, model.scores * random.choice([1, 1, 10, 30]))
            if (count_range_of(model.forest).d_low == 0) == zero:
                found.append((sure, random_gold(random, model.forest)))
    return found[:: max(1, len(found) // 30)]


def compared(name: str, tau: float, zero: bool, method: str) -> tuple[int, int]:
    """Compares a method with `split` and returns the numbers of results and of refusals."""
    done = refused = 0
    for model, gold in cases(zero):
        exact = SoftmaxMargin(loss_of(name), tau, "split")
        value, gradient = exact.value_and_gradient(model.forest, model.scores, gold)
        objective = SoftmaxMargin(loss_of(name), tau, method, TOLERANCE)
        try:
            found = objective.value_and_gradient(model.forest, model.scores, gold)
        except ForestError as error:
            assert "too steep for sums of complex terms" in str(error)  # noqa: PT017
            refused += 1
            continue
        done += 1
        assert found[0] == pytest.approx(value, abs=TOLERANCE)
        np.testing.assert_allclose(found[1], gradient, rtol=0, atol=10 * TOLERANCE)
    assert done + refused >= 20
    return done, refused


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("loss", ["precision", "f1"])
def test_slices_of_precision_and_f1_are_positive(loss: str, tau: float, zero: bool) -> None:
    """At d = 0 only n = 0 is reachable, and log g is a line through it."""
    assert compared(loss, tau, zero, "sliced")[1] == 0
    for model, _ in cases(zero):
        plan = SoftmaxMargin(loss_of(loss), tau, "sliced").plan(model.forest)
        assert plan.terms <= count_range_of(model.forest).shape[1]


@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("method", ["sliced", "fourier"])
@pytest.mark.parametrize("loss", ["precision", "f1", "custom", "zero-one"])
def test_complex_terms_are_right_or_refused(loss: str, method: str, tau: float, zero: bool) -> None:
    done, refused = compared(loss, tau, zero, method)
    if tau <= 10:
        assert refused <= done / 5
    if loss == "custom" and tau >= 200:
        assert refused > 0


@pytest.mark.parametrize("tau", TAUS)
@pytest.mark.parametrize("loss", ["precision", "f1", "custom", "zero-one"])
def test_auto_never_refuses(loss: str, tau: float) -> None:
    for zero in (False, True):
        assert compared(loss, tau, zero, "auto")[1] == 0


def test_what_fits_into_memory_may_be_too_steep(monkeypatch: pytest.MonkeyPatch) -> None:
    """If only complex terms are left, `auto` says so instead of taking them."""
    model, gold = cases(False)[0]
    monkeypatch.setattr(plans, "MOST_CELLS", 10)
    with pytest.raises(ForestError, match="too steep"):
        SoftmaxMargin(CUSTOM, 200.0, "auto", 1e-9).plan(model.forest)
    tilted = SoftmaxMargin(CUSTOM, 200.0, "tilted", 1e-4)
    exact = SoftmaxMargin(CUSTOM, 200.0, "tilted", 1e-12)
    assert tilted.plan(model.forest).method == "tilted"
    with pytest.raises(ForestError, match="not positive"):
        exact.value_and_gradient(model.forest, model.scores, gold)


@pytest.mark.parametrize("loss", ["precision", "f1"])
def test_losses_that_rise_with_n(loss: str) -> None:
    """A negative tau: terms of one d may overflow at another d."""
    for tau in (-10.0, -150.0, -400.0):
        for zero in (False, True):
            compared(loss, tau, zero, "sliced")
            assert compared(loss, tau, zero, "auto")[1] == 0


@pytest.mark.parametrize("loss", ["precision", "f1"])
def test_scales_that_overflow(loss: str) -> None:
    """With a lowest n above 0, a positive term's scale at n = 0 may exceed all numbers."""
    builder = ForestBuilder()
    node = builder.node([(0,)])
    for _ in range(6):
        node = builder.node([(1, node), (2, node), (3, node)])
    forest = builder.build([[20, 1, 0, 2], [20, 1, 1, 2], [20, 1, 0, 2]], gold_size=30)
    gold = forest.restrict([int(e) for e in forest.first_edge[:-1]])
    scores = np.array([0.0, 1.0, -1.0, 0.5])
    model = Brute(forest, scores)
    for tau in (400.0, 1000.0, 2000.0):
        of = loss_named(loss).of_counts
        assert of is not None
        weights = []
        for score, edges in model.weighted:
            n, d, _ = model.totals(edges)
            weights.append(score + tau * float(of(np.array(n), np.array(d), 30)))
        expected = log_sum_exp(weights) - Brute(gold, scores).log_z
        for method in ("sliced", "fourier", "split", "auto"):
            objective = SoftmaxMargin(loss, tau, method)
            try:
                value, gradient = objective.value_and_gradient(forest, scores, gold)
            except ForestError:
                assert method in ("sliced", "fourier")
                continue
            assert value == pytest.approx(expected, abs=1e-4)
            assert np.isfinite(gradient).all()
