"""Structured SVMs by cutting planes (Joachims, Finley and Yu 2009), on any hinge objective.

    min_w |w|^2 / 2 + C/n sum_i hinge_i(w)

n-slack keeps planes of each example's hinge, 1-slack planes of their mean (docs/theory.md). Either
stops when no plane at the present weights is violated by more than epsilon, at which point the
objective is within C * epsilon of its minimum.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from treewright.arrays import Floats
from treewright.losses.batch import BatchObjective
from treewright.train.planes import Plane, Planes
from treewright.train.qp import solve_dual

MOST_IDLE = 25  # a plane without weight for so many rounds is dropped


@dataclass(frozen=True)
class Round:
    """One round: the objective, its lower bound, planes in use, and where the seconds went."""

    number: int
    primal: float
    dual: float
    planes: int
    qp_seconds: float
    seconds: float


OnRound = Callable[[Round, Floats], None]


def one_slack(
    batch: BatchObjective, c: float, epsilon: float, rounds: int, on_round: OnRound
) -> Floats:
    """The weights, by planes of the mean hinge."""
    size = len(batch)
    slopes = np.zeros((0, batch.features))
    offsets, idle = np.zeros(0), np.zeros(0, dtype=int)
    gram = np.zeros((0, 0))
    weights, bound, best = np.zeros(batch.features), 0.0, np.inf
    chosen = weights
    began, qp_seconds = time.process_time(), 0.0
    for number in range(1, rounds + 1):
        value, gradient = batch.value_and_gradient(weights)
        risk, slope = value / size, gradient / size
        primal = 0.5 * float(weights @ weights) + c * risk
        if primal < best:
            best, chosen = primal, weights
        on_round(
            Round(number, best, bound, len(offsets), qp_seconds, time.process_time() - began),
            chosen,
        )
        slack = max(0.0, float((slopes @ weights + offsets).max(initial=0.0)))
        if risk - slack <= epsilon:
            break
        products = slopes @ slope
        gram = np.block([[gram, products[:, None]], [products[None], np.array([[slope @ slope]])]])
        slopes = np.vstack((slopes, slope))
        offsets = np.append(offsets, risk - float(slope @ weights))
        idle = np.append(idle, 0)
        before = time.process_time()
        share = solve_dual(gram, offsets, sp.csr_matrix(np.ones((1, len(offsets)))), np.array([c]))
        qp_seconds += time.process_time() - before
        weights = -(share @ slopes)
        bound = float(offsets @ share) - 0.5 * float(weights @ weights)
        idle = np.where(share > 1e-9 * c, 0, idle + 1)
        keep = idle < MOST_IDLE
        slopes, offsets, idle, gram = (
            slopes[keep],
            offsets[keep],
            idle[keep],
            gram[np.ix_(keep, keep)],
        )
    return chosen


def n_slack(
    planes: Planes, features: int, c: float, epsilon: float, rounds: int, on_round: OnRound
) -> Floats:
    """The weights, by planes of every example's hinge."""
    size = len(planes)
    kept: list[tuple[int, Plane]] = []
    weights, slack, bound = np.zeros(features), np.zeros(size), 0.0
    best, chosen = np.inf, weights
    began, qp_seconds = time.process_time(), 0.0
    for number in range(1, rounds + 1):
        found = [planes.most_violated(example, weights) for example in range(size)]
        values = np.array([value for value, _ in found])
        primal = 0.5 * float(weights @ weights) + c * float(values.mean())
        if primal < best:
            best, chosen = primal, weights
        on_round(
            Round(number, best, bound, len(kept), qp_seconds, time.process_time() - began), chosen
        )
        violated = np.flatnonzero(values > slack + epsilon)
        if not len(violated):
            break
        kept += [(int(example), found[example][1]) for example in violated]
        before = time.process_time()
        weights, slack, bound = _solve(kept, size, features, c)
        qp_seconds += time.process_time() - before
    return chosen


def _solve(
    kept: list[tuple[int, Plane]], size: int, features: int, c: float
) -> tuple[Floats, Floats, float]:
    """Weights, slacks and the dual's value for these planes."""
    first = np.cumsum([0, *(len(plane.features) for _, plane in kept)])
    columns = np.concatenate([plane.features for _, plane in kept])
    values = np.concatenate([plane.values for _, plane in kept])
    slopes = sp.csr_matrix((values, columns, first), shape=(len(kept), features))
    offsets = np.array([plane.offset for _, plane in kept])
    owner = np.array([example for example, _ in kept])
    owners, row = np.unique(owner, return_inverse=True)
    ones = np.ones(len(kept))
    groups = sp.csr_matrix((ones, (row, np.arange(len(kept)))), shape=(len(owners), len(kept)))
    gram = (slopes @ slopes.T).toarray()
    share = solve_dual(gram, offsets, groups, np.full(len(owners), c / size))
    weights = -(slopes.T @ share)
    slack = np.zeros(size)
    np.maximum.at(slack, owner, slopes @ weights + offsets)
    return weights, slack, float(offsets @ share) - 0.5 * float(weights @ weights)
