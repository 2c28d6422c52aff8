"""Structured SVMs by cutting planes of the mean hinge (Joachims, Finley and Yu 2009).

    min_w |w|^2 / 2 + C/n sum_i hinge_i(w)

Each round adds the plane that the mean hinge lies on at the present weights (docs/theory.md) and
solves the quadratic programme over all planes. Training stops when that plane is violated by at
most epsilon: the objective is then within C * epsilon of its minimum.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.train.cutting_planes import SvmSettings
from treewright.train.learner import Arrays, State, Step, Tick, Values, silent
from treewright.train.qp import solve_dual
from treewright.train.trainable import MinibatchTrainable

MAX_IDLE = 25  # rounds without weight, after which a plane is dropped
ARRAYS = ("weights", "chosen", "slopes", "offsets", "idle", "gram")
VALUES = ("rounds", "converged", "bound", "best", "qp_seconds", "seconds")


class OneSlack:
    """A learner of one slack variable for all examples."""

    def __init__(self, batch: MinibatchTrainable, settings: SvmSettings) -> None:
        self.batch, self.settings = batch, settings
        self.weights = self.chosen = np.zeros(batch.features)  # the present ones, the best so far
        self.slopes, self.offsets = np.zeros((0, batch.features)), np.zeros(0)
        self.idle, self.gram = np.zeros(0, dtype=int), np.zeros((0, 0))
        self.rounds, self.converged = 0, False
        self.bound, self.best = 0.0, float("inf")
        self.qp_seconds = self.seconds = 0.0

    @property
    def done(self) -> bool:
        return self.converged or self.rounds >= self.settings.iterations

    def model(self) -> Arrays:
        return {"weights": self.chosen}

    def state(self) -> State:
        arrays = {name: getattr(self, name) for name in ARRAYS}
        return arrays, {name: getattr(self, name) for name in VALUES}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        for name, value in (*arrays.items(), *values.items()):
            setattr(self, name, value)

    def advance(self, tick: Tick = silent) -> Step:  # noqa: ARG002 - one evaluation
        began, size, c = time.process_time(), len(self.batch), self.settings.c
        value, gradient = self.batch.value_and_gradient(self.weights)
        risk, slope = value / size, gradient / size
        primal = 0.5 * float(self.weights @ self.weights) + c * risk
        if primal < self.best:
            self.best, self.chosen = primal, self.weights
        self.rounds += 1
        figures = {"dual": self.bound, "planes": len(self.offsets), "qp_seconds": self.qp_seconds}
        slack = max(0.0, float((self.slopes @ self.weights + self.offsets).max(initial=0.0)))
        self.converged = risk - slack <= self.settings.epsilon
        if not self.done:
            self._add(slope, risk - float(slope @ self.weights))
            self._solve()
        self.seconds += time.process_time() - began
        return Step(self.rounds, self.best, figures | {"cpu_seconds": self.seconds})

    def _add(self, slope: Floats, offset: float) -> None:
        products = self.slopes @ slope
        corner = np.array([[slope @ slope]])
        self.gram = np.block([[self.gram, products[:, None]], [products[None], corner]])
        self.slopes = np.vstack((self.slopes, slope))
        self.offsets, self.idle = np.append(self.offsets, offset), np.append(self.idle, 0)

    def _solve(self) -> None:
        """Weights and bound of the planes; those that have long been without weight are dropped."""
        before, c = time.process_time(), self.settings.c
        groups = sp.csr_matrix(np.ones((1, len(self.offsets))))
        share = solve_dual(self.gram, self.offsets, groups, np.array([c]))
        self.qp_seconds += time.process_time() - before
        self.weights = -(share @ self.slopes)
        self.bound = float(self.offsets @ share) - 0.5 * float(self.weights @ self.weights)
        self.idle = np.where(share > 1e-9 * c, 0, self.idle + 1)
        used = self.idle < MAX_IDLE
        self.slopes, self.offsets, self.idle = (
            self.slopes[used],
            self.offsets[used],
            self.idle[used],
        )
        self.gram = self.gram[np.ix_(used, used)]
