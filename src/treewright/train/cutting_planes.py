"""Cutting planes of hinge objectives, and the `[svm]` section of a training configuration.

The hinge of a sentence is the maximum of planes g.w + b, one per derivation: with margin rescaling,
g = F(D) - F(gold) and b = loss(D); with slack rescaling, g is multiplied by loss(D). The gradient
of the objective is g, and its value gives b. The objective performs the loss-augmented inference.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from treewright.arrays import Floats, Indices, Integers
from treewright.config import setting
from treewright.errors import ConfigError, ForestError, TreewrightError
from treewright.forests.features import Example
from treewright.losses.hinge import Hinge
from treewright.losses.objective import Objective
from treewright.train.loop import Arrays, Step, Tick, Values, silent

VALUES = ("rounds", "converged", "bound", "best", "qp_seconds", "seconds")
P = TypeVar("P")


@dataclass(frozen=True)
class SvmSettings:
    """Settings of the solver of structured SVMs; loss and rescaling belong to the objective."""

    method: Literal["one-slack", "n-slack", "frank-wolfe"] = setting(
        "one-slack",
        "one-slack: one constraint on the mean hinge per round; n-slack: one per sentence;\n"
        "frank-wolfe: block-coordinate, one sentence at a time. Only one-slack can use --ray",
    )
    c: float = setting(1000.0, "C, the weight of the mean hinge against |w|^2 / 2")
    epsilon: float = setting(0.001, "stop when the largest violation, or gap / C, is below this")
    iterations: int = setting(200, "maximum number of cutting-plane rounds or Frank-Wolfe passes")
    averaging: bool = setting(True, "frank-wolfe: average the weights")
    choose_c: tuple[float, ...] = setting((), "choose c from these values by dev score")
    patience: int = setting(0, "stop after this number of dev scores without improvement; 0: never")
    score_every: int = setting(10, "rounds between dev scores; the last round is always scored")
    checkpoint_seconds: float = setting(60.0, "minimum seconds between checkpoints")

    def check_dev(self, dev: Path | None) -> None:
        """Raises an error if dev scores are needed without a dev file."""
        if (self.patience or self.choose_c) and dev is None:
            raise ValueError("patience and choose_c need a dev file to score on")

    def __post_init__(self) -> None:
        if not min(self.c, *self.choose_c, self.epsilon, self.iterations, self.score_every) > 0:
            raise ValueError("c, choose_c, epsilon, iterations and score_every must be positive")
        if min(self.patience, self.checkpoint_seconds) < 0:
            raise ValueError("patience and checkpoint_seconds must not be negative")


@dataclass(frozen=True, eq=False)
class CuttingPlane:
    """A plane g.w + b with sparse g: features and their values."""

    features: Indices
    values: Floats
    offset: float


class Hinges:
    """The hinge of each example, and its cutting planes."""

    def __init__(self, objective: Objective, examples: Sequence[Example]) -> None:
        if not isinstance(objective, Hinge):
            raise ConfigError("a structured SVM needs the objective hinge or hinge-slack")
        for number, example in enumerate(examples):
            if example.gold is None:
                where = example.name or f"example {number}"
                raise ForestError(f"{where}: no gold derivation in the forest")
        self.objective, self.examples = objective, examples

    def __len__(self) -> int:
        return len(self.examples)

    def violation(self, number: int, weights: Floats) -> tuple[float, Floats, float]:
        """The hinge of an example and its plane: g over the example's vocabulary, and b."""
        example = self.examples[number]
        scores = example.features.scores(weights)
        value, gradient = self.objective.value_and_gradient(example.forest, scores, example.gold)
        local = example.features.core.backpropagate(gradient)
        return value, local, value - float(local @ weights[example.features.vocabulary])

    def most_violated(self, number: int, weights: Floats) -> tuple[float, CuttingPlane]:
        """The hinge of an example at these weights, and its plane."""
        value, local, offset = self.violation(number, weights)
        used = np.flatnonzero(local)
        features = self.examples[number].features.vocabulary[used]
        return value, CuttingPlane(features, local[used], offset)


class PlaneLearner(ABC, Generic[P]):
    """Adds violated planes in each round and solves the quadratic programme over all planes.

    weights: the weights of the last programme. chosen: the best weights so far. bound: the value of
    the dual.
    """

    def __init__(self, features: int, settings: SvmSettings) -> None:
        self.settings = settings
        self.weights = self.chosen = np.zeros(features)
        self.rounds, self.converged = 0, False
        self.bound, self.best = 0.0, float("inf")
        self.qp_seconds = self.seconds = 0.0

    @property
    def done(self) -> bool:
        return self.converged or self.rounds >= self.settings.iterations

    def model(self) -> Arrays:
        return {"weights": self.chosen}

    def _values(self) -> Values:
        return {name: getattr(self, name) for name in VALUES}

    def advance(self, tick: Tick = silent) -> Step:  # noqa: ARG002 - its state is whole between
        began = time.process_time()
        hinge, violated = self._violated()
        primal = 0.5 * float(self.weights @ self.weights) + self.settings.c * hinge
        if primal < self.best:
            self.best, self.chosen = primal, self.weights
        self.rounds += 1
        figures = {"dual": self.bound, "planes": self._count(), "qp_seconds": self.qp_seconds}
        self.converged = not violated
        if not self.done:
            self._add(violated)
            before = time.process_time()
            self._solve()
            self.qp_seconds += time.process_time() - before
        self.seconds += time.process_time() - began
        return Step(self.rounds, self.best, figures | {"cpu_seconds": self.seconds})

    @abstractmethod
    def _violated(self) -> tuple[float, Sequence[P]]:
        """The mean hinge at the weights, and the planes violated by more than epsilon."""

    @abstractmethod
    def _count(self) -> int:
        """The number of planes."""

    @abstractmethod
    def _add(self, planes: Sequence[P]) -> None: ...

    @abstractmethod
    def _solve(self) -> None:
        """Weights and bound for all planes."""


def solve_dual(gram: Floats, offset: Floats, groups: Integers, budget: Floats) -> Floats:
    """Maximises offset.a - a.gram.a / 2 over a >= 0, with the sum of each group within its budget.

    Args:
        gram: [planes, planes], inner products of the planes' gradients.
        offset: [planes].
        groups: [planes], the group of each plane.
        budget: [groups].
    """
    import scipy.sparse as sp  # imported here, because it takes long

    clarabel = _clarabel()
    size = len(offset)
    # A small diagonal separates equal planes; it is far below the solver's tolerance.
    quadratic = sp.csc_matrix(np.triu(gram + 1e-12 * np.trace(gram) / size * np.eye(size)))
    places = (groups, np.arange(size))
    sums = sp.csr_matrix((np.ones(size), places), shape=(len(budget), size))
    constraints = sp.vstack((sums, -sp.identity(size)), format="csc")
    bound = np.concatenate((budget, np.zeros(size)))
    options = clarabel.DefaultSettings()
    options.verbose = False
    cones = [clarabel.NonnegativeConeT(len(bound))]
    solver = clarabel.DefaultSolver(quadratic, -offset, constraints, bound, cones, options)
    solution = solver.solve()
    if str(solution.status) not in ("Solved", "AlmostSolved"):
        raise TreewrightError(f"the quadratic programme was not solved: {solution.status}")
    shares: Floats = np.maximum(np.array(solution.x), 0.0)
    return shares


def _clarabel() -> Any:
    try:
        import clarabel
    except ImportError as error:
        raise ConfigError("cutting planes need clarabel: pip install 'treewright[svm]'") from error
    return clarabel
