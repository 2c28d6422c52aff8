"""The log-linear model over all dependency trees, projective or not, by the matrix-tree theorem.

Koo et al. (2007), Smith and Smith (2007). With A(h, m) = exp s(h, m), the Laplacian is L(h, m) =
-A(h, m) off the diagonal and L(m, m) = sum_h A(h, m), and Z = det L. For trees with a single root,
the root's arcs are left out of the diagonal and replace the first row. O(n^3).
"""

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ForestError
from treewright.inference.trees import spanning_trees

MOST_INVERSE = 1e6  # larger entries of an inverse have lost half of their digits
MOST_ELIMINATED, MOST_APART = 400, 1e6  # words, sizes of scores


class TreeMarginals(NamedTuple):
    """log Z, and the probability of each arc, [words + 1, words + 1], head by word."""

    log_z: float
    arcs: Floats


def log_partition(scores: Floats, single_root: bool = True) -> float:
    """The log of the total weight of all trees; -inf if none has weight."""
    return marginals(scores, single_root).log_z if _has_tree(scores, single_root) else -np.inf


def marginals(scores: Floats, single_root: bool = True) -> TreeMarginals:
    """log Z and the probability of each arc; raises an error if no tree has weight."""
    if not _has_tree(scores, single_root):
        raise ForestError("no tree has weight")
    weights, scale = _weights(scores)
    laplacian = _laplacian(weights, single_root)
    try:
        # d log det L / d L = inverse of L, transposed
        slope = np.linalg.inv(laplacian).T
    except np.linalg.LinAlgError:
        return _by_elimination(scores, single_root)
    if not np.abs(slope).max() < MOST_INVERSE:
        return _by_elimination(scores, single_root)
    _, value = np.linalg.slogdet(laplacian)
    root, diagonal = slope.diagonal().copy(), slope.diagonal().copy()
    if single_root:
        root, diagonal[0], slope[0] = slope[0].copy(), 0.0, 0.0
    arcs = np.zeros_like(weights)
    arcs[0, 1:] = weights[0, 1:] * root
    arcs[1:, 1:] = weights[1:, 1:] * (diagonal - slope)
    return TreeMarginals(float(value + scale), arcs)


def _by_elimination(scores: Floats, single_root: bool) -> TreeMarginals:
    """The same if the Laplacian is nearly singular: sums of logs without differences.

    Words are eliminated one by one, like states of a Markov chain (Grassmann, Taksar and Heyman
    1985): after word m is removed, the arc from h to j includes the path from h over m to j. With a
    single root, additional roots cost so much that trees with two of them have no weight.
    """
    log_w = np.where(np.eye(len(scores), dtype=np.bool_), -np.inf, scores)
    finite = log_w[np.isfinite(log_w)]
    penalty = 50.0 + len(scores) * float(np.ptp(finite)) if single_root else 0.0
    if len(scores) > MOST_ELIMINATED or not np.abs(finite).max() + penalty < MOST_APART:
        raise ForestError("scores of arcs are too far apart for sums over trees")
    log_w[0] -= penalty
    log_z, steps = penalty, []
    for m in range(len(scores) - 1, 0, -1):
        total = np.logaddexp.reduce(log_w[:m, m])
        log_p = log_w[:m, m] - total
        over = log_p[:, None] + log_w[m, :m]
        np.fill_diagonal(over, -np.inf)
        log_w = np.logaddexp(log_w[:m, :m], over)
        share = np.exp(over - np.where(np.isfinite(log_w), log_w, 0.0))
        steps.append((np.exp(log_p), share))
        log_z += total
    arcs = np.zeros((1, 1))
    for p, share in reversed(steps):
        over = arcs * share
        into = p * (1.0 - over.sum()) + over.sum(axis=1)
        arcs = np.block([[arcs - over, into[:, None]], [over.sum(axis=0), np.zeros(1)]])
    return TreeMarginals(float(log_z), arcs)


def _has_tree(scores: Floats, single_root: bool) -> bool:
    """Whether any tree has weight; rounding can turn a determinant of 0 into something else."""
    return bool(spanning_trees(scores, 1, single_root))


def _weights(scores: Floats) -> tuple[Floats, float]:
    """exp of scores, scaled so that each word's best arc is 1, and the log of the scale."""
    allowed = np.where(np.eye(len(scores), dtype=np.bool_), -np.inf, scores)
    best = allowed[:, 1:].max(axis=0)
    weights = np.zeros_like(allowed)
    weights[:, 1:] = np.exp(allowed[:, 1:] - best)
    return weights, float(best.sum())


def _laplacian(weights: Floats, single_root: bool) -> Floats:
    inner = weights[1:, 1:]
    laplacian = np.diag(inner.sum(axis=0)) - inner
    if single_root:
        laplacian[0] = weights[0, 1:]
    else:
        laplacian += np.diag(weights[0, 1:])
    return laplacian
