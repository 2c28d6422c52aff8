"""Structured SVMs by cutting planes of every example's hinge (Joachims, Finley and Yu 2009).

The objective and the stopping rule are those of `treewright.train.one_slack`, with a slack
variable, and a constraint, for each example.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from treewright.train.cutting_planes import CuttingPlane, Hinges, SvmSettings
from treewright.train.learner import Arrays, State, Step, Tick, Values, silent
from treewright.train.qp import solve_dual

VALUES = ("rounds", "converged", "bound", "best", "qp_seconds", "seconds")


class NSlack:
    """A learner of one slack variable per example."""

    def __init__(self, hinges: Hinges, features: int, settings: SvmSettings) -> None:
        self.hinges, self.features, self.settings = hinges, features, settings
        self.planes: list[CuttingPlane] = []
        self.owner: list[int] = []  # the example of each plane
        self.weights = self.chosen = np.zeros(features)
        self.slack = np.zeros(len(hinges))
        self.rounds, self.converged = 0, False
        self.bound, self.best = 0.0, float("inf")
        self.qp_seconds = self.seconds = 0.0

    @property
    def done(self) -> bool:
        return self.converged or self.rounds >= self.settings.iterations

    def model(self) -> Arrays:
        return {"weights": self.chosen}

    def state(self) -> State:
        slopes = self._slopes()
        arrays = {
            "weights": self.weights, "chosen": self.chosen, "slack": self.slack,
            "first": slopes.indptr, "feature": slopes.indices, "slope": slopes.data,
            "offset": self._offsets(), "owner": np.array(self.owner, np.int32),
        }  # fmt: skip
        return arrays, {name: getattr(self, name) for name in VALUES}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        self.weights, self.chosen = arrays["weights"], arrays["chosen"]
        self.slack, self.owner = arrays["slack"], arrays["owner"].tolist()
        ends = arrays["first"][1:-1]
        rows = zip(
            np.split(arrays["feature"], ends),
            np.split(arrays["slope"], ends),
            arrays["offset"].tolist(),
            strict=False,  # without planes there is one empty piece
        )
        self.planes = [CuttingPlane(*row) for row in rows]
        for name in VALUES:
            setattr(self, name, values[name])

    def advance(self, tick: Tick = silent) -> Step:  # noqa: ARG002 - its state is whole between
        began = time.process_time()
        found = [self.hinges.most_violated(i, self.weights) for i in range(len(self.hinges))]
        values = np.array([value for value, _ in found])
        primal = 0.5 * float(self.weights @ self.weights) + self.settings.c * float(values.mean())
        if primal < self.best:
            self.best, self.chosen = primal, self.weights
        self.rounds += 1
        figures = {"dual": self.bound, "planes": len(self.planes), "qp_seconds": self.qp_seconds}
        violated = np.flatnonzero(values > self.slack + self.settings.epsilon).tolist()
        self.converged = not violated
        if not self.done:
            self.owner += violated
            self.planes += [found[example][1] for example in violated]
            self._solve()
        self.seconds += time.process_time() - began
        return Step(self.rounds, self.best, figures | {"cpu_seconds": self.seconds})

    def _slopes(self) -> sp.csr_matrix:
        first = np.cumsum([0, *(len(plane.features) for plane in self.planes)])
        columns = np.concatenate([np.zeros(0, np.int32), *(p.features for p in self.planes)])
        values = np.concatenate([np.zeros(0), *(plane.values for plane in self.planes)])
        return sp.csr_matrix((values, columns, first), shape=(len(self.planes), self.features))

    def _offsets(self) -> NDArray[np.float64]:
        return np.array([plane.offset for plane in self.planes])

    def _solve(self) -> None:
        """Weights, slacks and the dual's value for all planes."""
        before, planes = time.process_time(), len(self.planes)
        slopes, offsets, owner = self._slopes(), self._offsets(), np.array(self.owner)
        owners, row = np.unique(owner, return_inverse=True)
        places = (row, np.arange(planes))
        groups = sp.csr_matrix((np.ones(planes), places), shape=(len(owners), planes))
        budget = np.full(len(owners), self.settings.c / len(self.hinges))
        share = solve_dual((slopes @ slopes.T).toarray(), offsets, groups, budget)
        self.weights = -(slopes.T @ share)
        self.slack = np.zeros(len(self.hinges))
        np.maximum.at(self.slack, owner, slopes @ self.weights + offsets)
        self.bound = float(offsets @ share) - 0.5 * float(self.weights @ self.weights)
        self.qp_seconds += time.process_time() - before
