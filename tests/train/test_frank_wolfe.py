"""Frank-Wolfe: what it says of its distance from the minimum, and another C half way."""

from itertools import pairwise

import numpy as np
import pytest

from tests.train.test_svm import FEATURES, examples
from treewright.losses import Hinge, loss_named
from treewright.train.cutting_planes import CuttingPlane, Hinges, SvmSettings
from treewright.train.frank_wolfe import Block, FrankWolfe
from treewright.train.loop import finish


def learner(
    seed: int, c: float, passes: int, epsilon: float = 1e-7, *, averaging: bool = False
) -> FrankWolfe:
    hinges = Hinges(Hinge(loss_named("f1"), "slack"), examples(seed))
    return FrankWolfe(
        hinges, FEATURES, SvmSettings("frank-wolfe", c, epsilon, passes, averaging), 0
    )


@pytest.mark.parametrize("averaging", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_certified_gap_holds(seed: int, averaging: bool) -> None:
    """Of any weights: the objective less the gap is below the minimum."""
    done = learner(seed, 5.0, 200)
    finish(done)
    lowest, gap = done.certified_gap()
    assert 0 <= gap + 1e-9 < 1e-3 * max(1.0, lowest)
    for passes in (1, 2, 3):
        early = learner(seed, 5.0, passes, averaging=averaging)
        steps = finish(early)
        objective, gap = early.certified_gap()
        assert objective >= lowest - 1e-3
        assert objective - gap <= lowest + 1e-9
        assert steps[-1].figures["dual"] == pytest.approx(objective - gap)


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_the_planes(seed: int) -> None:
    one = learner(seed, 5.0, 10)
    finish(one)
    sums = np.zeros(FEATURES)
    for block in one.blocks:
        assert block.shares.min() >= 0
        assert block.shares.sum() == pytest.approx(1.0)
        sums[block.features] -= 5.0 / len(one.blocks) * (block.shares @ block.slopes)
    assert one.weights == pytest.approx(sums, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_another_c_continues_to_the_same_minimum(seed: int) -> None:
    path, alone = learner(seed, 1.0, 100), learner(seed, 20.0, 100)
    finish(path)
    path.continue_with(20.0)
    finish(path)
    finish(alone)
    assert path.certified_gap()[0] == pytest.approx(alone.certified_gap()[0], rel=1e-3)


def test_steps_never_lower_the_dual() -> None:
    one = learner(3, 50.0, 20, 1e-12)
    duals = [step.figures["dual"] for step in finish(one)]
    assert all(b >= a - 1e-9 for a, b in pairwise(duals))


def test_a_plane_is_kept_once_and_dropped_when_idle() -> None:
    block = Block()
    plane = CuttingPlane(np.array([1, 3], np.int32), np.array([-1.0, 2.0]), 0.5)
    for _ in range(2):
        block.add(plane)
    assert block.slopes.tolist() == [[0.0, 0.0], [-1.0, 2.0]]
    block.add(CuttingPlane(np.array([0], np.int32), np.array([1.0]), 0.1))
    assert block.slopes[:, 0].tolist() == [0.0, 0.0, 1.0]
    for _ in range(10):
        block.drop_idle()
    assert block.offsets.tolist() == [0.0]
