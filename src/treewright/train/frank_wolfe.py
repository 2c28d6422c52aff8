"""Structured SVMs by block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013).

The dual has one simplex for each example; a step moves one of them towards the example's most
violated plane, by the best step size, which has a closed form. With lambda = 1/C the objective is

    lambda |w|^2 / 2 + 1/n sum_i hinge_i(w),    w = sum_i w_i,    l = sum_i l_i

and the duality gap, lambda |w|^2 - l + 1/n sum_i hinge_i(w) over all planes at w, bounds how far it
is from its minimum. No quadratic programme, and one sentence at a time.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats
from treewright.train.planes import Planes


@dataclass(frozen=True)
class Pass:
    """One pass: the objective in the paper's scale, C times the above, and the duality gap.

    The hinges are those at which each step was taken, so that the objective and the gap cost no
    sweep of their own; `exact` says that they are of the final weights instead.
    """

    number: int
    primal: float
    gap: float
    seconds: float
    exact: bool = False


def frank_wolfe(
    planes: Planes,
    features: int,
    c: float,
    epsilon: float,
    passes: int,
    seed: int,
    averaging: bool,
    on_pass: Callable[[Pass, Floats], None],
) -> Floats:
    """The weights; stops when the gap, estimated over a pass, is at most epsilon * C."""
    size, scale = len(planes), c / len(planes)  # 1 / (lambda n)
    weights, total = np.zeros(features), 0.0
    own = [np.zeros(len(example.features.vocabulary)) for example in planes.examples]
    share = np.zeros(size)
    mean, steps = np.zeros(features), 0
    rng = np.random.default_rng(seed)
    began = time.process_time()
    for number in range(1, passes + 1):
        hinges = gap = 0.0
        for example in rng.permutation(size).tolist():
            value, slope, offset = planes.violation(example, weights)
            vocabulary = planes.examples[example].features.vocabulary
            away = own[example] + scale * slope  # w_s = -g / (lambda n)
            # gamma = (lambda (w_i - w_s).w - l_i + l_s) / (lambda |w_i - w_s|^2)
            gain = float(away @ weights[vocabulary]) / c - share[example] + offset / size
            hinges, gap = hinges + value, gap + gain
            length = float(away @ away) / c
            step = min(1.0, max(0.0, gain / length)) if length > 0 else 0.0
            weights[vocabulary] -= step * away
            own[example] -= step * away
            change = step * (offset / size - share[example])
            share[example] += change
            total += change
            steps += 1
            if averaging and steps % size == 0:
                mean += (2.0 / (number + 1)) * (weights - mean)
        primal = 0.5 * float(weights @ weights) + c * hinges / size
        shown = mean if averaging else weights
        on_pass(Pass(number, primal, c * gap, time.process_time() - began), shown)
        if gap <= epsilon:
            break
    return mean if averaging else weights


def exact_gap(planes: Planes, weights: Floats, c: float, dual: float) -> tuple[float, float]:
    """The objective at these weights, and its distance from a value of the dual."""
    hinges = [planes.most_violated(example, weights)[0] for example in range(len(planes))]
    primal = 0.5 * float(weights @ weights) + c * float(np.mean(hinges))
    return primal, primal - dual
