"""The features of a training corpus: which keys get a row, and which outputs a row has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.forests.forest import Indices


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """keys [rows], row_first [rows + 1], row_output [entries]; rows [positions, templates]."""

    keys: NDArray[np.uint64]
    row_first: Indices
    row_output: Indices
    rows: Indices


def collect_features(
    keys: NDArray[np.uint64],
    gold: Indices,
    tag_first: Indices,
    tag_output: Indices,
    cutoffs: Sequence[int],
) -> FeatureRows:
    """Rows for the keys seen often enough, with the outputs of the gold tags they were seen with.

    Args:
        keys: [positions, templates].
        gold: the tags [positions]; -1 where a position does not count.
        tag_first: offsets of the tags' outputs.
        tag_output: the outputs of each tag.
        cutoffs: for each template, how often a key must occur.
    """
    known = np.flatnonzero(gold >= 0)
    widths = np.diff(tag_first)[gold[known]]
    position = np.repeat(known, widths)
    starts = np.repeat(tag_first[gold[known]], widths)
    within = np.arange(len(position)) - np.repeat(np.cumsum(widths) - widths, widths)
    output = tag_output[starts + within].astype(np.int64)
    outputs = int(tag_output.max()) + 1
    all_keys, lengths, all_outputs = [], [], []
    rows = np.full(keys.shape, -1, dtype=np.int32)
    done = 0
    for t, cutoff in enumerate(cutoffs):
        column = np.ascontiguousarray(keys[:, t])
        found, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
        number = np.where(counts >= cutoff, np.cumsum(counts >= cutoff) - 1, -1)
        row = number[inverse]
        pairs = row[position] * outputs + output
        pairs = np.unique(pairs[row[position] >= 0])
        size = int((counts >= cutoff).sum())
        all_keys.append(found[counts >= cutoff])
        lengths.append(np.bincount(pairs // outputs, minlength=size))
        all_outputs.append((pairs % outputs).astype(np.int32))
        rows[:, t] = np.where(row >= 0, row + done, -1)
        done += size
    first = np.concatenate(([0], np.cumsum(np.concatenate(lengths)))).astype(np.int32)
    return FeatureRows(np.concatenate(all_keys), first, np.concatenate(all_outputs), rows)
