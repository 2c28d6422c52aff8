"""The log-linear model over all dependency trees, projective or not, by the matrix-tree theorem.

Koo et al. (2007), Smith and Smith (2007). With A(h, m) = exp s(h, m), the Laplacian is
L(h, m) = -A(h, m) off the diagonal and L(m, m) = sum_h A(h, m), and Z = det L. For trees of a
single root the root leaves the diagonal, and its arcs take the place of the first row. O(n^3).
"""

from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ForestError
from treewright.inference.trees import spanning_trees


class TreeMarginals(NamedTuple):
    """log Z, and the probability of every arc, [words + 1, words + 1], head by word."""

    log_z: float
    arcs: Floats


def log_partition(scores: Floats, single_root: bool = True) -> float:
    """log of the summed weights of all trees; -inf if none has weight."""
    if not _has_tree(scores, single_root):
        return -np.inf
    weights, scale = _weights(scores)
    _, value = np.linalg.slogdet(_laplacian(weights, single_root))
    return float(value + scale)


def marginals(scores: Floats, single_root: bool = True) -> TreeMarginals:
    """log Z and the probability of every arc; raises where no tree has weight."""
    if not _has_tree(scores, single_root):
        raise ForestError("no tree has weight")
    weights, scale = _weights(scores)
    laplacian = _laplacian(weights, single_root)
    _, value = np.linalg.slogdet(laplacian)
    # d log det L / d L = inverse of L, transposed
    slope = np.linalg.inv(laplacian).T
    root, diagonal = slope.diagonal().copy(), slope.diagonal().copy()
    if single_root:
        root, diagonal[0], slope[0] = slope[0].copy(), 0.0, 0.0
    arcs = np.zeros_like(weights)
    arcs[0, 1:] = weights[0, 1:] * root
    arcs[1:, 1:] = weights[1:, 1:] * (diagonal - slope)
    return TreeMarginals(float(value + scale), arcs)


def _has_tree(scores: Floats, single_root: bool) -> bool:
    """Rounding turns a determinant of 0 into something else: forbidden arcs are looked at."""
    return bool(spanning_trees(scores, 1, single_root))


def _weights(scores: Floats) -> tuple[Floats, float]:
    """exp of scores, each word's best arc scaled to 1, and the log of the scale."""
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
