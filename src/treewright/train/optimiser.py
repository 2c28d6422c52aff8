"""Optimisers advance step by step, from a state that can be saved and restored bit for bit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices, Integers
from treewright.losses.batch import SparseGradient

Values = dict[str, Any]  # whatever JSON can say


class Trainable(Protocol):
    """What an optimiser needs: a value and a gradient for any weights, both to be minimised."""

    features: int

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]: ...


class MinibatchTrainable(Trainable, Protocol):
    """What minibatches need besides; see `treewright.losses.batch`."""

    def __len__(self) -> int: ...

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient: ...

    def uses(self) -> Indices: ...


@dataclass(frozen=True)
class Step:
    """One finished iteration: its number, the objective with the prior, and the gradient's norm."""

    iteration: int
    value: float
    gradient_norm: float


class Optimiser(Protocol):
    """A state and a way to advance it."""

    @property
    def done(self) -> bool:
        """Whether there is nothing more to do."""

    @property
    def weights(self) -> Floats:
        """The weights so far, as they would be used."""

    def advance(self, between: Callable[[], None]) -> Step:
        """One iteration or pass; calls `between` inside it wherever the state can be saved."""

    def state(self) -> tuple[dict[str, NDArray[Any]], Values]:
        """Arrays and plain values that `restore` continues from."""

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None: ...


def dot(a: Floats, b: Floats) -> float:
    """The inner product, in an order of sums that no thread of a linear algebra library changes."""
    return float(np.einsum("i,i->", a, b))
