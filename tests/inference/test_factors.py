"""A factor that is no forest joins a parser: the interface is all that the algorithms use."""

from itertools import product
from random import Random

import numpy as np
import pytest

from tests.brute import Floats, log_sum_exp
from tests.joint import JointBrute, random_problem
from treewright.arrays import Indices
from treewright.errors import ForestError
from treewright.inference import bp, dual
from treewright.inference.factors import Best, Factor, FactorGraph, Variables

NO_EDGES = np.zeros(0, dtype=np.int32)


class TableFactor:
    """A score for every assignment, listed."""

    work = 0

    def __init__(self, variables: Variables, scores: dict[tuple[int, ...], float]) -> None:
        self.scope = np.arange(variables.values, dtype=np.int32)
        self.variables = np.arange(len(variables), dtype=np.int32)
        self.alive = np.ones(variables.values, dtype=np.bool_)
        self.of, self.scores = variables, scores

    def _weights(self, messages: Floats) -> dict[tuple[int, ...], float]:
        return {values: s + messages[list(values)].sum() for values, s in self.scores.items()}

    def marginals(self, messages: Floats) -> tuple[float, Floats]:
        weights = self._weights(messages)
        log_z = log_sum_exp(weights.values())
        sums = [log_sum_exp(w for values, w in weights.items() if c in values) for c in self.scope]
        return log_z, np.array(sums) - log_z

    def message(self, messages: Floats) -> tuple[float, Floats]:
        log_z, log_p = self.marginals(messages)
        return log_z, self.of.normalised(log_p - np.where(np.isneginf(messages), 0.0, messages))

    def best(self, messages: Floats) -> Best:
        weights = self._weights(messages)
        values = max(weights, key=lambda c: weights[c])
        return Best(weights[values], np.array(values, dtype=np.int32), NO_EDGES)

    solve = best

    def forget(self) -> None:
        pass


def with_table(seed: int) -> tuple[JointBrute, FactorGraph, dict[tuple[int, ...], float]]:
    """A parser, and a random table in place of the tagger."""
    random = Random(seed)
    problem = random_problem(random, words=3)
    variables = problem.graph.variables
    rows = (range(a, b) for a, b in zip(variables.first[:-1], variables.first[1:], strict=True))
    scores = {values: random.uniform(-2, 2) for values in product(*rows)}
    table: Factor = TableFactor(variables, scores)
    return problem, FactorGraph(variables, [table, problem.graph.factors[-1]]), scores


def chosen(values: Indices) -> tuple[int, ...]:
    return tuple(values.tolist())


@pytest.mark.parametrize("seed", range(8))
def test_both_algorithms_take_any_factor(seed: int) -> None:
    problem, graph, scores = with_table(seed)
    parses = {c: max(s for s, _ in row) for c, row in problem.tables[-1].items()}
    optimum = max(scores[values] + score for values, score in parses.items())
    outcome = dual.solve(graph, 100)
    assert outcome.rounds[-1].bound >= optimum - 1e-9
    assert outcome.solution.score == pytest.approx(
        scores[chosen(outcome.solution.values)] + parses[chosen(outcome.solution.values)]
    )
    if outcome.certified:
        assert outcome.solution.score == pytest.approx(optimum)
    state = bp.run(graph, 50).state
    assert state.decode().edges.size
    np.testing.assert_allclose(
        np.add.reduceat(state.beliefs, graph.variables.first[:-1]), 1.0, atol=1e-12
    )


def test_a_factor_without_parts_says_so() -> None:
    _, graph, _ = with_table(0)
    with pytest.raises(ForestError, match="factor 0 is not a forest"):
        bp.run(graph, 1).state.part_beliefs(0)
