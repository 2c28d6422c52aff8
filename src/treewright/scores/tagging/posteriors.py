"""What a tagger says: probabilities of tags, as arrays over all positions."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Indices


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Probabilities of tags: position i has the entries first[i] .. first[i + 1] - 1.

    first: int32 [positions + 1]. tag: int32 [entries], numbers of tags, rising within a position.
    probability: float64 [entries]. first_position: int32 [sentences + 1]. emission: float64
    [entries], the chain's scores of the tags, where they come from one.
    """

    first: Indices
    tag: Indices
    probability: Floats
    first_position: Indices
    emission: Floats | None = None

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def positions(self) -> Indices:
        """The position of every entry."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))

    def highest(self) -> Floats:
        """The best probability of each position."""
        return highest(self.first, self.probability)

    def best(self) -> Indices:
        """The most probable tag of each position."""
        position = self.positions
        is_best = self.probability == self.highest()[position]
        found = np.flatnonzero(is_best)[::-1]
        out = np.zeros(len(self), dtype=np.int32)
        out[position[found]] = self.tag[found]  # the first of equals is written last
        return out

    def above(self, beta: float) -> "Posteriors":
        """The entries with at least beta times the probability of their position's best."""
        position = self.positions
        keep = self.probability >= beta * self.highest()[position]
        lengths = np.bincount(position[keep], minlength=len(self))
        first = np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)
        emission = None if self.emission is None else self.emission[keep]
        ends = self.first_position
        return Posteriors(first, self.tag[keep], self.probability[keep], ends, emission)

    def split(self) -> Iterator["Posteriors"]:
        """The posteriors of each sentence."""
        for begin, end in zip(self.first_position[:-1], self.first_position[1:], strict=True):
            first = self.first[begin : end + 1]
            rows = slice(first[0], first[-1])
            ends = np.array([0, end - begin], dtype=np.int32)
            emission = None if self.emission is None else self.emission[rows]
            tag, probability = self.tag[rows], self.probability[rows]
            yield Posteriors(first - first[0], tag, probability, ends, emission)

    def merged(self, group: Indices) -> "Posteriors":
        """Posteriors of groups of tags, by sums; `group` has the number of each tag's group."""
        groups = int(group.max(initial=0)) + 1
        keys = self.positions.astype(np.int64) * groups + group[self.tag]
        distinct, inverse = np.unique(keys, return_inverse=True)
        sums: Floats = np.bincount(inverse, self.probability).astype(np.float64)
        first = np.searchsorted(distinct, np.arange(len(self) + 1, dtype=np.int64) * groups)
        tags = (distinct % groups).astype(np.int32)
        return Posteriors(first.astype(np.int32), tags, sums, self.first_position)


def highest(first: Indices, values: Floats) -> Floats:
    """The largest value of each position."""
    return np.maximum.reduceat(values, first[:-1]) if len(first) > 1 else np.zeros(0)
