"""The features of a training corpus: which keys get a row, and which tags a row has."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Indices, Integers, Keys


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """keys [rows], row_first [rows + 1], row_tag [entries]; rows [positions, templates]."""

    keys: Keys
    row_first: Indices
    row_tag: Indices
    rows: Indices


def collect_features(keys: Keys, gold: Indices, tags: int, cutoffs: Sequence[int]) -> FeatureRows:
    """Rows for the keys seen often enough, with the gold tags that they were seen with.

    Args:
        keys: [positions, templates].
        gold: the tags [positions].
        tags: how many there are.
        cutoffs: for each template, how often a key must occur.
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
