"""Belief propagation against enumeration where it is exact, and its fixed points elsewhere."""

from itertools import islice, pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from tests.joint import JointBrute, random_problem
from tests.strategies import forbidding, plain, randoms, wide
from treewright.errors import ConfigError, ForestError
from treewright.inference import bp, exact
from treewright.inference.factors import FactorGraph, ForestFactor, Variables
from treewright.inference.minrisk import max_expected_counts

EVERY = settings(max_examples=30)


def without(problem: JointBrute, removed: int) -> JointBrute:
    """The problem with one factor fewer; its variables must have another."""
    graph = problem.graph
    kept = [f for i, f in enumerate(graph.factors) if i != removed]
    smaller = JointBrute.__new__(JointBrute)
    smaller.graph = FactorGraph(graph.variables, kept, graph.unary)
    smaller.models = [m for i, m in enumerate(problem.models) if i != removed]
    smaller.tables = [t for i, t in enumerate(problem.tables) if i != removed]
    return smaller


def assert_exact(problem: JointBrute, state: bp.State) -> None:
    np.testing.assert_allclose(state.beliefs, problem.value_marginals(), atol=1e-9)
    assert state.log_z() == pytest.approx(problem.log_z, abs=1e-8)
    for f in range(len(problem.models)):
        np.testing.assert_allclose(state.part_beliefs(f), problem.part_marginals(f), atol=1e-9)


@EVERY
@given(randoms())
def test_exact_with_one_factor(random: Random) -> None:
    problem = without(random_problem(random, (plain, forbidding)), random.randint(0, 1))
    if problem.assignments:
        assert_exact(problem, bp.run(problem.graph).state)


@pytest.mark.parametrize("three", [False, True], ids=["two factors", "three factors"])
@pytest.mark.parametrize("schedule", ["sequential", "parallel"])
@EVERY
@given(randoms())
def test_exact_on_one_word(three: bool, schedule: bp.Schedule, random: Random) -> None:
    problem = random_problem(random, (plain, forbidding), three, words=1)
    if problem.assignments:
        assert_exact(problem, bp.run(problem.graph, 9, 0.0, schedule).state)


@EVERY
@given(randoms())
def test_nothing_is_lost_to_underflow(random: Random) -> None:
    problem = random_problem(random, (wide,), words=1)
    weights = problem.weights
    state = bp.run(problem.graph, 4, 0.0).state
    for value in range(problem.graph.variables.values):
        expected = weights.get((value,), -np.inf) - problem.log_z
        assert state.log_beliefs[value] == pytest.approx(expected, rel=1e-10, abs=1e-8)


@EVERY
@given(randoms())
def test_forbidden_values_stay_forbidden_and_the_rest_is_finite(random: Random) -> None:
    problem = random_problem(random, (forbidding,), three=random.random() < 0.5)
    possible = {value for values in problem.assignments for value in values}
    if not possible:
        return
    for state in islice(bp.propagate(problem.graph, damping=0.3), 20):
        assert not np.isnan(state.messages).any()
        assert np.isfinite(state.log_beliefs[list(possible)]).all()


@pytest.mark.parametrize("damping", [0.0, 0.5])
@pytest.mark.parametrize("schedule", ["sequential", "parallel"])
def test_schedules_and_damping_share_their_fixed_point(
    schedule: bp.Schedule, damping: float
) -> None:
    for seed in range(15):
        problem = random_problem(Random(seed), three=seed % 2 == 0)
        if not problem.assignments:
            continue
        plainly = bp.run(problem.graph, 500, 1e-13)
        other = bp.run(problem.graph, 500, 1e-13, schedule, damping)
        if plainly.converged and other.converged:
            np.testing.assert_allclose(other.state.beliefs, plainly.state.beliefs, atol=1e-9)


def test_loopy_beliefs_are_close_to_the_truth() -> None:
    errors = []
    for seed in range(40):
        problem = random_problem(Random(seed), words=4)
        state = bp.run(problem.graph, 200, 1e-10).state
        errors.append(np.abs(state.beliefs - problem.value_marginals()).max())
    assert np.median(errors) < 0.05


def test_emissions_count_once() -> None:
    """Beside a factor that allows everything and prefers nothing, the tagger's posteriors stay."""
    problem = random_problem(Random(3), words=4)
    graph, tagger = problem.graph, problem.graph.factors[0]
    free = ForestFactor(
        graph.variables,
        tagger.forest,
        np.zeros(tagger.forest.parts),
        np.arange(graph.variables.values),
        np.arange(graph.variables.values),
    )
    both = FactorGraph(graph.variables, [tagger, free])
    _, alone = tagger.marginals(np.zeros(graph.variables.values))
    for state in islice(bp.propagate(both), 4):
        np.testing.assert_allclose(state.log_beliefs, alone, atol=1e-12)


def test_one_iteration_passes_the_taggers_posteriors_to_the_parser() -> None:
    problem = random_problem(Random(5), words=4)
    graph = FactorGraph(problem.graph.variables, problem.graph.factors)
    tagger, parser = graph.factors
    _, posterior = tagger.marginals(np.zeros(len(tagger.scope)))
    expected = exact.marginals(parser.forest, parser.scores(posterior)).parts
    state = bp.run(graph, 1).state
    np.testing.assert_allclose(state.part_beliefs(1), expected, atol=1e-12)
    decoded = max_expected_counts(parser.forest, parser.scores(posterior), penalty=0.5)
    assert state.decode(penalty=0.5).edges.tolist() == decoded.edges.tolist()


def test_weights_scale_a_factor() -> None:
    problem = random_problem(Random(7), words=3)
    tagger, parser = problem.graph.factors
    values = np.arange(problem.graph.variables.values)
    none = np.zeros(len(values))
    half = ForestFactor(
        problem.graph.variables, tagger.forest, tagger.scores(none), values, values, weight=0.5
    )
    np.testing.assert_allclose(half.scores(none), 0.5 * tagger.scores(none))
    nothing = ForestFactor(
        problem.graph.variables, tagger.forest, tagger.scores(none), values, values, weight=0.0
    )
    alone = bp.run(FactorGraph(problem.graph.variables, [parser])).state
    with_nothing = bp.run(FactorGraph(problem.graph.variables, [nothing, parser])).state
    np.testing.assert_allclose(with_nothing.beliefs, alone.beliefs, atol=1e-12)


@EVERY
@given(randoms())
def test_the_likeliest_values(random: Random) -> None:
    problem = random_problem(random)
    if problem.assignments:
        state = bp.run(problem.graph, 3).state
        first = problem.graph.variables.first
        best = [a + int(state.beliefs[a:b].argmax()) for a, b in pairwise(first.tolist())]
        assert state.likeliest().tolist() == best


def test_convergence_and_settings() -> None:
    problem = random_problem(Random(2), words=4)
    outcome = bp.run(problem.graph, 100, 1e-6)
    assert outcome.converged
    assert outcome.changes[-1] <= 1e-6 < outcome.changes[0]
    assert outcome.state.iteration == len(outcome.changes)
    with pytest.raises(ConfigError):
        bp.run(problem.graph, 0)
    with pytest.raises(ConfigError):
        next(bp.propagate(problem.graph, damping=1.0))
    problem.graph.unary[:] = -np.inf
    with pytest.raises(ForestError, match="no solution in common"):
        bp.run(problem.graph)


def test_malformed_factors() -> None:
    problem = random_problem(Random(2), words=3)
    variables, parser = problem.graph.variables, problem.graph.factors[-1]
    scores = parser.scores(np.zeros(len(parser.scope)))
    with pytest.raises(ForestError, match="outside"):
        ForestFactor(variables, parser.forest, scores, [0], [variables.values])
    with pytest.raises(ForestError, match="twice"):
        ForestFactor(variables, parser.forest, scores, [0, 0], [0, 1])
    with pytest.raises(ForestError, match="not a part"):
        ForestFactor(variables, parser.forest, scores, [parser.forest.parts], [0])
    with pytest.raises(ForestError, match="in no factor"):
        FactorGraph(Variables.of_sizes([*np.diff(variables.first), 1]), [parser])
    with pytest.raises(ForestError, match="unary"):
        FactorGraph(variables, [parser], np.zeros(1))
    with pytest.raises(ForestError, match="one entry a value"):
        parser.best(np.zeros(1))
    two_words = np.arange(variables.first[2])
    one_variable = np.minimum(two_words, variables.first[1] - 1)
    crooked = ForestFactor(variables, parser.forest, scores, two_words, one_variable)
    with pytest.raises(ForestError, match="2 values for 1 variables"):
        crooked.best(np.zeros(len(crooked.scope)))
