"""Priors around a point that is not zero."""

from treewright.arrays import Floats, Indices, Integers
from treewright.losses.batch import SparseGradient
from treewright.train.trainable import MinibatchTrainable


class Shifted:
    """An objective as a function of the distance from a point: the prior is around that point."""

    def __init__(self, objective: MinibatchTrainable, origin: Floats) -> None:
        self.objective, self.origin, self.features = objective, origin, objective.features

    def __len__(self) -> int:
        return len(self.objective)

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        return self.objective.value_and_gradient(weights + self.origin)

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient:
        return self.objective.value_and_gradient_on(examples, weights + self.origin)

    def uses(self) -> Indices:
        return self.objective.uses()
