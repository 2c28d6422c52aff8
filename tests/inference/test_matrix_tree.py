"""The matrix-tree theorem against enumeration and central differences."""

import numpy as np
import pytest

from tests.brute import log_sum_exp
from tests.checks import Floats, assert_close, central_differences
from tests.trees import all_trees, arc_scores, tree_score
from treewright.errors import ForestError
from treewright.inference import matrix_tree


def assert_enumerated(scores: Floats, single_root: bool, tolerance: float) -> None:
    """log Z and marginals are those of all trees."""
    every = all_trees(len(scores) - 1, single_root)
    log_z = log_sum_exp(tree_score(scores, heads) for heads in every)
    assert matrix_tree.log_partition(scores, single_root) == pytest.approx(log_z)
    if log_z == -np.inf:
        return
    wanted = np.zeros_like(scores)
    for heads in every:
        p = np.exp(tree_score(scores, heads) - log_z)
        wanted[list(heads), range(1, len(scores))] += p
    found = matrix_tree.marginals(scores, single_root)
    assert found.log_z == pytest.approx(log_z)
    assert_close(found.arcs, wanted, tolerance)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_equals_enumeration(seed: int, single_root: bool) -> None:
    assert_enumerated(arc_scores(seed, 1 + seed % 5), single_root, 1e-10)


@pytest.mark.parametrize("single_root", [False, True])
def test_marginals_are_the_gradient(single_root: bool) -> None:
    scores = arc_scores(3, 4)
    gradient = central_differences(
        lambda s: matrix_tree.log_partition(s.reshape(5, 5), single_root), scores.ravel()
    )
    assert_close(matrix_tree.marginals(scores, single_root).arcs.ravel(), gradient, 1e-9)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("apart", [20.0, 300.0, 3000.0])
def test_cycles_that_nearly_all_trees_break(seed: int, single_root: bool, apart: float) -> None:
    """Words that like each other much better than the root: the Laplacian is nearly singular."""
    scores = arc_scores(seed, 2 + seed % 4)
    scores[1, 2] += apart
    scores[2, 1] += apart
    scores[0] -= apart / 2
    assert_enumerated(scores, single_root, 1e-8)


def test_large_scores_do_not_overflow() -> None:
    scores = 2000.0 + arc_scores(0, 5)
    found = matrix_tree.log_partition(scores)
    assert found == pytest.approx(10_000 + matrix_tree.log_partition(scores - 2000.0))


def test_no_tree_and_bad_shapes() -> None:
    forbidden = np.full((3, 3), -np.inf)
    assert matrix_tree.log_partition(forbidden) == -np.inf
    with pytest.raises(ForestError, match="no tree"):
        matrix_tree.marginals(forbidden)
    with pytest.raises(ForestError, match="square"):
        matrix_tree.log_partition(np.zeros((2, 3)))
