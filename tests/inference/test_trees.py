"""Best and k-best trees against enumeration."""

import itertools

import numpy as np
import pytest

from tests.trees import all_trees, arc_scores, cases, ranked, tree_score
from treewright.errors import ForestError
from treewright.inference import trees

SEEDS = range(60)


@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_k_best_spanning_trees_equal_enumeration(seed: int, single_root: bool) -> None:
    scores = arc_scores(seed, 1 + seed % 5)
    wanted = ranked(scores, single_root)
    for k in (1, 2, 7, 2000):
        found = trees.spanning_trees(scores, k, single_root)
        assert np.allclose([score for score, _ in found], wanted[:k])
        heads = [tuple(each.tolist()) for _, each in found]
        assert len(set(heads)) == len(heads)
        assert set(heads) <= set(all_trees(len(scores) - 1, single_root))
        assert np.allclose([tree_score(scores, each) for each in heads], wanted[:k])


def test_all_scores_equal_gives_every_tree_once() -> None:
    found = trees.spanning_trees(np.zeros((5, 5)), 1000, single_root=True)
    assert {tuple(h.tolist()) for _, h in found} == set(all_trees(4, single_root=True))
    assert len(found) == 64  # n^(n - 1) trees of a single root


@pytest.mark.parametrize("search", ["spanning", "projective"])
@pytest.mark.parametrize("seed", range(12))
def test_label_variants_equal_enumeration(seed: int, search: str) -> None:
    words, labels = 1 + seed % 3, 3
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(words + 1, words + 1, labels)).astype(np.float32)
    find = getattr(trees, f"labelled_{search}_trees")
    wanted = sorted(
        (
            sum(
                float(scores[h, m, label])
                for m, (h, label) in enumerate(zip(heads, each, strict=True), 1)
            )
            for heads in all_trees(words, True, search == "projective")
            for each in itertools.product(range(labels), repeat=words)
        ),
        reverse=True,
    )
    for k in (1, 5, 1000):
        found = find(scores, k, True, True)
        assert np.allclose([tree.score for tree in found], wanted[:k], atol=1e-5)
        assert len({(*t.heads.tolist(), *t.labels.tolist()) for t in found}) == len(found)


@pytest.mark.parametrize("projective", [False, True])
def test_without_variants_every_tree_has_its_best_labels(projective: bool) -> None:
    scores = np.random.default_rng(5).normal(size=(5, 5, 4)).astype(np.float32)
    search = trees.labelled_projective_trees if projective else trees.labelled_spanning_trees
    found = search(scores, 1000)
    assert len(found) == len(all_trees(4, True, projective))
    best = scores.max(axis=2)
    for tree in found:
        assert tree.score == pytest.approx(tree_score(best, tree.heads.tolist()), abs=1e-5)
        assert tree.labels.tolist() == [
            scores[h, m].argmax() for m, h in enumerate(tree.heads.tolist(), 1)
        ]
    scores_of = [tree.score for tree in found]
    assert scores_of == sorted(scores_of, reverse=True)


def test_projective_k_best_equals_enumeration() -> None:
    for scores, single_root in cases():
        if not np.isfinite(scores).all():
            continue
        wanted = ranked(scores, single_root, projective=True)
        flat = scores.astype(np.float32)[:, :, None]
        found = trees.labelled_projective_trees(flat, 9, single_root)
        assert np.allclose([tree.score for tree in found], wanted[:9], atol=1e-5)


def test_no_tree_is_no_result_and_bad_scores_are_errors() -> None:
    assert trees.spanning_trees(np.full((3, 3), -np.inf), 4) == []
    with pytest.raises(ForestError, match="square"):
        trees.spanning_trees(np.zeros((2, 3)))
    with pytest.raises(ForestError, match="not a number"):
        trees.spanning_trees(np.full((3, 3), np.nan))
    with pytest.raises(ForestError, match="not a number"):
        trees.spanning_trees(np.full((3, 3), np.inf))
