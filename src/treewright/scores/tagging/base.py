"""The interface of taggers, log-linear or neural: posteriors of tags, and a chain for inference."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from treewright.arrays import Floats, Indices
from treewright.errors import TreewrightError
from treewright.forests import Chain
from treewright.scores.tagging.encoder import Words


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Probabilities of tags: position i has the entries first[i] .. first[i + 1] - 1.

    first: int32 [positions + 1].
    tag: int32 [entries], tag numbers, ascending within a position.
    probability: float64 [entries].
    first_position: int32 [sentences + 1].
    emission: float64 [entries], the chain's scores of the tags, if there is a chain.
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
        """The position of each entry."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))

    def highest(self) -> Floats:
        """The highest probability at each position."""
        return highest(self.first, self.probability)

    def best(self) -> Indices:
        """The most probable tag at each position."""
        position = self.positions
        is_best = self.probability == self.highest()[position]
        entries = np.flatnonzero(is_best)[::-1]
        out = np.zeros(len(self), dtype=np.int32)
        out[position[entries]] = self.tag[entries]  # ties: the first entry is written last
        return out

    def above(self, beta: float) -> "Posteriors":
        """The entries with at least beta times the highest probability at their position."""
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
        """Sums of posteriors by group; `group` has the group number of each tag."""
        groups = int(group.max(initial=0)) + 1
        keys = self.positions.astype(np.int64) * groups + group[self.tag]
        distinct, inverse = np.unique(keys, return_inverse=True)
        sums: Floats = np.bincount(inverse, self.probability).astype(np.float64)
        first = np.searchsorted(distinct, np.arange(len(self) + 1, dtype=np.int64) * groups)
        tags = (distinct % groups).astype(np.int32)
        return Posteriors(first.astype(np.int32), tags, sums, self.first_position)


def highest(first: Indices, values: Floats) -> Floats:
    """The largest value at each position."""
    return np.maximum.reduceat(values, first[:-1]) if len(first) > 1 else np.zeros(0)


class SequenceTagger(ABC):
    """A trained tagger: the names of its tags by number, and the order of its chain."""

    tags: tuple[str, ...]
    order: int

    @abstractmethod
    def posteriors_batch(
        self,
        sentences: Sequence[Words],
        pos: Sequence[Words] | None = None,
        k: int | None = None,
    ) -> Posteriors:
        """The posteriors of many sentences, concatenated; k is a dictionary cutoff."""

    @abstractmethod
    def chain(self, posteriors: Posteriors) -> tuple[Chain, Floats]:
        """The chain over the candidates of one sentence, and the scores of its parts."""

    @abstractmethod
    def marginals(
        self, posteriors: Posteriors, messages: Floats, weight: float = 1.0
    ) -> tuple[float, Floats]:
        """log Z and the posteriors [entries] of one sentence's candidates.

        messages: float64 [entries], added to the candidates' scores; -inf forbids.
        weight: multiplier of the tagger's own scores.
        """

    def transition_scores(self, ngrams: ArrayLike) -> Floats:
        """The scores of transitions: rows of order + 1 tags, oldest first, -1 outside."""
        return np.zeros(len(np.asarray(ngrams)))

    def tag(self, words: Words, pos: Words | None = None) -> list[str]:
        """The most probable tag of each word."""
        return self.tag_batch([words], None if pos is None else [pos])[0]

    def tag_batch(
        self, sentences: Sequence[Words], pos: Sequence[Words] | None = None
    ) -> list[list[str]]:
        """The most probable tags of many sentences."""
        posteriors = self.posteriors_batch(sentences, pos)
        names = [self.tags[tag] for tag in posteriors.best().tolist()]
        return [names[a:b] for a, b in pairwise(posteriors.first_position.tolist())]

    def posteriors(
        self, words: Words, pos: Words | None = None, k: int | None = None
    ) -> Posteriors:
        """The posteriors of one sentence."""
        return self.posteriors_batch([words], None if pos is None else [pos], k)

    def multitag(
        self, words: Words, pos: Words | None = None, beta: float = 0.01, k: int | None = None
    ) -> list[list[tuple[str, float]]]:
        """The tags of each word with at least beta times the best probability, best first."""
        kept = self.posteriors(words, pos, k).above(beta)
        pairs = list(zip(kept.tag.tolist(), kept.probability.tolist(), strict=True))
        rows = (pairs[a:b] for a, b in pairwise(kept.first.tolist()))
        return [[(self.tags[t], p) for t, p in sorted(row, key=lambda x: -x[1])] for row in rows]


def emission(posteriors: Posteriors) -> Floats:
    """The scores of a tagger's candidates."""
    if posteriors.emission is None:
        raise TreewrightError("these posteriors do not come from a tagger")
    return posteriors.emission
