"""Dual decomposition against enumeration: bounds, certificates, warm searches."""

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from tests.joint import JointBrute, random_problem
from tests.strategies import plain, randoms, tenths, whole
from treewright.errors import ConfigError, ForestError
from treewright.inference import dual, exact
from treewright.inference.factors import FactorGraph, ForestFactor, Variables

EVERY = settings(max_examples=40)


def solution_score(problem: JointBrute, solution: dual.Solution) -> float:
    """The joint score of a solution, from its edges."""
    models = zip(problem.models, solution.edges, strict=True)
    unary = problem.graph.unary[solution.values].sum()
    return float(unary + sum(model.score(edges.tolist()) for model, edges in models))


@pytest.mark.parametrize("three", [False, True], ids=["two factors", "three factors"])
@pytest.mark.parametrize("stepping", ["polyak", "decay"])
@EVERY
@given(randoms())
def test_bounds_and_certificates(three: bool, stepping: dual.Stepping, random: Random) -> None:
    problem = random_problem(random, (plain, whole, tenths), three)
    if not problem.assignments:
        return
    optimum, _ = problem.best()
    certified = None
    for each in dual.decompose(problem.graph, stepping=stepping):
        assert each.dual >= optimum - 1e-9
        assert each.bound <= each.dual
        if each.solution:
            assert each.solution.score <= optimum + 1e-9
            assert each.solution.score == pytest.approx(solution_score(problem, each.solution))
            assert tuple(each.solution.values) in problem.assignments
        certified = each if each.certified else None
        if each.iteration == 30:
            break
    if certified:
        assert certified.solution is not None
        assert certified.solution.score == pytest.approx(optimum, abs=1e-9)
        assert certified.gap == pytest.approx(0.0, abs=1e-8)


def test_most_problems_are_certified() -> None:
    outcomes = []
    for seed in range(60):
        problem = random_problem(Random(seed), (plain,), three=seed % 2 == 0)
        if problem.assignments:
            outcomes.append(dual.solve(problem.graph, 100))
    assert sum(each.certified for each in outcomes) > 0.8 * len(outcomes)


@EVERY
@given(randoms())
def test_warm_answers_are_those_of_a_full_sweep(random: Random) -> None:
    problem = random_problem(random, (whole,))
    factor = problem.graph.factors[-1]
    parts = np.flatnonzero(factor.alive)
    warm = ForestFactor(
        problem.graph.variables,
        factor.forest,
        factor.scores(np.zeros(len(factor.scope))),
        np.arange(len(factor.scope)),
        factor.scope,
        most_work=1 << 40,
    )
    messages = np.zeros(len(factor.scope))
    for _ in range(12):
        for _ in range(random.randint(0, 3)):
            kind = random.choice([-1.0, 1.0, -0.5, 0.5, 2.0, -np.inf, None])
            value = random.choice(parts.tolist())
            messages[value] = random.randint(-2, 2) if kind is None else messages[value] + kind
        found, full = warm.best(messages), warm.solve(messages)
        assert found.score == full.score
        assert found.edges.tolist() == full.edges.tolist()
        if np.isneginf(found.score):
            messages[:] = 0.0


@EVERY
@given(randoms())
def test_warm_scores_are_exact_for_any_numbers(random: Random) -> None:
    problem = random_problem(random, (plain, tenths))
    factor = problem.graph.factors[-1]
    messages = np.zeros(len(factor.scope))
    for _ in range(8):
        messages[random.randrange(len(messages))] += random.uniform(-2, 2)
        found, full = factor.best(messages), factor.solve(messages)
        assert found.score == pytest.approx(full.score, abs=1e-12)
        if found.edges.tolist() == full.edges.tolist():
            assert found.score == full.score


def test_warm_answers_on_a_large_chart_look_at_a_small_part() -> None:
    from benchmarks.factors import problem

    it = problem(25, 4)
    factor = it.graph().factors[-1]
    rng = np.random.default_rng(0)
    messages, work = np.zeros(it.variables.values), []
    factor.best(messages)
    for _ in range(20):
        messages[rng.integers(it.variables.values)] += rng.normal()
        found, full = factor.best(messages), exact.viterbi(factor.forest, factor.scores(messages))
        assert found.edges.tolist() == full.edges.tolist()
        assert found.score == full.score
        work.append(factor.core.work)
    assert np.median(work) < 0.1 * factor.forest.edges


def test_a_warm_start_from_the_answer_has_its_bound_at_once() -> None:
    problem = next(
        p
        for p in map(random_problem, map(Random, range(99)))
        if len(rounds := dual.solve(p.graph, 60).rounds) > 2 and not rounds[-1].disagreements
    )
    first = dual.solve(problem.graph, 60)
    again = dual.solve(problem.graph, 60, multipliers=first.multipliers)
    assert again.certified
    assert again.rounds[0].bound == pytest.approx(first.solution.score)
    assert len(again.rounds) <= 2  # where factors have equal choices, the first may be another one
    assert again.solution.score == pytest.approx(first.solution.score)


@pytest.mark.parametrize("three", [False, True], ids=["two factors", "three factors"])
def test_a_parse_is_completed_by_the_other_factors(three: bool) -> None:
    seen = 0
    for seed in range(20):
        problem = random_problem(Random(seed), (plain,), three)
        if not problem.assignments or not (found := dual.solve(problem.graph, 60)).certified:
            continue
        again = dual.completed(problem.graph, found.solution.edges[problem.graph.primary])
        assert again is not None
        assert again.score == pytest.approx(solution_score(problem, again))
        if not three:  # otherwise the values of the rest are guessed
            assert again.score == pytest.approx(found.solution.score)
            assert again.values.tolist() == found.solution.values.tolist()
        seen += 1
    assert seen > 5


def test_settings_and_problems_without_a_solution() -> None:
    problem = random_problem(Random(1))
    with pytest.raises(ConfigError):
        dual.solve(problem.graph, 0)
    with pytest.raises(ConfigError):
        next(dual.decompose(problem.graph, step=0.0))
    with pytest.raises(ConfigError):
        next(dual.decompose(problem.graph, stepping="fast"))  # type: ignore[arg-type]
    graph, nothing = problem.graph, np.full(problem.graph.variables.values, -np.inf)
    with pytest.raises(ForestError, match="no solution in common"):
        dual.solve(FactorGraph(graph.variables, graph.factors, nothing))
    with pytest.raises(ForestError):
        Variables.of_sizes([])
