"""What every tagger gives, log-linear or neural: posteriors of tags, and a chain for inference."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from treewright.arrays import Floats
from treewright.errors import TreewrightError
from treewright.forests import Chain
from treewright.scores.tagging.encoder import Words
from treewright.scores.tagging.posteriors import Posteriors


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
        """The posteriors of many sentences, end to end; k is a dictionary cutoff."""

    @abstractmethod
    def chain(self, found: Posteriors) -> tuple[Chain, Floats]:
        """The chain over one sentence's candidates, and the unnormalised scores of its parts."""

    @abstractmethod
    def marginals(
        self, found: Posteriors, messages: Floats, weight: float = 1.0
    ) -> tuple[float, Floats]:
        """log Z and the posteriors [entries] of one sentence's candidates.

        messages: float64 [entries], which are added to the candidates' scores; -inf forbids.
        weight: what the tagger's own scores are multiplied with.
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
        """For each word the tags with at least beta times the best probability, best first."""
        kept = self.posteriors(words, pos, k).above(beta)
        pairs = list(zip(kept.tag.tolist(), kept.probability.tolist(), strict=True))
        rows = (pairs[a:b] for a, b in pairwise(kept.first.tolist()))
        return [[(self.tags[t], p) for t, p in sorted(row, key=lambda x: -x[1])] for row in rows]


def emission(posteriors: Posteriors) -> Floats:
    """The scores of a tagger's candidates."""
    if posteriors.emission is None:
        raise TreewrightError("these posteriors do not come from a tagger")
    return posteriors.emission
