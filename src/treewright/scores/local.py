"""The likelihood of a tagger's local model, for any optimiser."""

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
        tag_first: Indices,
        tag_output: Indices,
        dictionary: TagDictionary,
        sets: Indices,
        gold: Indices,
    ) -> None:
        self.features = len(features.row_output)
        self._core = _core.LocalObjective(
            features.rows.ravel(),
            features.rows.shape[1],
            features.row_first,
            features.row_output,
            tag_first,
            tag_output,
            dictionary.first,
            dictionary.tag,
            sets,
            gold,
        )

    def value_and_gradient(self, weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The value, and its gradient [entries]."""
        return self._core.value_and_gradient(weights)
