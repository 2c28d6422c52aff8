"""Every objective with every loss: values and gradients against enumeration and differences."""

import gc
import math
import weakref
from collections.abc import Iterable
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.brute import Brute
from tests.checks import Floats, assert_close, central_differences, seeded
from tests.plain import COUNT_LOSSES, LOSSES, PART_LOSSES, Twin, objective
from tests.strategies import FAMILIES, forbidding, plain, random_gold, random_model
from treewright.errors import ConfigError, ForestError
from treewright.forests import Forest, ForestBuilder
from treewright.forests.tables import span_example
from treewright.inference import exact
from treewright.losses import (
    Hinge,
    Likelihood,
    Objective,
    Perceptron,
    Risk,
    SoftmaxMargin,
    count_loss,
    loss_named,
    objective_named,
)
from treewright.losses.hinge import _affine_columns
from treewright.losses.settings import NAMES

SMOOTH = ("likelihood", "softmax-margin", "risk")
TAU = 1.5
COMBINATIONS = [("likelihood", "f1"), ("perceptron", "f1")] + [
    (name, loss) for name in ("softmax-margin", "risk", "hinge", "hinge-slack") for loss in LOSSES
]
every_combination = pytest.mark.parametrize(("name", "loss"), COMBINATIONS)


def golden(random: Random, kinds: Iterable = (plain,), family: str | None = None) -> tuple:
    """A model with counts, and the model of one or several gold derivations in its forest."""
    model = random_model(random, tuple(kinds), family, counts=True, most=150)
    return model, Brute(random_gold(random, model.forest), model.scores)


@cache
def cases() -> list[tuple[Brute, Brute]]:
    """Four of each family."""
    return [golden(Random(seed), family=f) for f in sorted(FAMILIES) for seed in range(4)]


def exactly(name: str, loss: str, tau: float = TAU) -> Objective:
    return objective_named(name, loss, tau, "split")


def assert_agrees(found: tuple[float, Floats], twin: Twin, tolerance: float = 1e-10) -> None:
    value, gradient = found
    assert value == pytest.approx(twin.value, abs=tolerance, rel=tolerance)
    if twin.smooth:
        assert_close(gradient, twin.gradient, tolerance)


def run(objective: Objective, model: Brute, gold: Brute) -> tuple[float, Floats]:
    return objective.value_and_gradient(model.forest, model.scores, gold.forest)


# Values and gradients


@every_combination
def test_values_and_gradients_are_those_of_enumeration(name: str, loss: str) -> None:
    smooth = 0
    for model, gold in cases():
        twin = objective(name, loss, TAU, model, gold)
        assert_agrees(run(exactly(name, loss), model, gold), twin)
        smooth += twin.smooth
    assert smooth >= 6  # elsewhere ties decide on the gradient


@settings(max_examples=150)
@given(seeded(lambda random: random), st.sampled_from(COMBINATIONS))
def test_forbidden_parts(random: Random, combination: tuple[str, str]) -> None:
    model, gold = golden(random, (forbidding, plain))
    assume(model.weighted and gold.weighted)
    found = run(exactly(*combination), model, gold)
    assert_agrees(found, objective(*combination, TAU, model, gold))
    assert np.all(np.isfinite(found[1]))


@every_combination
def test_gradients_are_those_of_differences(name: str, loss: str) -> None:
    for model, gold in cases()[::3]:
        twin = objective(name, loss, TAU, model, gold)
        if not twin.smooth:
            continue
        asked = exactly(name, loss)

        def value(scores: Floats, m: Brute = model, g: Brute = gold, a: Objective = asked) -> float:
            return a.value_and_gradient(m.forest, scores, g.forest)[0]

        step = 1e-3 if name in SMOOTH else 1e-6
        numeric = central_differences(value, model.scores, step)
        assert_close(run(asked, model, gold)[1], numeric, 1e-7)


@pytest.mark.parametrize("loss", LOSSES)
def test_without_its_loss_softmax_margin_is_likelihood(loss: str) -> None:
    for model, gold in cases():
        value, gradient = run(SoftmaxMargin(loss_named(loss), tau=0.0), model, gold)
        expected, direction = run(Likelihood(), model, gold)
        assert value == pytest.approx(expected, abs=1e-12)
        assert_close(gradient, direction, 1e-12)


@pytest.mark.parametrize("tau", [20.0, 50.0, 300.0])
def test_steep_losses_where_a_model_is_sure(tau: float) -> None:
    """exp(tau) times the rounding of complex terms is more than the mass of what is right."""
    for seed in range(60):
        random = Random(seed)
        forest = random_model(random, family="chart", counts=True, most=200).forest
        gold = random_gold(random, forest)
        scores = np.random.default_rng(seed).normal(0.0, 2.0, forest.parts)
        scores[forest.part[exact.viterbi(gold, scores).edges]] += 8.0
        value, gradient = SoftmaxMargin("f1", tau).value_and_gradient(forest, scores, gold)
        split = SoftmaxMargin("f1", tau, method="split")
        wanted, direction = split.value_and_gradient(forest, scores, gold)
        assert value == pytest.approx(wanted, abs=1e-4, rel=1e-4)
        assert_close(gradient, direction, 1e-3)


def test_gold_may_be_everything() -> None:
    for model, _ in cases():
        value, gradient = Likelihood().value_and_gradient(model.forest, model.scores, model.forest)
        assert value == pytest.approx(0, abs=1e-12)
        assert_close(gradient, np.zeros(model.forest.parts), 1e-12)
        assert run(Perceptron(), model, model)[0] == 0


def test_the_perceptron_leaves_zero() -> None:
    """All derivations tie: an update is due unless the first one found is gold."""
    builder = ForestBuilder()
    builder.node([(0,), (1,), (2,)])
    forest = builder.build()
    gradients = []
    for part in range(3):
        gold = forest.restrict(np.arange(3) == part)
        value, gradient = Perceptron().value_and_gradient(forest, np.zeros(3), gold)
        assert value == 0
        assert gradient.sum() == 0
        gradients.append(gradient)
        assert (
            not Hinge(loss_named("zero-one"), "margin", 0.0)
            .value_and_gradient(
                forest.with_counts(np.ones((3, 3), dtype=np.int16), 1), np.zeros(3), gold
            )[1]
            .any()
        )
    assert sum(bool(each.any()) for each in gradients) == 2
    assert all(each[part] == -1 for part, each in enumerate(gradients) if each.any())


def test_several_gold_derivations_share_the_credit() -> None:
    """Two of three equally likely ones: -log 2/3."""
    builder = ForestBuilder()
    builder.node([(0,), (1,), (2,)])
    forest = builder.build()
    value, gradient = Likelihood().value_and_gradient(forest, np.zeros(3), forest.restrict([0, 2]))
    assert value == pytest.approx(math.log(1.5))
    assert_close(gradient, np.array([-1 / 6, 1 / 3, -1 / 6]), 1e-12)


# Losses that need cells


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("loss", ["f1", "precision", "zero-one"])
def test_hinges_with_large_counts(loss: str, seed: int) -> None:
    """Products of a slope and a count are not exact here."""
    random = Random(seed)
    builder = ForestBuilder()
    leaf = builder.node([(0,), (1,), (2,)])
    middle = builder.node([(3, leaf), (4, leaf), (5, leaf, leaf)])
    builder.node([(6, middle, leaf), (7, middle, middle)])
    n = [random.randint(0, 9) for _ in range(8)]
    d = [each + random.randint(0, 4) for each in n]
    scores = np.array([random.uniform(-1, 1) for _ in range(8)])
    model = Brute(builder.build([n, d, n], gold_size=100), scores)
    gold = Brute(random_gold(random, model.forest), scores)
    for name in ("hinge", "hinge-slack"):
        twin = objective(name, loss, TAU, model, gold)
        assert_agrees(run(exactly(name, loss), model, gold), twin)


def test_losses_that_are_lines_in_n() -> None:
    n, d = np.arange(4, 9)[:, None], np.arange(9, 12)[None, :]
    offset, slope = _affine_columns(1 - 2 * n / (d + 7), n_low=4)
    assert_close(offset - slope * n, 1 - 2 * n / (d + 7), 1e-13)
    assert _affine_columns(np.sqrt(n + d), n_low=4) is None


@pytest.mark.parametrize("seed", range(6))
def test_losses_below_zero(seed: int) -> None:
    """They turn slack rescaling around: the lowest score would be the best of a cell."""
    model, gold = golden(Random(seed))
    loss = count_loss(lambda n, d, _y: 0.7 * n * d - 3.0)
    expected = model.maximum(lambda score, n, d, _c: score + 0.7 * n * d - 3.0)[0]
    value, _ = run(Hinge(loss), model, gold)
    assert value == pytest.approx(max(0, expected - gold.best()[0]), abs=1e-10)
    with pytest.raises(ForestError, match="negative"):
        run(Hinge(count_loss(lambda n, d, _y: -1.0 * n * d - 1), "slack"), model, gold)


@pytest.mark.parametrize("method", ["sliced", "fourier", "expsum", "tilted", "auto"])
@pytest.mark.parametrize("loss", ["f1", "precision", "recall", "f2", "zero-one"])
def test_methods_agree(loss: str, method: str) -> None:
    tolerance = 1e-6 if method in ("expsum", "tilted", "auto") else 1e-10
    done = 0
    for model, gold in cases():
        try:
            found = run(SoftmaxMargin(loss_named(loss), TAU, method, tolerance), model, gold)
            risk = run(Risk(loss_named(loss), method, tolerance), model, gold)
        except ForestError as error:
            if method != "expsum" or "expsum cannot reach" not in str(error):
                raise
            continue
        done += 1
        assert_agrees(found, objective("softmax-margin", loss, TAU, model, gold), 10 * tolerance)
        assert_agrees(risk, objective("risk", loss, TAU, model, gold), 10 * tolerance)
    assert done >= 8 if method == "expsum" else done == len(cases())


@pytest.mark.parametrize("loss", ["f1", "sized-f2"])
def test_risk_of_many_counts_by_tilting(loss: str) -> None:
    """With a range of counts for which exact methods are slow, so that `auto` tilts."""
    chains = [["S"], ["NP", "VP"], ["X"]]
    example = span_example([(0, 14, 0), (0, 9, 1), (3, 9, 2), (9, 14, 1)], 14, chains)
    scores = 2 * np.random.default_rng(0).normal(size=example.forest.parts)
    tilted, exact = Risk(loss, tolerance=1e-3), Risk(loss, "fourier")
    value, slopes = tilted.value_and_gradient(example.forest, scores)
    wanted, gradient = exact.value_and_gradient(example.forest, scores)
    assert 0 < abs(value - wanted) < 1e-3
    assert_close(slopes, gradient, 2e-3)


def test_the_default_keeps_its_tolerance() -> None:
    for model, gold in cases():
        for loss in sorted(COUNT_LOSSES):
            asked = SoftmaxMargin(loss_named(loss))
            twin = objective("softmax-margin", loss, 1.0, model, gold)
            assert_agrees(run(asked, model, gold), twin, 1e-3)
            assert asked.plan(model.forest).error <= 1e-4


def test_sentences_of_one_box_share_a_fit() -> None:
    model, gold = cases()[0]
    asked = SoftmaxMargin(loss_named("f1"), method="expsum", tolerance=1e-2)
    again = model.forest.with_counts(model.forest.counts, model.forest.gold_size)
    other = model.forest.with_counts(model.forest.counts, model.forest.gold_size + 5)
    for forest in (model.forest, again, other):
        twin = Brute(forest, model.scores)
        expected = objective("softmax-margin", "f1", 1.0, twin, gold).value
        assert run(asked, twin, gold)[0] == pytest.approx(expected, abs=1e-2)
    assert len(asked._fits.found) == 2


# What is missing


@pytest.mark.parametrize("name", NAMES)
def test_gold_is_needed_but_for_risk(name: str) -> None:
    model, gold = cases()[0]
    if name == "risk":
        assert not exactly(name, "f1").needs_gold
        exactly(name, "f1").value_and_gradient(model.forest, model.scores)
        return
    with pytest.raises(ForestError, match="gold"):
        exactly(name, "f1").value_and_gradient(model.forest, model.scores)
    forbidden = np.full(model.forest.parts, -math.inf)
    with pytest.raises(ForestError, match=r"no (gold )?derivation has weight"):
        exactly(name, "f1").value_and_gradient(model.forest, forbidden, gold.forest)
    builder = ForestBuilder()
    builder.node([(model.forest.parts,)])
    with pytest.raises(ForestError, match="other parts"):
        exactly(name, "f1").value_and_gradient(model.forest, model.scores, builder.build())


def test_gold_that_is_not_in_the_forest() -> None:
    """Gold is a sub-forest, and one that reaches the goal."""
    builder = ForestBuilder()
    leaf = builder.node([(0,), (1,)])
    builder.node([(2, leaf), (3,)])
    forest = builder.build()
    with pytest.raises(ForestError, match="do not form a derivation of the goal"):
        forest.restrict([2])
    scores = np.array([0.0, -math.inf, 0.0, 0.0])
    with pytest.raises(ForestError, match="no gold derivation has weight"):
        Likelihood().value_and_gradient(forest, scores, forest.restrict([1, 2]))


@every_combination
def test_counts_are_needed_by_losses(name: str, loss: str) -> None:
    model, gold = cases()[0]
    f = model.forest
    bare = Forest(f.first_edge, f.left, f.right, f.part, f.parts, None, f.gold_size)
    asked = exactly(name, loss)
    if name in ("likelihood", "perceptron"):
        asked.value_and_gradient(bare, model.scores, gold.forest)
        return
    with pytest.raises(ForestError, match="no counts"):
        asked.value_and_gradient(bare, model.scores, gold.forest)
    if loss not in PART_LOSSES:
        with pytest.raises(ForestError, match="gold_size"):
            asked.value_and_gradient(f.with_counts(f.counts), model.scores, gold.forest)


def test_settings_are_checked() -> None:
    f1 = loss_named("f1")
    for make in (
        lambda: objective_named("svm"),
        lambda: objective_named("hinge", "f"),
        lambda: SoftmaxMargin(f1, tau=math.inf),
        lambda: SoftmaxMargin(f1, tolerance=0.0),
        lambda: Risk(f1, tolerance=-1.0),
        lambda: Hinge(f1, "both"),
    ):
        with pytest.raises(ConfigError):
            make()
    model, gold = cases()[0]
    with pytest.raises(ForestError, match="one entry a part"):
        Likelihood().value_and_gradient(model.forest, model.scores[1:], gold.forest)
    for wrong in (math.nan, math.inf):
        with pytest.raises(ForestError, match="NaN or"):
            run(Likelihood(), Brute(model.forest, np.full(model.forest.parts, wrong)), gold)


# Programs


@pytest.mark.parametrize("name", NAMES)
def test_compiled_objectives_are_kept_as_long_as_their_forest(name: str) -> None:
    asked = exactly(name, "f1")
    model, gold = golden(Random(1))
    run(asked, model, gold)
    assert asked.compiled(model.forest) is asked.compiled(model.forest)
    assert len(asked._compiled) == 1
    other, _ = golden(Random(2))
    asked.compiled(other.forest)
    assert len(asked._compiled) == 2
    gone = weakref.ref(model.forest)
    del model, gold
    gc.collect()
    assert gone() is None
    assert len(asked._compiled) == 1
