"""Numbers at the ends of their range: an error in our own words, or finite answers that make sense.

NaN, infinities, denormals, and doubles whose sums or exponentials overflow, as scores of parts and
arcs, weights of features, and losses.
"""

import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brute import Brute
from tests.checks import seeded
from tests.inference.test_limits import QUESTIONS, flat
from tests.losses.test_batch import choice
from tests.losses.test_objectives import COMBINATIONS, exactly, golden, run
from tests.strategies import random_model
from treewright.errors import ConfigError, ForestError
from treewright.inference import counts, matrix_tree, trees
from treewright.inference.dense import DenseGrammar
from treewright.losses import BatchObjective, objective_named
from treewright.losses.settings import NAMES

TINY, SMALL, LARGE, HUGE = 5e-324, 2.3e-308, 1e290, 1.7e308
ALLOWED = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    *(s * x for x in (TINY, SMALL, 745.0, 1e17, LARGE) for s in (1, -1)),
]
REFUSED = [math.nan, math.inf, HUGE, -HUGE]
extreme = st.sampled_from([*ALLOWED, -math.inf, *REFUSED])
ERRORS = (ForestError, ValueError)  # what the core and the Python above it raise


def extreme_scores(random: Random, size: int, refused: bool) -> np.ndarray:
    """Scores of which most are extreme; with `refused`, one of them is no score at all."""
    usual = [*ALLOWED, -math.inf] if random.random() < 0.3 else ALLOWED
    found = [random.choice(usual) for _ in range(size)]
    if refused:
        found[random.randrange(size)] = random.choice(REFUSED)
    return np.array(found)


@settings(max_examples=200)
@given(seeded(lambda random: random), st.booleans())
def test_every_question_of_a_forest(random: Random, refused: bool) -> None:
    forest = random_model(random).forest
    scores = extreme_scores(random, forest.parts, refused)
    for name, ask in QUESTIONS.items():
        if refused and not name.startswith("real"):
            with pytest.raises(ERRORS, match=r"part \d+ has"):
                ask(forest, scores)
            continue
        try:
            answer = ask(forest, scores)
        except ERRORS as error:
            assert "no derivation has" in str(error) or name.startswith("real")  # noqa: PT017
            continue
        numbers = np.array(flat(answer), dtype=object)
        assert not any(isinstance(x, float) and math.isnan(x) for x in numbers), name


@settings(max_examples=200)
@given(seeded(lambda random: random), st.sampled_from(COMBINATIONS))
def test_every_objective(random: Random, combination: tuple[str, str]) -> None:
    model, gold = golden(random)
    scores = extreme_scores(random, model.forest.parts, refused=False)
    try:
        value, gradient = run(exactly(*combination), Brute(model.forest, scores), gold)
    except ERRORS as error:
        assert "weight" in str(error) or "score" in str(error)  # noqa: PT017
        return
    assert math.isfinite(value)
    assert np.isfinite(gradient).all()


@given(st.sampled_from(NAMES), extreme, extreme)
def test_every_objective_over_weights(name: str, one: float, other: float) -> None:
    batch = BatchObjective(objective_named(name), [choice(0, 0), choice(1, 1)], 2)
    try:
        value, gradient = batch.value_and_gradient(np.array([one, other]))
    except ForestError as error:
        assert "forest" in str(error)  # noqa: PT017
        return
    assert math.isfinite(value)
    assert np.isfinite(gradient).all()


@given(extreme, st.sampled_from(COMBINATIONS))
def test_the_weight_of_a_loss(tau: float, combination: tuple[str, str]) -> None:
    model, gold = golden(Random(1))
    try:
        value, gradient = run(exactly(*combination, tau), model, gold)
    except (*ERRORS, ConfigError):
        return
    assert math.isfinite(value)
    assert np.isfinite(gradient).all()


@settings(max_examples=100)
@given(seeded(lambda random: random), st.sampled_from(["split", "sliced", "fourier"]))
def test_the_law_of_counts(random: Random, method: Any) -> None:
    model = random_model(random, counts=True)
    scores = extreme_scores(random, model.forest.parts, refused=False)
    try:
        law = counts.law(model.forest, scores, method)
    except ERRORS as error:
        assert "weight" in str(error)  # noqa: PT017
        return
    assert law.p.sum() == pytest.approx(1.0, abs=1e-6)


def arc_scores(random: Random) -> np.ndarray:
    size = random.randint(2, 5)
    return extreme_scores(random, size * size, random.random() < 0.1).reshape(size, size)


ARC_QUESTIONS: dict[str, Callable[[np.ndarray, bool], Any]] = {
    "trees": lambda scores, single: trees.spanning_trees(scores, 3, single),
    "log_partition": matrix_tree.log_partition,
    "marginals": matrix_tree.marginals,
}


@settings(max_examples=200)
@given(seeded(arc_scores), st.sampled_from(sorted(ARC_QUESTIONS)), st.booleans())
def test_every_question_of_arcs(scores: np.ndarray, question: str, single: bool) -> None:
    try:
        found = ARC_QUESTIONS[question](scores, single)
    except ERRORS:
        return
    if question == "marginals":
        np.testing.assert_allclose(found.arcs[:, 1:].sum(axis=0), 1.0, atol=1e-6)
    if question == "log_partition" and math.isfinite(found):
        best = trees.spanning_trees(scores, 1, single)[0][0]
        assert found >= best - 1e-9 * max(1.0, abs(best))
    assert not np.isnan(np.array(flat(list(found) if question == "marginals" else found))).any()


@settings(max_examples=100)
@given(seeded(lambda random: random))
def test_dense_grammars(random: Random) -> None:
    rules = extreme_scores(random, 18, random.random() < 0.1).reshape(2, 3, 3)
    try:
        found = DenseGrammar(rules, np.zeros(2)).marginals(
            extreme_scores(random, 3, False)[:, None]
        )
    except ERRORS:
        return
    assert found.terms.sum(axis=1) == pytest.approx(1.0)
