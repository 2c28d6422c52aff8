"""Curves over iterations against one run at a time."""

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from tests.joint import random_problem
from treewright.errors import ConfigError
from treewright.experiments.integrated import convergence as curves
from treewright.inference import bp, dual
from treewright.inference.factors import FactorGraph

AT = (1, 2, 5, 20)


def graphs() -> Iterator[FactorGraph]:
    return (random_problem(Random(seed), words=4).graph for seed in range(12))


def test_belief_propagation() -> None:
    curve = curves.bp_curve(graphs(), AT, lambda _, s: [int(s.beliefs.argmax()), 7, 7], 1e-3)
    for row, k in zip(curve.totals, AT, strict=True):
        states = [bp.run(graph, k, 1e-3).state for graph in graphs()]
        assert row.tolist() == [sum(int(s.beliefs.argmax()) for s in states), 84, 84]
    outcomes = [bp.run(graph, AT[-1], 1e-3) for graph in graphs()]
    expected = [len(o.changes) if o.converged else 0 for o in outcomes]
    assert curve.converged.tolist() == expected
    shares = [np.mean([0 < e <= k for e in expected]) for k in (1, 3, 20)]
    assert curve.share_converged((1, 3, 20)).tolist() == pytest.approx(shares)


def test_dual_decomposition() -> None:
    def values(_: int, each: dual.Round) -> list[int]:
        assert each.solution is not None
        return [int(each.solution.values.sum()), 100, 100]

    curve = curves.dual_curve(graphs(), AT, values)
    for row, k in zip(curve.totals, AT, strict=True):
        total = sum(int(dual.solve(graph, k).solution.values.sum()) for graph in graphs())
        assert row.tolist() == [total, 1200, 1200]
    np.testing.assert_allclose(curve.f_measure(), 2 * curve.totals[:, 0] / 2400)


@pytest.mark.parametrize("at", [(), (0, 1), (3, 2), (2, 2)])
def test_iterations_must_rise(at: tuple[int, ...]) -> None:
    with pytest.raises(ConfigError):
        curves.bp_curve(graphs(), at, lambda *_: [0])
