"""Structured SVMs by cutting planes of the mean hinge (Joachims, Finley and Yu 2009).

    min_w |w|^2 / 2 + C/n sum_i hinge_i(w)

Each round adds the plane that the mean hinge lies on at the present weights (docs/theory.md) and
solves the quadratic programme over all planes. Training stops when that plane is violated by at
most epsilon: the objective is then within C * epsilon of its minimum.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.train.cutting_planes import PlaneLearner, SvmSettings
from treewright.train.learner import State, Values
from treewright.train.qp import solve_dual
from treewright.train.trainable import MinibatchTrainable

MAX_IDLE = 25  # rounds without weight, after which a plane is dropped
ARRAYS = ("weights", "chosen", "slopes", "offsets", "idle", "gram")
Plane = tuple[Floats, float]  # slope and offset


class OneSlack(PlaneLearner[Plane]):
    """A learner of one slack variable for all examples."""

    def __init__(self, batch: MinibatchTrainable, settings: SvmSettings) -> None:
        super().__init__(batch.features, settings)
        self.batch = batch
        self.slopes, self.offsets = np.zeros((0, batch.features)), np.zeros(0)
        self.idle, self.gram = np.zeros(0, dtype=int), np.zeros((0, 0))

    def state(self) -> State:
        return {name: getattr(self, name) for name in ARRAYS}, self._values()

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        for name, value in (*arrays.items(), *values.items()):
            setattr(self, name, value)

    def _violated(self) -> tuple[float, Sequence[Plane]]:
        value, gradient = self.batch.value_and_gradient(self.weights)
        hinge, slope = value / len(self.batch), gradient / len(self.batch)
        slack = max(0.0, float((self.slopes @ self.weights + self.offsets).max(initial=0.0)))
        plane = (slope, hinge - float(slope @ self.weights))
        return hinge, [plane] if hinge - slack > self.settings.epsilon else []

    def _count(self) -> int:
        return len(self.offsets)

    def _add(self, planes: Sequence[Plane]) -> None:
        ((slope, offset),) = planes
        products = self.slopes @ slope
        corner = np.array([[slope @ slope]])
        self.gram = np.block([[self.gram, products[:, None]], [products[None], corner]])
        self.slopes = np.vstack((self.slopes, slope))
        self.offsets, self.idle = np.append(self.offsets, offset), np.append(self.idle, 0)

    def _solve(self) -> None:
        """Weights and bound of the planes; those that have long been without weight are dropped."""
        c = self.settings.c
        groups = sp.csr_matrix(np.ones((1, len(self.offsets))))
        share = solve_dual(self.gram, self.offsets, groups, np.array([c]))
        self.weights = -(share @ self.slopes)
        self.bound = float(self.offsets @ share) - 0.5 * float(self.weights @ self.weights)
        self.idle = np.where(share > 1e-9 * c, 0, self.idle + 1)
        used = self.idle < MAX_IDLE
        for name in ("slopes", "offsets", "idle"):
            setattr(self, name, getattr(self, name)[used])
        self.gram = self.gram[np.ix_(used, used)]
