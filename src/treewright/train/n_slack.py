"""Structured SVMs by cutting planes of every example's hinge (Joachims, Finley and Yu 2009).

The objective and the stopping rule are those of `treewright.train.one_slack`, with a slack
variable, and a constraint, for each example.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from treewright.train.cutting_planes import VALUES, CuttingPlane, Hinges, PlaneLearner, SvmSettings
from treewright.train.learner import State, Values
from treewright.train.qp import solve_dual

Owned = tuple[int, CuttingPlane]  # a plane of an example


class NSlack(PlaneLearner[Owned]):
    """A learner of one slack variable per example."""

    def __init__(self, hinges: Hinges, features: int, settings: SvmSettings) -> None:
        super().__init__(features, settings)
        self.hinges, self.features = hinges, features
        self.planes: list[CuttingPlane] = []
        self.owner: list[int] = []  # the example of each plane
        self.slack = np.zeros(len(hinges))

    def state(self) -> State:
        slopes = self._slopes()
        arrays = {
            "weights": self.weights, "chosen": self.chosen, "slack": self.slack,
            "first": slopes.indptr, "feature": slopes.indices, "slope": slopes.data,
            "offset": self._offsets(), "owner": np.array(self.owner, np.int32),
        }  # fmt: skip
        return arrays, self._values()

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

    def _violated(self) -> tuple[float, Sequence[Owned]]:
        found = [self.hinges.most_violated(i, self.weights) for i in range(len(self.hinges))]
        values = np.array([value for value, _ in found])
        violated = np.flatnonzero(values > self.slack + self.settings.epsilon).tolist()
        return float(values.mean()), [(example, found[example][1]) for example in violated]

    def _count(self) -> int:
        return len(self.planes)

    def _add(self, planes: Sequence[Owned]) -> None:
        self.owner += [example for example, _ in planes]
        self.planes += [plane for _, plane in planes]

    def _slopes(self) -> sp.csr_matrix:
        first = np.cumsum([0, *(len(plane.features) for plane in self.planes)])
        columns = np.concatenate([np.zeros(0, np.int32), *(p.features for p in self.planes)])
        values = np.concatenate([np.zeros(0), *(plane.values for plane in self.planes)])
        return sp.csr_matrix((values, columns, first), shape=(len(self.planes), self.features))

    def _offsets(self) -> NDArray[np.float64]:
        return np.array([plane.offset for plane in self.planes])

    def _solve(self) -> None:
        """Weights, slacks and the dual's value for all planes."""
        planes = len(self.planes)
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
