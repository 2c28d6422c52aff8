"""Arc forests: every projective tree once, gold trees, counts, and all objectives on them."""

import numpy as np
import pytest

from tests.checks import assert_close, central_differences
from tests.trees import all_trees, arc_scores, ranked
from treewright.data.dependency import is_projective
from treewright.errors import ForestError
from treewright.forests.dependency.arcs import Arcs, arc_forest, complete_arcs
from treewright.inference import exact, oracle
from treewright.losses import objective_named
from treewright.models.dependency.graph.parser import sibling_rows


@pytest.mark.parametrize("siblings", [False, True])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("words", range(1, 6))
def test_every_projective_tree_is_one_derivation(
    words: int, single_root: bool, siblings: bool
) -> None:
    arcs = complete_arcs(words, single_root, siblings)
    found = exact.kbest(arcs.forest, np.zeros(arcs.forest.parts), 10_000)
    heads = [tuple(arcs.heads_of(each.edges).tolist()) for each in found]
    assert len(set(heads)) == len(heads)
    assert set(heads) == set(all_trees(words, single_root, projective=True))


@pytest.mark.parametrize("seed", range(30))
def test_k_best_with_forbidden_arcs_equals_enumeration(seed: int) -> None:
    words = 1 + seed % 5
    scores = arc_scores(seed, words)
    head, word = np.nonzero(np.isfinite(scores))
    keep = (word > 0) & (head != word)
    wanted = ranked(scores, True, projective=True)
    if not wanted:
        with pytest.raises(ForestError, match="projective tree"):
            arc_forest(words, head[keep], word[keep])
        return
    arcs = arc_forest(words, head[keep], word[keep])
    assert not len(np.setdiff1d(arcs.forest.unreachable_parts(), np.arange(len(arcs))))
    parts = np.append(scores[arcs.head, arcs.word], 0.0)
    found = exact.kbest(arcs.forest, parts, 8)
    assert np.allclose([each.score for each in found], wanted[:8])


def test_sibling_parts_are_those_of_the_tree() -> None:
    arcs = complete_arcs(5, True, siblings=True)
    for derivation in exact.kbest(arcs.forest, np.zeros(arcs.forest.parts), 1000):
        parts = arcs.forest.part[derivation.edges]
        used = parts[(parts >= len(arcs)) & (parts < arcs.forest.parts - 1)] - len(arcs)
        rows = sibling_rows(arcs.heads_of(derivation.edges))
        wanted = sorted(zip(rows.head, rows.word, rows.sibling, strict=True))
        assert sorted(map(tuple, arcs.siblings[used].tolist())) == wanted


def labelled(words: int, labels: int, siblings: bool = False) -> Arcs:
    bare = complete_arcs(words)
    repeat = (np.repeat(each, labels) for each in (bare.head, bare.word))
    return arc_forest(words, *repeat, np.tile(np.arange(labels), len(bare)), siblings)


@pytest.mark.parametrize("siblings", [False, True])
def test_gold_is_the_one_tree(siblings: bool) -> None:
    arcs = labelled(4, 2, siblings)
    heads, labels = [2, 0, 2, 3], [1, 0, 0, 1]
    gold = arcs.gold(heads, labels)
    assert exact.count(gold) == 1
    assert exact.count(arcs.gold(heads)) == 2**4
    edges = exact.viterbi(arcs.counted(heads, labels).gold(heads, labels), _zeros(arcs)).edges
    assert len(edges) > 0
    with pytest.raises(ForestError, match="do not form"):
        arcs.gold([3, 4, 0, 3])
    assert not is_projective([3, 4, 0, 3])


def _zeros(arcs: Arcs) -> np.ndarray:
    return np.zeros(arcs.forest.parts)


def test_counts_are_those_of_attachment() -> None:
    heads, labels = np.array([2, 0, 2]), np.array([1, 0, 1])
    for gold_labels in (labels, None):
        arcs = labelled(3, 2).counted(heads, gold_labels)
        for derivation in exact.kbest(arcs.forest, _zeros(arcs), 1000):
            n, d, _ = arcs.forest.totals(derivation.edges)
            right = arcs.heads_of(derivation.edges) == heads
            if gold_labels is not None:
                right &= arcs.label[arcs.arcs_of(derivation.edges)] == labels
            assert (n, d) == (right.sum(), 3)
        assert oracle.best_f1(arcs.forest).f == 1.0


@pytest.mark.parametrize("siblings", [False, True])
@pytest.mark.parametrize(
    ("name", "loss"),
    [
        ("likelihood", "f1"),
        ("softmax-margin", "f1"),
        ("softmax-margin", "hamming"),
        ("softmax-margin", "zero-one"),
        ("softmax-margin", "dec-f1"),
        ("risk", "f1"),
        ("hinge", "hamming"),
    ],
)
def test_objectives_have_their_gradients(name: str, loss: str, siblings: bool) -> None:
    heads, labels = [2, 0, 2], [1, 0, 1]
    arcs = labelled(3, 2, siblings).counted(heads, labels)
    gold = arcs.gold(heads, labels)
    objective = objective_named(name, loss, tau=1.5)
    scores = np.random.default_rng(1).normal(size=arcs.forest.parts)
    _, gradient = objective.value_and_gradient(arcs.forest, scores, gold)
    wanted = central_differences(
        lambda s: objective.value_and_gradient(arcs.forest, s, gold)[0], scores
    )
    assert_close(gradient, wanted, 1e-7)


def test_bad_arcs_are_errors() -> None:
    with pytest.raises(ForestError, match="does not join"):
        arc_forest(2, [1], [1])
    with pytest.raises(ForestError, match="does not join"):
        arc_forest(2, [1], [3])
    with pytest.raises(ForestError, match="differ in number"):
        arc_forest(2, [1, 0], [2])
    with pytest.raises(ForestError, match="1 to 16383 words"):
        arc_forest(0, [], [])
    with pytest.raises(ForestError, match="more than 10 edges"):
        arc_forest(4, complete_arcs(4).head, complete_arcs(4).word, max_edges=10)
