"""Weights of a model that can go: the smallest ones, and the keys that have none left.

A table of features has keys, weights, and in most models several weights per key, each with its
tag or action (CSR). The keys of a packed model are the lower 32 bits of the hashes, in rising
order: in a model of a million features, one new feature in 4,300 is then taken for a known one.
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
    """The names of the arrays of a table.

    first: where the entries of each key begin; None: one entry per key. columns: of the entries,
    besides their weights. Weights beyond those of the keys are shared by all other features.
    fine: those of the weights that need 8 bits at least.
    share: how much of the weights' sum of squares may go without harm; a perceptron's weights can
    lose more than a log-linear model's.
    """

    keys: str = "keys"
    first: str | None = None
    columns: tuple[str, ...] = ()
    weights: tuple[str, ...] = ("weights",)
    fine: tuple[str, ...] = ()
    share: float = 0.0005


def smallest(size: NDArray[Any], share: float) -> float:
    """The largest size below which values have at most this share of the sum of squares."""
    ranked = np.sort(np.abs(size).ravel().astype(np.float64))
    squares = np.cumsum(ranked**2)
    if not len(ranked) or not squares[-1]:
        return 0.0
    kept = int(np.searchsorted(squares, share * squares[-1], side="right"))
    return float(ranked[min(kept, len(ranked) - 1)])


def without_small(array: NDArray[Any], share: float) -> NDArray[Any]:
    """The array with 0 in place of its smallest values."""
    return np.where(np.abs(array) < smallest(array, share), 0, array).astype(array.dtype)


def packed_table(arrays: Arrays, table: FeatureTable, share: float) -> Arrays:
    """The arrays of a table without its smallest weights, under keys of 32 bits."""
    keys = arrays[table.keys]
    first = arrays[table.first] if table.first else np.arange(len(keys) + 1)
    weights = {name: arrays[name][: int(first[-1])] for name in table.weights}
    shared = {name: arrays[name][int(first[-1]) :] for name in table.weights}
    size: Floats = np.max([np.abs(each) for each in weights.values()], axis=0, initial=0.0)
    # What shares weights with others must stay: without its key it would get some of those.
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
    """Rows and numbers of the entries that stay: of keys that become one, only the largest's."""
    row = np.repeat(np.arange(len(keys)), np.diff(first))
    weight = np.bincount(row, np.where(large, size, 0), minlength=len(keys))
    order = np.lexsort((keys, -weight, _short(keys)))
    short = _short(keys)[order]
    loser = np.zeros(len(keys), bool)
    loser[order[1:]] = short[1:] == short[:-1]
    stays = large & ~loser[row]
    return row[stays], np.flatnonzero(stays)
