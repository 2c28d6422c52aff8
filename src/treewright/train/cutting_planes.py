"""Cutting planes of hinge objectives, and the `[svm]` section of a training configuration.

On one sentence a hinge is the largest of planes g.w + b, one for each derivation: with margin
rescaling g = F(D) - F(gold) and b = loss(D), with slack rescaling g is loss(D) times that. The
gradient of the objective is g, and its value gives b. Loss-augmented inference is the objective's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.config import setting
from treewright.errors import ConfigError, ForestError
from treewright.forests.example import Example
from treewright.losses.hinge import Hinge
from treewright.losses.objective import Objective


@dataclass(frozen=True)
class SvmSettings:
    """How a structured SVM is solved; the loss and its rescaling are the objective's."""

    method: Literal["one-slack", "n-slack", "frank-wolfe"] = setting(
        "one-slack",
        "cutting planes of the mean hinge, of every sentence's hinge, or a sentence at a time;\n"
        "on a cluster, workers compute the hinges of one-slack; the others solve in one process",
    )
    c: float = setting(1000.0, "weight of the mean hinge against |w|^2 / 2")
    epsilon: float = setting(0.001, "largest violation, or gap / C, at which to stop")
    iterations: int = setting(200, "maximum number of cutting-plane rounds or Frank-Wolfe passes")
    averaging: bool = setting(True, "frank-wolfe: weighted mean of the weights")
    choose_c: tuple[float, ...] = setting((), "instead of c: the best of these by the dev score")
    patience: int = setting(0, "stop after this many dev scores without a new best; 0: never")
    score_every: int = setting(10, "rounds between dev scores; the last round always has one")
    checkpoint_seconds: float = setting(60.0, "minimum time between two checkpoints")

    def check_dev(self, dev: Path | None) -> None:
        """Raises if dev scores are asked for and there is nothing to score on."""
        if (self.patience or self.choose_c) and dev is None:
            raise ValueError("patience and choose_c need a dev file to score on")

    def __post_init__(self) -> None:
        if not min(self.c, *self.choose_c, self.epsilon, self.iterations, self.score_every) > 0:
            raise ValueError("c, choose_c, epsilon, iterations and score_every must be positive")
        if min(self.patience, self.checkpoint_seconds) < 0:
            raise ValueError("patience and checkpoint_seconds must not be negative")


@dataclass(frozen=True, eq=False)
class CuttingPlane:
    """g.w + b with g sparse: its features, and a value for each."""

    features: Indices
    values: Floats
    offset: float


class Hinges:
    """The hinge of every example, and the cutting planes it is the maximum of."""

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
        """The hinge of an example, and its plane: g over the example's vocabulary, and b."""
        example = self.examples[number]
        scores = example.features.scores(weights)
        value, gradient = self.objective.value_and_gradient(example.forest, scores, example.gold)
        local = example.features.core.backpropagate(gradient)
        return value, local, value - float(local @ weights[example.features.vocabulary])

    def most_violated(self, number: int, weights: Floats) -> tuple[float, CuttingPlane]:
        """The hinge of an example at these weights, and the plane that it lies on."""
        value, local, offset = self.violation(number, weights)
        used = np.flatnonzero(local)
        features = self.examples[number].features.vocabulary[used]
        return value, CuttingPlane(features, local[used], offset)
