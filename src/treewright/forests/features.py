"""The features of a forest's parts: a sparse matrix that turns weights into scores."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright.arrays import Floats, Floats32, Indices
from treewright.errors import ForestError
from treewright.forests.forest import Forest, integers, reals


@dataclass(frozen=True, eq=False)
class FeatureMatrix:
    """A CSR matrix [parts, features] over the forest's own small vocabulary.

    Row p has the features `vocabulary[local[first[p] : first[p + 1]]]`, each with its value, or 1
    if `value` is None. The indirection makes loops over parts cache-friendly: weights are gathered
    once per forest, and the gradient is scattered once.
    """

    first: Indices
    local: Indices
    vocabulary: Indices
    value: Floats32 | None = None
    core: _core.Features = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("first", "local", "vocabulary"):
            array = integers(getattr(self, name), np.int32, f"features: {name}")
            object.__setattr__(self, name, array)
        if self.value is not None:
            object.__setattr__(self, "value", reals(self.value, "features: value"))
        if not len(self.first):
            raise ForestError("features: first is empty")
        if self.vocabulary.min(initial=0) < 0:
            raise ForestError(f"features: feature {self.vocabulary.min()} is negative")
        core = _core.Features(self.first, self.local, self.vocabulary, self.value)
        object.__setattr__(self, "core", core)

    def __reduce__(self) -> tuple[type["FeatureMatrix"], tuple[object, ...]]:
        """Objects of the core cannot be pickled; the matrix is rebuilt from its arrays."""
        return FeatureMatrix, (self.first, self.local, self.vocabulary, self.value)

    @classmethod
    def from_csr(cls, first: ArrayLike, feature: ArrayLike, value: ArrayLike | None = None) -> Self:
        """Creates the matrix from CSR: first [parts + 1], feature and value [entries]."""
        numbers = integers(feature, np.int32, "features: feature")
        vocabulary, local = np.unique(numbers, return_inverse=True)
        return cls(
            integers(first, np.int32, "features: first"),
            local.astype(np.int32),
            vocabulary,
            None if value is None else reals(value, "features: value"),
        )

    @classmethod
    def from_columns(cls, column: ArrayLike) -> Self:
        """Creates a matrix with at most one feature per part: [parts], -1 for none."""
        numbers = integers(column, np.int32, "features: column")
        has = numbers >= 0
        return cls.from_csr(np.concatenate(([0], np.cumsum(has))), numbers[has])

    @classmethod
    def identity(cls, parts: int) -> Self:
        """Creates a matrix with one feature per part: the weights are the scores."""
        numbers = np.arange(parts, dtype=np.int32)
        return cls(np.arange(parts + 1, dtype=np.int32), numbers, numbers)

    @property
    def parts(self) -> int:
        return len(self.first) - 1

    def scores(self, weights: Floats) -> Floats:
        """The matrix times the weights: float64 [parts]."""
        return self.core.scores(weights)

    def backpropagate(self, gradient: Floats, out: Floats) -> None:
        """Adds the transposed matrix times a gradient over parts to `out`, float64 [features]."""
        if self.vocabulary.max(initial=-1) >= len(out):
            raise ForestError(f"features: feature {self.vocabulary.max()} is outside the weights")
        np.add.at(out, self.vocabulary, self.core.backpropagate(gradient))


@dataclass(frozen=True, eq=False)
class Example:
    """The input of an objective for one sentence.

    `gold` is a forest with the same parts (see `Forest.restrict`), or None if no gold derivation is
    reachable; `name` identifies the sentence.
    """

    forest: Forest
    features: FeatureMatrix
    gold: Forest | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if self.features.parts != self.forest.parts:
            raise ForestError(
                f"{self.name or 'example'}: features for {self.features.parts} parts, "
                f"but the forest has {self.forest.parts}"
            )
        if self.gold is not None and self.gold.parts != self.forest.parts:
            raise ForestError(f"{self.name or 'example'}: gold and forest have different parts")
