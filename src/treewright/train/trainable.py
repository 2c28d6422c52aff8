"""What optimisers ask of an objective."""

from typing import Protocol

import numpy as np

from treewright.arrays import Floats, Indices, Integers
from treewright.losses.batch import SparseGradient


class Trainable(Protocol):
    """What an optimiser needs: a value and a gradient for any weights, both to be minimised."""

    features: int

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]: ...


class MinibatchTrainable(Trainable, Protocol):
    """What minibatches need besides; see `treewright.losses.batch`."""

    def __len__(self) -> int: ...

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient: ...

    def uses(self) -> Indices: ...


def dot(a: Floats, b: Floats) -> float:
    """The inner product, in an order of sums that no thread of a linear algebra library changes."""
    return float(np.einsum("i,i->", a, b))
