"""The losses in plain Python, one derivation at a time, and objectives as sums over derivations.

The formulas are those of the papers; 0/0 is a perfect score where nothing was due and nothing was
produced, and none at all otherwise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tests.brute import Brute, Edges, log_sum_exp

Floats = NDArray[np.float64]


def _ratio(top: float, bottom: float, d: int, y: int) -> float:
    if bottom == 0:
        return 1.0 if d == y == 0 else 0.0
    return top / bottom


def _f_beta(beta: float) -> Callable[[int, int, int], float]:
    square = beta * beta
    return lambda n, d, y: 1 - _ratio((1 + square) * n, d + square * y, d, y)


# Of a derivation's n, d and of |y|.
COUNT_LOSSES: dict[str, Callable[[int, int, int], float]] = {
    "precision": lambda n, d, y: 1 - _ratio(n, d, d, y),
    "recall": lambda n, d, y: 1 - _ratio(n, y, d, y),
    "f1": _f_beta(1),
    "f2": _f_beta(2),
    "f0.5": _f_beta(0.5),
    "zero-one": lambda n, d, y: 0.0 if n == d == y else 1.0,
    "false-positives": lambda n, d, _y: float(d - n),
}
# Of a part's n, d and c, added up over the parts of a derivation.
PART_LOSSES: dict[str, Callable[[int, int, int], float]] = {
    "hamming": lambda n, d, _c: float(d - n),
    "dec-precision": lambda n, d, _c: float(d - n),
    "dec-recall": lambda n, _d, c: float(max(c, n) - n),
    "dec-f1": lambda n, d, c: float(d - n + max(c, n) - n),
}
LOSSES = sorted({**COUNT_LOSSES, **PART_LOSSES})


def loss_of(model: Brute, name: str, edges: Edges) -> float:
    """A derivation's loss."""
    if name in COUNT_LOSSES:
        n, d, _ = model.totals(edges)
        return COUNT_LOSSES[name](n, d, model.forest.gold_size)
    rows = model.forest.counts.T.tolist()
    return math.fsum(PART_LOSSES[name](*rows[part]) for part in model.parts_of(edges))


@dataclass(frozen=True)
class Twin:
    """An objective's value and gradient by enumeration.

    `smooth` is false where the value has a kink, so that the gradient depends on how ties are
    broken.
    """

    value: float
    gradient: Floats
    smooth: bool = True


def objective(name: str, loss: str, tau: float, model: Brute, gold: Brute) -> Twin:
    """One of the objectives, by enumeration; what is weighed against gold is finite in score."""
    losses = [tau * loss_of(model, loss, d) for _, d in model.weighted]
    if name == "risk":
        return _risk(model, [loss_of(model, loss, d) for _, d in model.weighted])
    if name in ("likelihood", "softmax-margin"):
        extra = losses if name == "softmax-margin" else [0.0] * len(losses)
        total = [score + more for (score, _), more in zip(model.weighted, extra, strict=True)]
        value = log_sum_exp(total) - gold.log_z
        p = np.exp(np.array(total) - log_sum_exp(total))
        return Twin(value, p @ uses(model) - gold.part_marginals())
    return _against_the_best(name, model, gold, losses)


def uses(model: Brute) -> Floats:
    """How often each derivation of finite score uses every part, [derivations, parts]."""
    rows = [np.bincount(model.parts_of(d), minlength=model.forest.parts) for _, d in model.weighted]
    return np.array(rows, dtype=np.float64)


def _risk(model: Brute, losses: list[float]) -> Twin:
    p = np.array([p for p, _ in model.probable])
    value = math.fsum(p * losses)
    return Twin(value, (p * losses) @ uses(model) - value * model.part_marginals())


def _against_the_best(name: str, model: Brute, gold: Brute, losses: list[float]) -> Twin:
    scores, right = [score for score, _ in model.weighted], gold.best()[0]
    slopes = np.ones(len(scores))
    if name == "perceptron":
        values = np.array(scores) - right
    elif name == "hinge":
        values = np.array(scores) + losses - right
    else:
        slopes = np.array(losses)
        values = slopes * (1 + np.array(scores) - right)
    best = values.max()
    wrong = np.unique(np.column_stack([slopes, uses(model)])[values > best - 1e-9], axis=0)
    near = np.array([score for score, _ in gold.weighted]) > right - 1e-9
    golden = np.unique(uses(gold)[near], axis=0)
    gradients = [row[0] * (row[1:] - right_uses) for row in wrong for right_uses in golden]
    at_zero = [np.zeros(model.forest.parts)] if best <= 1e-9 else []
    candidates = at_zero + gradients if best > -1e-9 else at_zero
    smooth = len(np.unique(candidates, axis=0)) == 1
    return Twin(max(0.0, float(best)), candidates[0], smooth)
