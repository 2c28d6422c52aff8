"""The k best derivations of joint models against enumeration."""

from random import Random

import pytest

from tests.joint import JointBrute, random_problem
from tests.strategies import plain, tenths
from treewright.errors import ForestError
from treewright.inference import joint_lists


def ranked(problem: JointBrute) -> list[float]:
    """The joint scores of all derivations of the parser, best first."""
    primary = problem.graph.primary
    scores = []
    for values, rows in problem.assignments.items():
        others = sum(max(s for s, _ in row) for f, row in enumerate(rows) if f != primary)
        unary = float(problem.graph.unary[list(values)].sum())
        scores += [unary + others + score for score, _ in rows[primary]]
    return sorted(scores, reverse=True)


@pytest.mark.parametrize("seed", range(40))
def test_lists_equal_enumeration(seed: int) -> None:
    problem = random_problem(Random(seed), (plain, tenths))
    if not problem.assignments:
        return
    wanted = ranked(problem)
    for k in (0, 1, 3, 1000):
        found = joint_lists.kbest(problem.graph, k)
        assert found.certified
        assert [each.score for each in found.derivations] == pytest.approx(wanted[:k])
        distinct = {tuple(each.edges) for each in found.derivations}
        assert len(distinct) == len(found.derivations)


def test_a_list_that_is_cut_short_claims_nothing() -> None:
    """One derivation is listed for each that is wanted: at times another one is better."""
    claims = []
    for seed in range(60):
        problem = random_problem(Random(seed), (plain,), words=4)
        if problem.assignments:
            found = joint_lists.kbest(problem.graph, 1, most=1)
            right = found.derivations[:1] and found.derivations[0].score == pytest.approx(
                ranked(problem)[0]
            )
            assert right or not found.certified
            claims.append(found.certified)
    assert not all(claims)


def test_three_factors_are_never_certified() -> None:
    problem = random_problem(Random(2), (plain,), three=True)
    found = joint_lists.kbest(problem.graph, 3)
    assert not found.certified
    assert found.derivations[0].score == pytest.approx(problem.best()[0])


def test_a_negative_k() -> None:
    with pytest.raises(ForestError, match="negative"):
        joint_lists.kbest(random_problem(Random(0)).graph, -1)
