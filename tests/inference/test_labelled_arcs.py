"""Sums over labelled trees, and the tree that is expected to be right, against enumeration."""

from itertools import product

import numpy as np
import pytest

from tests.brute import log_sum_exp
from tests.checks import assert_close
from tests.trees import all_trees
from treewright.forests.dependency.arcs import complete_arcs
from treewright.inference import exact
from treewright.inference.labelled_arcs import (
    most_expected,
    part_scores,
    projective_marginals,
    spanning_marginals,
    sum_labels,
)
from treewright.inference.trees import labelled_spanning_trees

LABELS = 2


def labelled_scores(seed: int, words: int) -> np.ndarray:
    """Scores [head, word, label] of which some arcs lack a label."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=2.0, size=(words + 1, words + 1, LABELS))
    scores[rng.random((words + 1, words + 1)) < 0.2, 1] = -np.inf
    scores[range(words + 1), range(words + 1)] = -np.inf
    return scores


def labelled_trees(words: int, projective: bool) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    heads = all_trees(words, single_root=True, projective=projective)
    return [(each, labels) for each in heads for labels in product(range(LABELS), repeat=words)]


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_equals_enumeration(seed: int, projective: bool) -> None:
    words = 1 + seed % 4
    scores = labelled_scores(seed, words)
    every, places = labelled_trees(words, projective), range(1, words + 1)
    values = [sum(scores[list(h), places, list(labels)]) for h, labels in every]
    log_z = log_sum_exp(values)
    wanted = np.zeros_like(scores)
    for (heads, labels), value in zip(every, values, strict=True):
        wanted[list(heads), places, list(labels)] += np.exp(value - log_z)
    summed = sum_labels(scores)
    found = (projective_marginals if projective else spanning_marginals)(summed.arcs)
    assert found.log_z == pytest.approx(log_z)
    assert_close(found.arcs[..., None] * summed.share, wanted, 1e-10)
    best = max(sum(wanted[list(h), places, list(labels)]) for h, labels in every)
    tree = most_expected(scores, found.arcs, projective)
    assert tree.score == pytest.approx(best, abs=1e-6)
    assert sum(wanted[tree.heads, places, tree.labels]) == pytest.approx(best, abs=1e-6)


def test_the_expected_tree_need_not_be_the_best() -> None:
    """Word 3 is word 2's head in the best tree, but in neither of the two others."""
    scores = np.full((4, 4, 1), -np.inf)
    scores[0, 1] = 0.0
    scores[1, 2], scores[3, 2] = 1.0, 1.2
    scores[1, 3], scores[2, 3] = 1.0, 1.0
    (best,) = labelled_spanning_trees(scores.astype(np.float32))
    assert best.heads.tolist() == [0, 3, 1]
    summed = sum_labels(scores)
    tree = most_expected(scores, spanning_marginals(summed.arcs).arcs, projective=False)
    assert tree.heads.tolist() == [0, 1, 1]


@pytest.mark.parametrize("projective", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_ties_go_to_the_best_tree_of_the_model(seed: int, projective: bool) -> None:
    """Posteriors of few values, so that many trees are worth the same; some arcs are forbidden."""
    words, rng = 2 + seed % 3, np.random.default_rng(seed)
    scores = labelled_scores(seed, words)
    posterior = rng.integers(0, 3, size=(words + 1, words + 1)) / 3
    share = sum_labels(scores).share
    every, places = labelled_trees(words, projective), range(1, words + 1)

    def worth(tree: tuple[tuple[int, ...], tuple[int, ...]]) -> tuple[float, float]:
        heads, labels = map(list, tree)
        gain = (posterior[heads, places] * share[heads, places, labels]).sum()
        score = scores[heads, places, labels].sum()
        return (-np.inf, score) if np.isneginf(score) else (round(gain, 8), score)

    tree = most_expected(scores, posterior, projective)
    wanted = max(map(worth, every))
    assert worth((tuple(tree.heads), tuple(tree.labels))) == pytest.approx(wanted)


def test_second_order_scores_break_ties() -> None:
    """Every projective tree of three words is worth the same, so the model's best one is found."""
    rng = np.random.default_rng(5)
    forest = complete_arcs(3, True, True)
    scores, siblings = rng.normal(size=(4, 4, 1)), rng.normal(size=len(forest.siblings))
    tree = most_expected(scores, np.ones((4, 4)), True, True, siblings)
    best = exact.viterbi(forest.forest, part_scores(forest, scores[..., 0], siblings))
    assert tree.heads.tolist() == forest.heads_of(best.edges).tolist()
