"""Structured SVMs, by any of three solvers.

    min_w |w|^2 / 2 + C/n sum_i hinge_i(w)

Two work by cutting planes (Joachims, Finley and Yu 2009). In each round the one-slack solver adds
the plane that the mean hinge lies on at the present weights (docs/theory.md), and solves the
quadratic programme over all planes. Training stops when that plane is violated by at most epsilon:
the objective is then within C * epsilon of its minimum. The n-slack solver has a slack variable,
and a constraint, for each example. The third is `treewright.train.frank_wolfe`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ConfigError
from treewright.forests.features import Example
from treewright.losses.settings import ObjectiveSettings
from treewright.train.cutting_planes import (
    VALUES,
    CuttingPlane,
    Hinges,
    PlaneLearner,
    SvmSettings,
    solve_dual,
)
from treewright.train.frank_wolfe import FrankWolfe
from treewright.train.loop import Arrays, Learner, MinibatchTrainable, State, Values
from treewright.train.run import Run

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Owned = tuple[int, CuttingPlane]  # a plane of an example


class NSlack(PlaneLearner[Owned]):
    """The n-slack solver, with one slack variable per example."""

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
            strict=False,  # without planes there is one empty array
        )
        self.planes = [CuttingPlane(*row) for row in rows]
        for name in VALUES:
            setattr(self, name, values[name])

    def _violated(self) -> tuple[float, Sequence[Owned]]:
        planes = [self.hinges.most_violated(i, self.weights) for i in range(len(self.hinges))]
        values = np.array([value for value, _ in planes])
        violated = np.flatnonzero(values > self.slack + self.settings.epsilon).tolist()
        return float(values.mean()), [(example, planes[example][1]) for example in violated]

    def _count(self) -> int:
        return len(self.planes)

    def _add(self, planes: Sequence[Owned]) -> None:
        self.owner += [example for example, _ in planes]
        self.planes += [plane for _, plane in planes]

    def _slopes(self) -> "csr_matrix":
        from scipy.sparse import csr_matrix  # imported here, so that parsers start faster

        first = np.cumsum([0, *(len(plane.features) for plane in self.planes)])
        columns = np.concatenate([np.zeros(0, np.int32), *(p.features for p in self.planes)])
        values = np.concatenate([np.zeros(0), *(plane.values for plane in self.planes)])
        return csr_matrix((values, columns, first), shape=(len(self.planes), self.features))

    def _offsets(self) -> NDArray[np.float64]:
        return np.array([plane.offset for plane in self.planes])

    def _solve(self) -> None:
        """Weights, slacks and the dual's value for all planes."""
        slopes, offsets, owner = self._slopes(), self._offsets(), np.array(self.owner)
        owners, groups = np.unique(owner, return_inverse=True)
        budget = np.full(len(owners), self.settings.c / len(self.hinges))
        share = solve_dual((slopes @ slopes.T).toarray(), offsets, groups, budget)
        self.weights = -(slopes.T @ share)
        self.slack = np.zeros(len(self.hinges))
        np.maximum.at(self.slack, owner, slopes @ self.weights + offsets)
        self.bound = float(offsets @ share) - 0.5 * float(self.weights @ self.weights)


MAX_IDLE = 25  # rounds with zero weight after which a plane is dropped
ARRAYS = ("weights", "chosen", "slopes", "offsets", "idle", "gram")
Plane = tuple[Floats, float]  # slope and offset


class OneSlack(PlaneLearner[Plane]):
    """The one-slack solver, with one slack variable for all examples."""

    def __init__(self, batch: MinibatchTrainable, settings: SvmSettings) -> None:
        super().__init__(batch.features, settings)
        self.batch = batch
        self.slopes, self.offsets = np.zeros((0, batch.features)), np.zeros(0)
        self.idle, self.gram = np.zeros(0, dtype=int), np.zeros((0, 0))

    def state(self) -> State:
        return {name: getattr(self, name) for name in ARRAYS}, self._values()

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        for name in ARRAYS:
            setattr(self, name, arrays[name])
        for name in VALUES:
            setattr(self, name, values[name])

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
        """Weights and bound of the planes; planes that had no weight for long are dropped."""
        c = self.settings.c
        groups = np.zeros(len(self.offsets), np.int64)
        share = solve_dual(self.gram, self.offsets, groups, np.array([c]))
        self.weights = -(share @ self.slopes)
        self.bound = float(self.offsets @ share) - 0.5 * float(self.weights @ self.weights)
        self.idle = np.where(share > 1e-9 * c, 0, self.idle + 1)
        used = self.idle < MAX_IDLE
        for name in ("slopes", "offsets", "idle"):
            setattr(self, name, getattr(self, name)[used])
        self.gram = self.gram[np.ix_(used, used)]


NAME = "svm"  # the name of the training in records and checkpoints


def svm_learner(
    objective: ObjectiveSettings,
    settings: SvmSettings,
    examples: Sequence[Example],
    features: int,
    run: Run,
) -> Learner:
    """The solver of the settings; one-slack computes hinges on the run's cluster."""
    if settings.method == "one-slack":
        return OneSlack(run.objective_over("charts", objective, examples, features), settings)
    hinges = Hinges(objective.make(), examples)
    if settings.method == "n-slack":
        return NSlack(hinges, features, settings)
    return FrankWolfe(hinges, features, settings, run.seed)


def fit_svm(
    objective: ObjectiveSettings,
    settings: SvmSettings,
    examples: Sequence[Example],
    features: int,
    run: Run,
    score: Callable[[Floats], float] | None = None,
) -> Floats:
    """The weights of the SVM; with `choose_c`, those of the C with the best dev score."""

    def scored(model: Arrays) -> dict[str, float]:
        assert score is not None
        return {"score": score(model["weights"])}

    def fit(name: str, c: float) -> Floats:
        how = replace(settings, c=c, choose_c=())
        learner = svm_learner(objective, how, examples, features, run)
        return run.train(name, learner, how, None if score is None else scored)["weights"]

    if not settings.choose_c:
        return fit(NAME, settings.c)
    if score is None:
        raise ConfigError("choose_c needs a dev file")
    weights = [fit(f"{NAME}-c{c:g}", c) for c in settings.choose_c]
    return max(weights, key=score)
