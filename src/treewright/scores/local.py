"""The likelihood of a tagger's local model, for any optimiser."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.forests.forest import Indices
from treewright.scores.dictionary import TagDictionary
from treewright.scores.tag_features import FeatureRows


class LocalLikelihood:
    """Minus the log-likelihood of gold tags, each position by itself, over the entries' weights."""

    def __init__(
        self,
        features: FeatureRows,
        tags: int,
        dictionary: TagDictionary,
        sets: Indices,
        gold: Indices,
    ) -> None:
        self.features, self.positions = len(features.row_tag), len(gold)
        self._core = _core.LocalObjective(
            features.rows.ravel(),
            features.rows.shape[1],
            features.row_first,
            features.row_tag,
            tags,
            dictionary.first,
            dictionary.tag,
            sets,
            gold,
        )

    def value_and_gradient(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The value, and its gradient [entries]."""
        return self._core.value_and_gradient(weights)

    def fit(
        self,
        passes: int,
        rate: float,
        prior: float,
        dropout: float,
        seed: int,
        on_pass: Callable[[int, float], None] | None = None,
    ) -> NDArray[np.float64]:
        """Weights by AdaGrad, the positions in a new order in each pass.

        The weights are the mean of those after each pass in the second half.
        """
        weights, squares = np.zeros(self.features), np.full(self.features, 1e-3)
        mean = np.zeros(self.features)
        random = np.random.default_rng(seed)
        for number in range(passes):
            order = random.permutation(self.positions).astype(np.int32)
            drawn = int(random.integers(2**63))
            value = self._core.step(order, rate, prior**-2, dropout, drawn, weights, squares)
            if on_pass is not None:
                on_pass(number + 1, value)
            if number >= passes // 2:
                mean += weights
        return mean / (passes - passes // 2)
