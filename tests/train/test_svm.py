"""Cutting planes and Frank-Wolfe: all find the same minimum, and know how far they are from it."""

import json
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.strategies import random_gold, random_model, random_scores
from treewright.errors import ConfigError
from treewright.forests.features import Example, FeatureMatrix
from treewright.losses import BatchObjective, Hinge, Likelihood, loss_named
from treewright.losses.settings import ObjectiveSettings
from treewright.train.cutting_planes import CuttingPlane, Hinges, SvmSettings
from treewright.train.frank_wolfe import FrankWolfe
from treewright.train.history import History
from treewright.train.loop import Learner, finish
from treewright.train.run import Run
from treewright.train.svm import NSlack, OneSlack, fit_svm, svm_learner

pytest.importorskip("clarabel")
FEATURES, C = 6, 5.0


def examples(seed: int, number: int = 5) -> list[Example]:
    random = Random(seed)
    found = []
    while len(found) < number:
        forest = random_model(random, counts=True, most=200).forest
        first = np.arange(forest.parts + 1, dtype=np.int32) * 2
        features = [f for _ in range(forest.parts) for f in random.sample(range(FEATURES), 2)]
        values = random_scores(random, 2 * forest.parts)
        matrix = FeatureMatrix.from_csr(first, features, values)
        gold = random_gold(random, forest)
        edges = gold.first_edge[1:] - gold.first_edge[:-1]
        if (edges == 1).all():  # one gold derivation: the hinge is convex
            found.append(Example(forest, matrix, gold))
    return found


@pytest.mark.parametrize("rescaling", ["margin", "slack"])
@pytest.mark.parametrize("seed", range(3))
def test_all_methods_find_the_same_minimum(rescaling: str, seed: int) -> None:
    hinge = Hinge(loss_named("f1"), rescaling)  # type: ignore[arg-type]
    items = examples(seed)
    hinges, batch = Hinges(hinge, items), BatchObjective(hinge, items, FEATURES, 1)

    def objective(learner: Learner) -> float:
        weights = learner.model()["weights"]
        hinge = batch.value_and_gradient(weights)[0]
        return 0.5 * float(weights @ weights) + C * hinge / len(items)

    one = OneSlack(batch, SvmSettings("one-slack", C, 1e-7, 300))
    rounds = finish(one)
    best, bounds = rounds[-1].value, [step.figures["dual"] for step in rounds]
    assert best == pytest.approx(objective(one))
    assert best is not None
    assert best - 1e-4 * max(1.0, best) <= bounds[-1] <= best + 1e-6
    assert all(b >= a - 1e-6 for a, b in pairwise(bounds))
    many = NSlack(hinges, FEATURES, SvmSettings("n-slack", C, 1e-7, 100))
    finish(many)
    assert objective(many) == pytest.approx(best, abs=1e-3)
    slow = FrankWolfe(hinges, FEATURES, SvmSettings("frank-wolfe", C, 1e-6, 3000, False), 0)
    passes = finish(slow)
    assert objective(slow) == pytest.approx(best, abs=2e-2)
    assert -1e-3 <= objective(slow) - bounds[-1] <= 3e-2
    assert passes[-1].figures["gap"] < passes[0].figures["gap"]


@pytest.mark.parametrize("method", ["one-slack", "n-slack", "frank-wolfe"])
def test_another_learner_continues_bit_for_bit(method: str, tmp_path: Path) -> None:
    run = Run(tmp_path, threads=1, quiet=True)
    how = SvmSettings(method, C, 1e-6, 20)  # type: ignore[arg-type]
    one, other, whole = (
        svm_learner(ObjectiveSettings("hinge", "f1"), how, examples(3), FEATURES, run)
        for _ in range(3)
    )
    saved: list[tuple[dict[str, np.ndarray], dict[str, object]]] = []  # type: ignore[type-arg]

    def tick(_: float) -> None:
        arrays, values = one.state()
        saved.append(({name: a.copy() for name, a in arrays.items()}, dict(values)))

    for _ in range(3):
        one.advance(tick)
    if method != "frank-wolfe":  # which can be saved inside of a pass
        tick(0)
    other.restore(*saved[-1])
    assert [step.value for step in finish(whole)][-3:] == [step.value for step in finish(other)][
        -3:
    ]
    assert whole.model()["weights"].tobytes() == other.model()["weights"].tobytes()


def value_at(plane: CuttingPlane, weights: np.ndarray) -> float:  # type: ignore[type-arg]
    return float(plane.values @ weights[plane.features]) + plane.offset


def test_planes_touch_the_hinge_and_stay_below_it() -> None:
    hinge = Hinge(loss_named("f1"), "slack")
    items = examples(7)
    hinges = Hinges(hinge, items)
    rng = np.random.default_rng(0)
    for number in range(len(items)):
        here, there = rng.normal(size=(2, FEATURES))
        value, plane = hinges.most_violated(number, here)
        assert value_at(plane, here) == pytest.approx(value)
        assert value_at(plane, there) <= hinges.most_violated(number, there)[0] + 1e-9


@pytest.mark.parametrize(("rounds", "scored"), [(20, [10, 20]), (13, [10, 13]), (4, [4])])
def test_rounds_are_a_curve_and_the_last_has_a_score(
    rounds: int, scored: list[int], tmp_path: Path
) -> None:
    seen: list[bytes] = []

    def score(weights: np.ndarray) -> float:  # type: ignore[type-arg]
        seen.append(weights.tobytes())
        return len(seen) / 10

    run = Run(tmp_path, threads=1, quiet=True)
    how = SvmSettings("frank-wolfe", C, 1e-12, rounds)
    objective = ObjectiveSettings("hinge", "f1")
    weights = fit_svm(objective, how, examples(1), FEATURES, run, score)
    lines = map(json.loads, (tmp_path / "records.jsonl").read_text().splitlines())
    history = History(tmp_path, {"kind": "const"}, list(lines))
    rows = history.curves["svm"]
    assert [row["iteration"] for row in rows] == list(range(1, rounds + 1))
    assert [row["iteration"] for row in rows if "score" in row] == scored
    assert seen[-1] == weights.tobytes()
    assert history.summary()["best_score"] == len(seen) / 10


def test_other_objectives_are_refused() -> None:
    with pytest.raises(ConfigError, match="hinge"):
        Hinges(Likelihood(), [])
