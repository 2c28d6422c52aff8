"""A log-linear chain tagger, for parts of speech and for supertags.

    tagger.tag(words, pos)                   the best tag of each word
    tagger.tag_batch(sentences, pos)         the same for many sentences, much faster
    tagger.posteriors(words, pos, k)         Posteriors: tags and probabilities of each position
    tagger.posteriors_batch(sentences, pos)  one Posteriors with all positions end to end
    posteriors.above(beta)                   multi-tagging: what has at least beta times the best
    tagger.multitag(words, pos, beta, k)     the same as lists of (tag, probability)
    tagger.chain(posteriors)                 the unnormalised chain, as forest and part scores
    tagger.marginals(posteriors, messages)   its log Z and posteriors, given more scores of tags

Two stages. A local model scores every tag that the dictionary allows and prunes; a chain of order
1 or 2 over what is left gives posteriors by forward-backward. Both are in the core; Python only
looks words up. `k` is the dictionary cutoff (`treewright.scores.tagging.dictionary`): posteriors
are computed once for each k, and beta is applied to them afterwards.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain as flatten
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.arrays import Floats, Floats32, Indices, Integers, Keys
from treewright.errors import ForestError, TreewrightError
from treewright.forests import Chain, chain
from treewright.scores.features.encoder import core_keys
from treewright.scores.tagging.base import Posteriors, SequenceTagger, emission
from treewright.scores.tagging.dictionary import TagDictionary
from treewright.scores.tagging.encoder import Encoded, TaggerEncoder, Words
from treewright.scores.tagging.transitions import trigram_keys


@dataclass(frozen=True)
class Pruning:
    """How the local model prunes candidates for the chain.

    It keeps tags with at least beta times the highest probability, from `least` to `most` per word.
    """

    beta: float = 1e-4
    least: int = 1
    most: int = 24

    def __post_init__(self) -> None:
        if not (0 < self.beta <= 1 and self.least >= 1 and 1 <= self.most < 1 << 31):
            raise ForestError("tags are pruned by a beta in (0, 1], and one or more are left")


@dataclass(frozen=True, eq=False)
class TaggerWeights:
    """The parameters of a trained tagger.

    keys [rows]: features; row_first [rows + 1], row_tag [entries]: their tags; local, chain
    [entries]: weights of the two models; bigram [(tags + 1)^2]: scores of transitions, boundary
    first; trigrams, trigram: keys and scores.
    """

    keys: Keys
    row_first: Indices
    row_tag: Indices
    local: Floats32
    chain: Floats32
    bigram: Floats32
    trigrams: Keys
    trigram: Floats32

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


class Tagger(SequenceTagger):
    """A trained tagger; see the module's docstring.

    The core copies the weights, so those of a stored model can be a function that reads them on
    demand.
    """

    def __init__(
        self,
        tags: Sequence[str],
        encoder: TaggerEncoder,
        dictionary: TagDictionary,
        weights: TaggerWeights | Callable[[], TaggerWeights],
        order: int,
        cutoff: int,
        pruning: Pruning | None = None,
    ) -> None:
        self.tags = tuple(tags)
        self.encoder, self.dictionary = encoder, dictionary
        self.order, self.cutoff, self.pruning = order, cutoff, pruning or Pruning()
        if isinstance(weights, TaggerWeights):
            self.weights = now = weights
        else:
            self._stored, now = weights, weights()
        keys, bits = core_keys(now.keys)
        self.core = _core.TaggerModel(
            encoder.templates.core,
            **now.arrays() | {"keys": keys},
            key_bits=bits,
            tags=len(self.tags),
            set_first=dictionary.first,
            set_tag=dictionary.tag,
            order=order,
        )

    @cached_property
    def weights(self) -> TaggerWeights:
        return self._stored()

    def posteriors_batch(
        self,
        sentences: Sequence[Words],
        pos: Sequence[Words] | None = None,
        k: int | None = None,
        pruning: Pruning | None = None,
    ) -> Posteriors:
        """The posteriors of many sentences, concatenated."""
        encoded, arrays = self._run(sentences, pos, k, pruning or self.pruning)
        return Posteriors(arrays[0], arrays[1], arrays[2], encoded.first_position, arrays[3])

    def chain(self, posteriors: Posteriors) -> tuple[Chain, Floats]:
        """The chain over the candidates of one sentence, such as those within a beam.

        Returns:
            The chain as a forest, and the unnormalised score of each part, float64 [parts]:
            emissions, then transitions.
        """
        built = chain([posteriors.tag[a:b] for a, b in pairwise(posteriors.first)], self.order)
        transitions = self.transition_scores(built.ngrams)
        return built, np.concatenate((emission(posteriors), transitions))

    def marginals(
        self, posteriors: Posteriors, messages: Floats, weight: float = 1.0
    ) -> tuple[float, Floats]:
        """log Z and the posteriors [entries] of one sentence's candidates.

        messages: float64 [entries], added to the candidates' scores; -inf forbids.
        weight: multiplier of the tagger's own scores.
        """
        scores = weight * emission(posteriors) + messages
        return self.core.marginals(posteriors.first, posteriors.tag, scores, weight)

    def transition_scores(self, ngrams: ArrayLike) -> Floats:
        """The scores of transitions: rows of order + 1 tags, oldest first, -1 outside."""
        rows = np.asarray(ngrams, dtype=np.int64)
        if not self.order or not len(rows):
            return np.zeros(len(rows))
        size = len(self.tags) + 1
        pairs = (rows[:, -2] + 1) * size + rows[:, -1] + 1
        scores: Floats = self.weights.bigram.ravel()[pairs].astype(np.float64)
        if self.order == 2 and len(self.weights.trigrams):
            at, known = self._trigrams(rows)
            scores += np.where(known, self.weights.trigram[at], 0.0)
        return scores

    def transition_features(self, ngrams: ArrayLike) -> tuple[Indices, Indices]:
        """The weight indices of transitions: first [ngrams + 1], and indices.

        Indices count through the table of bigrams, then through the trigrams.
        """
        rows = np.asarray(ngrams, dtype=np.int64)
        if not self.order or not len(rows):
            return np.zeros(len(rows) + 1, dtype=np.int32), np.zeros(0, dtype=np.int32)
        size = len(self.tags) + 1
        numbers = ((rows[:, -2] + 1) * size + rows[:, -1] + 1)[:, None]
        used = np.ones_like(numbers, dtype=np.bool_)
        if self.order == 2 and len(self.weights.trigrams):
            at, known = self._trigrams(rows)
            numbers = np.column_stack((numbers, size * size + at))
            used = np.column_stack((used, known))
        first = np.concatenate(([0], np.cumsum(used.sum(axis=1))))
        return first.astype(np.int32), numbers[used].astype(np.int32)

    def _trigrams(self, rows: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """The indices of trigrams among those with weights, and a mask of those that have one."""
        keys = trigram_keys(rows)
        last = len(self.weights.trigrams) - 1
        at = np.searchsorted(self.weights.trigrams, keys).clip(max=last)
        return at, self.weights.trigrams[at] == keys

    @cached_property
    def _key_order(self) -> Integers:
        return np.argsort(self.weights.keys)

    def feature_rows(self, sentences: Sequence[Words], pos: Sequence[Words] | None) -> Indices:
        """The weight rows of words by template: [words, templates], -1 for none."""
        e = self.encoder.encode(sentences, pos)
        keys = self.encoder.templates.core.hash(e.attributes, e.classes, e.first_position)
        keys = keys.astype(self.weights.keys.dtype)
        order = self._key_order
        at = order[np.searchsorted(self.weights.keys, keys, sorter=order).clip(max=len(order) - 1)]
        return np.where(self.weights.keys[at] == keys, at, -1).astype(np.int32)

    def encode(self, sentences: Sequence[Words], pos: Sequence[Words] | None) -> Encoded:
        return self.encoder.encode(sentences, pos)

    def _run(
        self,
        sentences: Sequence[Words],
        pos: Sequence[Words] | None,
        k: int | None,
        pruning: Pruning,
    ) -> tuple[Encoded, tuple[Any, ...]]:
        if not all(map(len, sentences)):
            raise TreewrightError("a sentence without words cannot be tagged")
        encoded = self.encoder.encode(sentences, pos)
        words = list(flatten.from_iterable(sentences))
        flat_pos = list(flatten.from_iterable(pos)) if pos is not None else None
        sets = self.dictionary.sets(words, flat_pos, self.cutoff if k is None else k)
        arrays = self.core.tag(
            encoded.attributes,
            encoded.classes,
            encoded.first_position,
            sets,
            pruning.beta,
            pruning.least,
            pruning.most,
        )
        return encoded, arrays
