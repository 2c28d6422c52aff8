"""Pruning of the smallest weights of a model, and of keys without weights.

A feature table has keys, weights, and in most models several weights per key, each with its tag or
action (CSR). The keys of a packed model are the lower 32 bits of the hashes, in ascending order: in
a model with a million features, one new feature in 4,300 collides with a known one.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Integers
from treewright.storage.tensors import Arrays

PACKED_KEYS = np.uint32


@dataclass(frozen=True)
class FeatureTable:
    """The names of the arrays of a feature table.

    first: offsets of the entries of each key; None: one entry per key. columns: arrays of entries
    other than weights. Additional weights are shared by all other features. fine: weights that need
    at least 8 bits. share: proportion of the weights' sum of squares that can be removed without
    harm; a perceptron tolerates more than a log-linear model.
    """

    keys: str = "keys"
    first: str | None = None
    columns: tuple[str, ...] = ()
    weights: tuple[str, ...] = ("weights",)
    fine: tuple[str, ...] = ()
    share: float = 0.0005


def smallest(size: NDArray[Any], share: float) -> float:
    """The largest threshold below which values have at most this share of the sum of squares."""
    ranked = np.sort(np.abs(size).ravel().astype(np.float64))
    squares = np.cumsum(ranked**2)
    if not len(ranked) or not squares[-1]:
        return 0.0
    kept = int(np.searchsorted(squares, share * squares[-1], side="right"))
    return float(ranked[min(kept, len(ranked) - 1)])


def without_small(array: NDArray[Any], share: float) -> NDArray[Any]:
    """The array with its smallest values replaced by 0."""
    return np.where(np.abs(array) < smallest(array, share), 0, array).astype(array.dtype)


def packed_table(arrays: Arrays, table: FeatureTable, share: float) -> Arrays:
    """The arrays of a table without its smallest weights, with 32-bit keys."""
    keys = arrays[table.keys]
    first = arrays[table.first] if table.first else np.arange(len(keys) + 1)
    weights = {name: arrays[name][: int(first[-1])] for name in table.weights}
    shared = {name: arrays[name][int(first[-1]) :] for name in table.weights}
    size: Floats = np.max([np.abs(each) for each in weights.values()], axis=0, initial=0.0)
    # Features that share weights must stay: without their keys they would use the shared ones.
    least = 0.0 if any(map(len, shared.values())) else smallest(size, share)
    row, entries = _kept(keys, first, size, size >= least)
    used = np.flatnonzero(np.bincount(row, minlength=len(keys)))
    counts = np.bincount(row, minlength=len(keys))[used]
    order = np.argsort(_short(keys[used]), kind="stable")
    starts = np.concatenate(([0], np.cumsum(counts)))
    counts = counts[order]
    new_first = np.concatenate(([0], np.cumsum(counts)))
    moved = np.repeat(starts[order] - new_first[:-1], counts) + np.arange(new_first[-1])
    chosen = entries[moved]
    made: Arrays = {table.keys: _short(keys[used])[order]}
    if table.first:
        made[table.first] = new_first.astype(arrays[table.first].dtype)
    for name in table.columns:
        made[name] = arrays[name][chosen]
    for name in table.weights:
        rest = without_small(shared[name], share)
        made[name] = np.concatenate((weights[name][chosen], rest))
    return arrays | made


def _short(keys: NDArray[Any]) -> NDArray[Any]:
    return keys.astype(PACKED_KEYS)


def _kept(
    keys: NDArray[Any], first: NDArray[Any], size: Floats, large: NDArray[Any]
) -> tuple[Integers, Integers]:
    """The rows and entries to keep; of colliding keys, only the one with the largest weight."""
    row = np.repeat(np.arange(len(keys)), np.diff(first))
    weight = np.bincount(row, np.where(large, size, 0), minlength=len(keys))
    order = np.lexsort((keys, -weight, _short(keys)))
    short = _short(keys)[order]
    loser = np.zeros(len(keys), bool)
    loser[order[1:]] = short[1:] == short[:-1]
    stays = large & ~loser[row]
    return row[stays], np.flatnonzero(stays)
