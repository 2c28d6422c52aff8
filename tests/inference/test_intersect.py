"""Exact joint inference by intersection against enumeration, and against BP and DD."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings

from tests.joint import JointBrute, random_problem
from tests.strategies import forbidding, plain, randoms
from treewright.errors import ForestError
from treewright.forests import ForestBuilder, chain
from treewright.inference import dual
from treewright.inference.factors import FactorGraph, ForestFactor, Variables
from treewright.inference.intersect import Intersection, chain_tables, intersect

EVERY = settings(max_examples=60)


def joint(problem: JointBrute) -> Intersection:
    tables = chain_tables(problem.tagger, problem.candidates, problem.tag_scores)
    return intersect(problem.graph.variables, problem.graph.factors[-1], tables)


@EVERY
@given(randoms())
def test_optimum_and_marginals(random: Random) -> None:
    problem = random_problem(random, (plain, forbidding))
    problem.graph.unary = np.zeros(problem.graph.variables.values)
    assume(problem.assignments)
    exact = joint(problem)
    score, _ = problem.best()
    best = exact.best()
    assert best.score == pytest.approx(score, abs=1e-9)
    assert tuple(best.values) in problem.assignments
    log_z, probability, parts = exact.marginals()
    assert log_z == pytest.approx(problem.log_z, abs=1e-9)
    np.testing.assert_allclose(probability, problem.value_marginals(), atol=1e-9)
    np.testing.assert_allclose(parts, problem.part_marginals(1), atol=1e-9)


def test_certified_answers_on_longer_sentences() -> None:
    certified = 0
    for seed in range(30):
        problem = random_problem(Random(seed), words=9)
        graph = FactorGraph(problem.graph.variables, problem.graph.factors)
        outcome, best = dual.solve(graph, 100), joint(problem).best()
        assert outcome.rounds[-1].bound >= best.score - 1e-9
        assert outcome.solution.score <= best.score + 1e-9
        if outcome.certified:
            certified += 1
            assert outcome.solution.score == pytest.approx(best.score, abs=1e-9)
    assert certified > 15


def test_what_cannot_be_intersected() -> None:
    problem = random_problem(Random(0), words=3)
    variables, parser = problem.graph.variables, problem.graph.factors[-1]
    first = chain(problem.candidates, 1)
    tables = chain_tables(first, problem.candidates, np.zeros(first.forest.parts))
    never = replace(tables, transition=np.full_like(tables.transition, -np.inf))
    with pytest.raises(ForestError, match="no analysis in common"):
        intersect(variables, parser, never)
    with pytest.raises(ForestError, match="more than 2 edges"):
        intersect(variables, parser, tables, max_edges=2)
    with pytest.raises(ForestError, match="do not fit"):
        intersect(Variables.of_sizes([1]), parser, tables)
    builder = ForestBuilder()
    leaves = [builder.node([(part,)]) for part in range(2)]
    builder.node([(2, leaves[1], leaves[0])])
    two = Variables.of_sizes([1, 1])
    zero = chain_tables(chain([[0], [0]], 0), [[0], [0]], np.zeros(2))
    crossed = ForestFactor(two, builder.build(), np.zeros(3), [0, 1], [0, 1])
    with pytest.raises(ForestError, match="not neighbours"):
        intersect(two, crossed, zero)
    half = ForestFactor(two, builder.build(), np.zeros(3), [0], [0])
    with pytest.raises(ForestError, match="leaves must choose"):
        intersect(two, half, zero)
