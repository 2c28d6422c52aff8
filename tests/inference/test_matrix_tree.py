"""The matrix-tree theorem against enumeration and central differences."""

import numpy as np
import pytest

from tests.brute import log_sum_exp
from tests.checks import assert_close, central_differences
from tests.trees import all_trees, arc_scores, tree_score
from treewright.errors import ForestError
from treewright.inference import matrix_tree


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_equals_enumeration(seed: int, single_root: bool) -> None:
    scores = arc_scores(seed, 1 + seed % 5)
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
    assert_close(found.arcs, wanted, 1e-10)


@pytest.mark.parametrize("single_root", [False, True])
def test_marginals_are_the_gradient(single_root: bool) -> None:
    scores = arc_scores(3, 4)
    gradient = central_differences(
        lambda s: matrix_tree.log_partition(s.reshape(5, 5), single_root), scores.ravel()
    )
    assert_close(matrix_tree.marginals(scores, single_root).arcs.ravel(), gradient, 1e-9)


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
