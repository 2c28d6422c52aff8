"""The likelihood of a tagger's local model, for any optimiser."""

from collections.abc import Callable

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Indices
from treewright.scores.tagging.dictionary import TagDictionary
from treewright.scores.tagging.rows import FeatureRows


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

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
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
    ) -> Floats:
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
