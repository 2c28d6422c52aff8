"""The best and the k best dependency trees under arc scores, over all trees or projective ones.

All trees: maximum spanning arborescences by Tarjan's contraction in O(n^2), the next ones by
Camerini, Fratta and Maffioli (1980) and Hall (2007), `cpp/dependency/contraction.cpp`. Projective:
the Eisner forest and the core's k-best derivations.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arrays import Floats, Floats32, Indices
from treewright.errors import ForestError
from treewright.forests.dependency.arcs import complete_arcs
from treewright.inference import exact


class ScoredTree(NamedTuple):
    """Indices (words count from 1, the root is 0), labels and the score of a tree."""

    heads: Indices
    labels: Indices
    score: float


def spanning_trees(
    scores: Floats, k: int = 1, single_root: bool = True
) -> list[tuple[float, Indices]]:
    """The k best trees of arc scores [words + 1, words + 1], head by word."""
    words = _words(scores)
    return _core.best_trees(words, np.ascontiguousarray(scores, np.float64).ravel(), k, single_root)


def spanning_tree_by(gains: Floats, scores: Floats, single_root: bool = True) -> Indices:
    """The heads of the tree with the largest gain; ties are broken by the score.

    Gains and scores are [words + 1, words + 1], head by word; gains are multiples of a power of 2,
    so that their sums are exact (`exact.rounded`).
    """
    gain, score = (np.ascontiguousarray(each, np.float64).ravel() for each in (gains, scores))
    heads = _core.best_tree_by(_words(gains), gain, score, single_root)
    if not len(heads):
        raise ForestError("no tree has a finite score")
    return heads


def labelled_spanning_trees(
    scores: Floats32, k: int = 1, single_root: bool = True, variants: bool = False
) -> list[ScoredTree]:
    """The k best labelled trees under scores [words + 1, words + 1, labels].

    With `variants`, trees that only differ in labels are different; otherwise each unlabelled tree
    occurs once, with its best labels.
    """
    words, labels = _words(scores), scores.shape[2]
    flat = np.ascontiguousarray(scores, np.float32).ravel()
    trees = _core.best_labelled_trees(words, labels, flat, k, single_root, variants)
    return [ScoredTree(*each) for each in trees]


def labelled_projective_trees(
    scores: Floats32, k: int = 1, single_root: bool = True, variants: bool = False
) -> list[ScoredTree]:
    """The k best labelled projective trees; see `labelled_spanning_trees`."""
    words, labels = _words(scores), scores.shape[2]
    arcs = complete_arcs(words, single_root)
    best = scores.max(axis=2).astype(np.float64)[arcs.head, arcs.word]
    padded = np.zeros(arcs.forest.parts)
    padded[: len(arcs)] = best
    listed = exact.kbest(arcs.forest, padded, k)
    heads = [arcs.heads_of(each.edges) for each in listed]
    flat = np.ascontiguousarray(scores, np.float32).ravel()
    groups = [heads] if variants else [[each] for each in heads]
    count = k if variants else 1
    found_trees = [_core.best_labellings(g, words, labels, flat, count) for g in groups if g]
    return [ScoredTree(*tree) for group in found_trees for tree in group]


def _words(scores: NDArray[np.floating]) -> int:
    if scores.ndim < 2 or scores.shape[0] != scores.shape[1] or scores.shape[0] < 2:
        raise ForestError(f"arc scores must be square, heads by words, not {scores.shape}")
    return len(scores) - 1
