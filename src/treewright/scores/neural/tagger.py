"""A network's tags as a tagger: a chain of order 0, whose posteriors are softmaxes."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from treewright.arrays import Floats, Floats32
from treewright.errors import ConfigError, TreewrightError
from treewright.forests import Chain, chain
from treewright.scores.neural.network import TrainedNetwork, log_softmax
from treewright.scores.tagging.base import Posteriors, SequenceTagger, emission
from treewright.scores.tagging.encoder import Words

LEAST = 1e-5  # tags below this fraction of the best probability are dropped
FLOOR = 1e-3  # added to the probabilities of a log-linear tagger, which drops unlikely tags


class NetworkTagger(SequenceTagger):
    """The tags of one head; it only uses words.

    Args:
        network: a network with that head.
        head: its name.
        names: names of the tags, if they differ from the head's labels.
    """

    order = 0

    def __init__(
        self, network: TrainedNetwork, head: str, names: Sequence[str] | None = None
    ) -> None:
        self.network, self.head = network, head
        self.tags = tuple(network.labels[head] if names is None else names)

    def posteriors_batch(
        self,
        sentences: Sequence[Words],
        pos: Sequence[Words] | None = None,
        k: int | None = None,  # noqa: ARG002 - it has no dictionary
    ) -> Posteriors:
        """The posteriors of many sentences, concatenated."""
        if not all(map(len, sentences)):
            raise TreewrightError("a sentence without words cannot be tagged")
        ends = np.cumsum([0, *map(len, sentences)], dtype=np.int32)
        logs = log_softmax(self._table(sentences, pos)).astype(np.float64)
        best = logs.max(axis=1, initial=-np.inf, keepdims=True)
        kept = logs >= best + np.log(LEAST)
        first = np.concatenate(([0], np.cumsum(kept.sum(axis=1)))).astype(np.int32)
        tag = np.nonzero(kept)[1].astype(np.int32)
        return Posteriors(first, tag, np.exp(logs[kept]), ends, logs[kept])

    def _table(
        self,
        sentences: Sequence[Words],
        pos: Sequence[Words] | None,  # noqa: ARG002 - for taggers with features
    ) -> Floats32:
        """The scores of all words, concatenated: [words, tags]."""
        tables = self.network.tables(self.head, sentences) if sentences else ()
        return np.concatenate([np.zeros((0, len(self.tags)), np.float32), *tables])

    def chain(self, found: Posteriors) -> tuple[Chain, Floats]:
        """The candidates of each word, without transitions."""
        built = chain([found.tag[a:b] for a, b in pairwise(found.first)], 0)
        return built, np.concatenate((emission(found), np.zeros(len(built.ngrams))))

    def marginals(
        self, found: Posteriors, messages: Floats, weight: float = 1.0
    ) -> tuple[float, Floats]:
        """Softmaxes of the candidates' scores plus messages."""
        scores = weight * emission(found) + messages
        at = found.positions
        highest = np.maximum.reduceat(scores, found.first[:-1])
        shares = np.exp(scores - highest[at])
        sums = np.add.reduceat(shares, found.first[:-1])
        return float((highest + np.log(sums)).sum()), shares / sums[at]


class FeaturedTagger(NetworkTagger):
    """A network's tags with the posteriors of a log-linear tagger, as a product of experts.

    The score of a tag is log p(tag | words) of the network plus `weight` times log (p + FLOOR),
    with the posterior p of the log-linear tagger, whatever the order of its chain is.

    Args:
        plain: the network's tagger.
        features: a tagger that shares some names of tags; the others have the posterior 0.
        weight: weight of its scores.
    """

    def __init__(self, plain: NetworkTagger, features: SequenceTagger, weight: float) -> None:
        super().__init__(plain.network, plain.head, plain.tags)
        self.features, self.weight = features, weight
        number = {tag: i for i, tag in enumerate(features.tags)}
        self._column = np.array([number.get(tag, len(number)) for tag in self.tags])
        if (self._column == len(number)).all():
            raise ConfigError("the taggers have no tag in common")

    def _table(self, sentences: Sequence[Words], pos: Sequence[Words] | None) -> Floats32:
        """The sums of both scores: [words, tags]."""
        own = log_softmax(super()._table(sentences, pos))
        if not len(own):
            return own
        found = self.features.posteriors_batch(sentences, pos)
        other = np.full((len(own), len(self.features.tags) + 1), FLOOR, np.float32)
        other[found.positions, found.tag] += found.probability.astype(np.float32)
        summed = own + self.weight * np.log(other)[:, self._column]
        return summed.astype(np.float32)
