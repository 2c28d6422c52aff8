"""A tagger's local model: the features with weights, and their likelihood."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Indices, Integers, Keys
from treewright.scores.tagging.dictionary import TagDictionary


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """keys [rows], row_first [rows + 1], row_tag [entries]; rows [positions, templates]."""

    keys: Keys
    row_first: Indices
    row_tag: Indices
    rows: Indices


def collect_features(keys: Keys, gold: Indices, tags: int, cutoffs: Sequence[int]) -> FeatureRows:
    """Rows for the frequent keys, with the gold tags seen with them.

    Args:
        keys: [positions, templates].
        gold: the tags [positions].
        tags: the number of tags.
        cutoffs: for each template, the minimum frequency of a key.
    """
    kept: list[Keys] = []
    lengths: list[Integers] = []
    row_tags: list[Indices] = []
    rows = np.full(keys.shape, -1, dtype=np.int32)
    done = 0
    for template, cutoff in enumerate(cutoffs):
        column = np.ascontiguousarray(keys[:, template])
        distinct, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
        frequent = counts >= cutoff
        number = np.where(frequent, np.cumsum(frequent) - 1, -1)[inverse]
        pairs = np.unique(number[number >= 0] * tags + gold[number >= 0])
        kept.append(distinct[frequent])
        lengths.append(np.bincount(pairs // tags, minlength=len(kept[-1])))
        row_tags.append((pairs % tags).astype(np.int32))
        rows[:, template] = np.where(number >= 0, number + done, -1)
        done += len(kept[-1])
    first = np.concatenate(([0], np.cumsum(np.concatenate(lengths)))).astype(np.int32)
    return FeatureRows(np.concatenate(kept), first, np.concatenate(row_tags), rows)


class LocalLikelihood:
    """The negative log-likelihood of gold tags, each position independently, over entry weights."""

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
        """Trains the weights by AdaGrad, with the positions shuffled in each epoch.

        The result is the mean of the weights after each epoch in the second half.
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
