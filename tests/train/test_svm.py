"""Cutting planes and Frank-Wolfe: all find the same minimum, and know how far they are from it."""

import json
from itertools import pairwise
from pathlib import Path
from random import Random

import numpy as np
import pytest

from tests.strategies import random_gold, random_model, random_scores
from treewright.errors import ConfigError
from treewright.forests.example import Example
from treewright.forests.features import FeatureMatrix
from treewright.losses import BatchObjective, Hinge, Likelihood, loss_named
from treewright.losses.settings import ObjectiveSettings
from treewright.train.cutting_plane import Round, n_slack, one_slack
from treewright.train.frank_wolfe import Pass, exact_gap, frank_wolfe
from treewright.train.history import History
from treewright.train.planes import Planes
from treewright.train.run import Run
from treewright.train.svm import SvmSettings, fit_svm

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
    planes, batch = Planes(hinge, items), BatchObjective(hinge, items, FEATURES, 1)
    rounds: list[Round] = []
    passes: list[Pass] = []

    def objective(weights: np.ndarray) -> float:  # type: ignore[type-arg]
        return 0.5 * float(weights @ weights) + C * batch.value_and_gradient(weights)[0] / len(
            items
        )

    one = one_slack(batch, C, 1e-7, 300, lambda step, _: rounds.append(step))
    assert rounds[-1].primal == pytest.approx(objective(one))
    assert rounds[-1].dual <= rounds[-1].primal + 1e-6
    assert rounds[-1].primal - rounds[-1].dual <= 1e-4 * max(1.0, rounds[-1].primal)
    bounds = [step.dual for step in rounds]
    assert all(b >= a - 1e-6 for a, b in pairwise(bounds))
    many = n_slack(planes, FEATURES, C, 1e-7, 100, lambda *_: None)
    assert objective(many) == pytest.approx(objective(one), abs=1e-3)
    slow = frank_wolfe(
        planes, FEATURES, C, 1e-6, 3000, 0, False, lambda step, _: passes.append(step)
    )
    assert objective(slow) == pytest.approx(objective(one), abs=2e-2)
    primal, gap = exact_gap(planes, slow, C, rounds[-1].dual)
    assert primal == pytest.approx(objective(slow))
    assert -1e-3 <= gap <= 3e-2
    assert passes[-1].gap < passes[0].gap


def test_planes_touch_the_hinge_and_stay_below_it() -> None:
    hinge = Hinge(loss_named("f1"), "slack")
    items = examples(7)
    planes = Planes(hinge, items)
    rng = np.random.default_rng(0)
    for number in range(len(items)):
        here, there = rng.normal(size=(2, FEATURES))
        value, plane = planes.most_violated(number, here)
        assert plane.at(here) == pytest.approx(value)
        assert plane.at(there) <= planes.most_violated(number, there)[0] + 1e-9


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
    assert all(row["objective"] == row["primal"] for row in rows)
    assert seen[-1] == weights.tobytes()
    assert history.summary()["best_score"] == len(seen) / 10


def test_other_objectives_are_refused() -> None:
    with pytest.raises(ConfigError, match="hinge"):
        Planes(Likelihood(), [])
