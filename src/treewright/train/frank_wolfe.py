"""Structured SVMs by block-coordinate Frank-Wolfe (Lacoste-Julien et al. 2013).

The dual has one simplex for each example; a step moves one of them towards the example's most
violated plane, by the best step size, which has a closed form. With lambda = 1/C the objective is

    lambda |w|^2 / 2 + 1/n sum_i hinge_i(w),    w = sum_i w_i,    l = sum_i l_i

and the duality gap, lambda |w|^2 - l + 1/n sum_i hinge_i(w) over all planes at w, bounds how far it
is from its minimum. No quadratic programme, and one sentence at a time.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.train.cutting_planes import Hinges, SvmSettings
from treewright.train.learner import Arrays, State, Step, Tick, Values, silent

VALUES = ("passes", "place", "converged", "hinge", "gap", "seconds")


class FrankWolfe:
    """A learner that stops when the gap, estimated over a pass, is at most epsilon * C.

    The hinges are those at which each step was taken, so that the objective and the gap cost no
    sweep of their own. The objective of its steps is in the scale of `treewright.train.one_slack`.
    """

    def __init__(self, hinges: Hinges, features: int, settings: SvmSettings, seed: int) -> None:
        self.hinges, self.settings = hinges, settings
        self.weights, self.mean = np.zeros((2, features))
        sizes = [len(example.features.vocabulary) for example in hinges.examples]
        self.ends = np.cumsum([0, *sizes])
        self.own, self.share = np.zeros(self.ends[-1]), np.zeros(len(hinges))  # w_i, l_i
        self.passes = self.place = 0
        self.converged, self.hinge, self.gap, self.seconds = False, 0.0, 0.0, 0.0
        self._random = np.random.default_rng(seed)
        self._order = self._random.permutation(len(hinges))

    @property
    def done(self) -> bool:
        return self.converged or self.passes >= self.settings.iterations

    def model(self) -> Arrays:
        return {"weights": (self.mean if self.settings.averaging else self.weights).copy()}

    def state(self) -> State:
        arrays = {"weights": self.weights, "mean": self.mean, "own": self.own, "share": self.share}
        return arrays, {name: getattr(self, name) for name in VALUES}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        for name, array in arrays.items():
            setattr(self, name, array.copy())
        for name in VALUES:
            setattr(self, name, values[name])
        for _ in range(self.passes):
            self._order = self._random.permutation(len(self.hinges))

    def advance(self, tick: Tick = silent) -> Step:
        size, c = len(self.hinges), self.settings.c
        while self.place < size:
            began = time.process_time()
            self._move(int(self._order[self.place]))
            self.place += 1
            self.seconds += time.process_time() - began
            if self.place < size:
                tick(self.passes + self.place / size)
        self.passes += 1
        if self.settings.averaging:
            self.mean += (2.0 / (self.passes + 1)) * (self.weights - self.mean)
        primal = 0.5 * float(self.weights @ self.weights) + c * self.hinge / size
        figures = {"gap": c * self.gap, "cpu_seconds": self.seconds}
        self.converged = self.gap <= self.settings.epsilon
        self.place, self.hinge, self.gap = 0, 0.0, 0.0
        self._order = self._random.permutation(size)
        return Step(self.passes, primal, figures)

    def _move(self, example: int) -> None:
        """One step of the block of an example."""
        size, c = len(self.hinges), self.settings.c
        value, slope, offset = self.hinges.violation(example, self.weights)
        vocabulary = self.hinges.examples[example].features.vocabulary
        own = self.own[self.ends[example] : self.ends[example + 1]]
        away = own + c / size * slope  # w_s = -g / (lambda n)
        # gamma = (lambda (w_i - w_s).w - l_i + l_s) / (lambda |w_i - w_s|^2)
        gain = float(away @ self.weights[vocabulary]) / c - self.share[example] + offset / size
        self.hinge, self.gap = self.hinge + value, self.gap + float(gain)
        length = float(away @ away) / c
        step = min(1.0, max(0.0, gain / length)) if length > 0 else 0.0
        self.weights[vocabulary] -= step * away
        own -= step * away
        self.share[example] += step * (offset / size - self.share[example])
