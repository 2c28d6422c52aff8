"""Transitions of a chain tagger: the tag n-grams with weights, and their indices."""

from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Floats32, Indices, Integers, Keys

AnyInteger = TypeVar("AnyInteger", np.int64, np.uint64)


def trigram_keys(rows: Integers) -> Keys:
    """The keys of tag trigrams in the core, [rows], for rows [rows, 3]."""
    digits = (rows + 1).astype(np.uint64)
    shifts = np.array([42, 21, 0], dtype=np.uint64)
    keys: Keys = np.bitwise_or.reduce(digits << shifts, axis=1)
    return keys


def tag_trigrams(tags: Indices, first_position: Indices) -> Integers:
    """All trigrams of a corpus, [trigrams, 3].

    Each sentence is padded with the tag -1, twice before it and once after it.
    """
    rows = []
    for a, b in pairwise(first_position.tolist()):
        padded = np.concatenate(([-1, -1], tags[a:b], [-1]))
        rows.append(np.lib.stride_tricks.sliding_window_view(padded, 3))
    return np.concatenate(rows).astype(np.int64)


class Transitions:
    """The transitions with weights: frequent bigrams and trigrams of tags.

    All other bigrams share the first weight. A pair seen once in training only occurs in its gold
    sequence, so a weight of its own would overfit.

    Args:
        tags: the number of tags.
        order: the order of the chain.
        seen: trigrams of training [trigrams, 3].
        cutoffs: minimum frequency of a bigram and of a trigram.
    """

    def __init__(self, tags: int, order: int, seen: Integers, cutoffs: tuple[int, int]) -> None:
        self.width, self.order = tags + 1, order
        self.pairs = _frequent(self._pair(seen), cutoffs[0] if order else None)
        self.triples = _frequent(trigram_keys(seen), cutoffs[1] if order == 2 else None)
        self.size = 1 + len(self.pairs) + len(self.triples)

    def _pair(self, rows: Integers) -> Integers:
        return (rows[:, -2] + 1) * self.width + rows[:, -1] + 1

    def features(self, ngrams: Indices) -> tuple[Indices, Indices]:
        """CSR of the weights of each n-gram: offsets and indices."""
        rows = ngrams.astype(np.int64)
        columns = [np.maximum(_find(self.pairs, self._pair(rows), 1), 0)]
        if self.order == 2:
            columns.append(_find(self.triples, trigram_keys(rows), 1 + len(self.pairs)))
        table = np.stack(columns, axis=1)
        known = table >= 0
        first = np.concatenate(([0], np.cumsum(known.sum(axis=1)))).astype(np.int32)
        return first, table[known].astype(np.int32)

    def tables(self, weights: Floats) -> tuple[Floats32, Keys, Floats32]:
        """The tables of a tagger of order 1 or 2: a flat matrix of bigrams, and trigrams."""
        if not self.order:
            return np.zeros(0, np.float32), self.triples, np.zeros(0, np.float32)
        end = 1 + len(self.pairs)
        bigram = np.full(self.width**2, weights[0], dtype=np.float32)
        bigram[self.pairs] = weights[1:end]
        return bigram, self.triples, weights[end:].astype(np.float32)


def _frequent(values: NDArray[AnyInteger], cutoff: int | None) -> NDArray[AnyInteger]:
    """The distinct values that occur at least `cutoff` times, sorted; none if the cutoff is 0."""
    distinct, counts = np.unique(values, return_counts=True)
    return distinct[:0] if cutoff is None else distinct[counts >= cutoff]


def _find(known: NDArray[np.generic], wanted: NDArray[np.generic], base: int) -> Integers:
    if not len(known):
        return np.full(len(wanted), -1)
    at = np.searchsorted(known, wanted).clip(max=len(known) - 1)
    return np.where(known[at] == wanted, at + base, -1)
