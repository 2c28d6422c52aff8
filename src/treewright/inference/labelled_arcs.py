"""Sums over labelled dependency trees: an arc's labels are summed into one weight.

Labels are independent given the arcs, so the weight of an arc is the sum over its labels, for
projective trees (Eisner forest) and for all trees (matrix-tree theorem).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices
from treewright.forests.dependency.arcs import Arcs, complete_arcs
from treewright.inference import exact, matrix_tree, trees
from treewright.inference.matrix_tree import TreeMarginals


class ProjectiveMarginals(NamedTuple):
    """log Z, and the probabilities of arcs [head, word] and of the forest's sibling parts."""

    log_z: float
    arcs: Floats
    siblings: Floats


class LabelSums(NamedTuple):
    """Arc scores [head, word], and the conditional probabilities of labels [head, word, label]."""

    arcs: Floats
    share: Floats


def sum_labels(scores: NDArray[np.floating]) -> LabelSums:
    """s(h, m) = log sum_l exp s(h, m, l), and p(l | h, m); -inf and 0 if no label is allowed."""
    wide = scores.astype(np.float64)
    best = wide.max(axis=2, keepdims=True)
    best[np.isneginf(best)] = 0.0
    weights = np.exp(wide - best)
    total = weights.sum(axis=2, keepdims=True)
    with np.errstate(divide="ignore"):
        arcs = (best + np.log(total))[..., 0]
    return LabelSums(arcs, np.divide(weights, total, out=weights, where=total > 0))


def spanning_marginals(arcs: Floats, single_root: bool = True) -> TreeMarginals:
    """log Z and the probability of each arc, over all trees."""
    return matrix_tree.marginals(arcs, single_root)


def projective_marginals(
    arcs: Floats, single_root: bool = True, siblings: Floats | None = None
) -> ProjectiveMarginals:
    """log Z and marginals over projective trees; `siblings` are scores of the forest's siblings."""
    forest = complete_arcs(len(arcs) - 1, single_root, siblings is not None)
    marginals = exact.marginals(forest.forest, part_scores(forest, arcs, siblings))
    out = np.zeros_like(arcs)
    out[forest.head, forest.word] = marginals.parts[: len(forest)]
    return ProjectiveMarginals(marginals.log_z, out, marginals.parts[len(forest) : -1])


def part_scores(forest: Arcs, arcs: Floats, siblings: Floats | None = None) -> Floats:
    """The scores of a complete forest's parts."""
    parts = np.zeros(forest.forest.parts)
    parts[: len(forest)] = arcs[forest.head, forest.word]
    if siblings is not None:
        parts[len(forest) : -1] = siblings
    return parts


def most_expected(
    scores: NDArray[np.floating],
    marginals: Floats,
    projective: bool,
    single_root: bool = True,
    siblings: Floats | None = None,
) -> trees.ScoredTree:
    """The labelled tree with the highest expected number of correct arcs, and this number.

    Ties are broken by the model score.

    Args:
        scores: the model's scores, [head, word, label]; -inf forbids.
        marginals: the probabilities of arcs [head, word].
        projective: whether to search projective trees only.
        single_root: whether trees have only one root.
        siblings: second-order scores of the projective forest.
    """
    gains = np.where(np.isneginf(scores), -np.inf, marginals[..., None] * sum_labels(scores).share)
    label, gain, score = _best_labels(gains, scores.astype(np.float64))
    if projective:
        heads = _projective_by(gain, score, single_root, siblings)
    else:
        heads = trees.spanning_tree_by(gain, score, single_root)
    words = np.arange(1, len(heads) + 1)
    labels = label[heads, words].astype(np.int32)
    return trees.ScoredTree(heads, labels, float(gains[heads, words, labels].sum()))


def _best_labels(gains: Floats, scores: Floats) -> tuple[NDArray[np.intp], Floats, Floats]:
    """For each arc [head, word], the label with the largest gain, this gain and its score."""
    even = exact.rounded(gains)
    gain = even.max(axis=2)
    tied = np.where(even == gain[..., None], scores, -np.inf)
    return tied.argmax(axis=2), gain, tied.max(axis=2)


def _projective_by(
    gain: Floats, score: Floats, single_root: bool, siblings: Floats | None
) -> Indices:
    forest = complete_arcs(len(gain) - 1, single_root, siblings is not None)
    zeros = None if siblings is None else np.zeros_like(siblings)
    parts = part_scores(forest, gain, zeros), part_scores(forest, score, siblings)
    return forest.heads_of(exact.viterbi_by(forest.forest, *parts).edges)
