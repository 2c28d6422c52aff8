"""Cutting planes of hinge objectives: where the most violated derivation puts a sentence's loss.

On one sentence a hinge is the largest of planes g.w + b, one for each derivation: with margin
rescaling g = F(D) - F(gold) and b = loss(D), with slack rescaling g is loss(D) times that. The
gradient of the objective is g, and its value gives b. Loss-augmented inference is the objective's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.errors import ConfigError, ForestError
from treewright.forests.example import Example
from treewright.losses.hinge import Hinge
from treewright.losses.objective import Objective


@dataclass(frozen=True, eq=False)
class Plane:
    """g.w + b with g sparse: its features, and a value for each."""

    features: Indices
    values: Floats
    offset: float

    def at(self, weights: Floats) -> float:
        """g.w + b."""
        return float(self.values @ weights[self.features]) + self.offset


class Planes:
    """The planes of every example of a hinge objective."""

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

    def most_violated(self, number: int, weights: Floats) -> tuple[float, Plane]:
        """The hinge of an example at these weights, and the plane that it lies on."""
        value, local, offset = self.violation(number, weights)
        used = np.flatnonzero(local)
        features = self.examples[number].features.vocabulary[used]
        return value, Plane(features, local[used], offset)
