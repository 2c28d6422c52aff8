"""Losses of dependency trees for training with k-best lists (Hall et al. 2011, section 4).

A tree's loss is a non-negative number. Gold can be partial: words whose head is UNKNOWN do not
count. Losses only rank the trees of one sentence, so each has the scale of its metric.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices
from treewright.errors import ConfigError

UNKNOWN = -1
# Heads (words count from 1, the root is 0) and labels of a tree -> its loss.
TreeLoss = Callable[[Indices, Indices], float]


@dataclass(frozen=True, eq=False)
class GoldTree:
    """The known arcs of a sentence's tree; UNKNOWN elsewhere."""

    heads: Indices
    labels: Indices

    def right(self, heads: Indices, labels: Indices, labelled: bool) -> NDArray[np.bool_]:
        """A mask of the words with correct head and label; unknown labels are always correct."""
        right = heads == self.heads
        if labelled:
            right = right & ((labels == self.labels) | (self.labels == UNKNOWN))
        return np.asarray(right, np.bool_)


def zero_one(gold: GoldTree) -> TreeLoss:
    """0 if all known arcs and labels are correct, otherwise 1."""
    known = gold.heads != UNKNOWN

    def loss(heads: Indices, labels: Indices) -> float:
        return float(not gold.right(heads, labels, True)[known].all())

    return loss


def attachment(gold: GoldTree, labelled: bool) -> TreeLoss:
    """The proportion of known words with a wrong head (or label)."""
    known = gold.heads != UNKNOWN
    return _weighted(gold, known.astype(np.float64), labelled)


def arc_length(gold: GoldTree, labelled: bool) -> TreeLoss:
    """1 - ALS: words are weighted by the length of their gold arc."""
    known = gold.heads != UNKNOWN
    lengths = np.abs(np.arange(1, len(gold.heads) + 1) - gold.heads)
    return _weighted(gold, np.where(known, lengths, 0).astype(np.float64), labelled)


def _weighted(gold: GoldTree, weights: Floats, labelled: bool) -> TreeLoss:
    total = float(weights.sum()) or 1.0

    def loss(heads: Indices, labels: Indices) -> float:
        return float(weights[~gold.right(heads, labels, labelled)].sum()) / total

    return loss


def root(gold: GoldTree) -> TreeLoss:
    """1 - F1 of the words attached to the root."""
    due = gold.heads == 0

    def loss(heads: Indices, _: Indices) -> float:
        right = heads == 0
        return 1.0 - 2.0 * float((right & due).sum()) / max(1.0, float(right.sum() + due.sum()))

    return loss


LOSSES: Mapping[str, Callable[[GoldTree], TreeLoss]] = MappingProxyType(
    {
        "zero-one": zero_one,
        "labelled": lambda gold: attachment(gold, labelled=True),
        "unlabelled": lambda gold: attachment(gold, labelled=False),
        "root": root,
        "arc-length-labelled": lambda gold: arc_length(gold, labelled=True),
        "arc-length-unlabelled": lambda gold: arc_length(gold, labelled=False),
    }
)


def tree_loss_named(name: str) -> Callable[[GoldTree], TreeLoss]:
    """The loss of trees with this name."""
    if name not in LOSSES:
        raise ConfigError(f"unknown loss of trees {name!r}: one of {', '.join(LOSSES)}")
    return LOSSES[name]


def only_root(gold: GoldTree) -> GoldTree:
    """The gold tree with only the words attached to the root known."""
    kept = np.where(gold.heads == 0, gold.heads, UNKNOWN).astype(np.int32)
    return GoldTree(kept, np.full(len(kept), UNKNOWN, np.int32))
