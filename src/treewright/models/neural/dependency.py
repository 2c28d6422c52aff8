"""Dependency parsing with a network: biaffine arcs over all trees, with tags and lemmas.

The best tree is a maximum spanning arborescence, marginals come from the matrix-tree theorem. The
arc scores of a log-linear parser can be added (`treewright.models.neural.arc_features`).
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from treewright.arrays import Floats, Floats32
from treewright.config import from_dict
from treewright.errors import ConfigError
from treewright.inference.labelled_arcs import (
    LabelSums,
    most_expected,
    spanning_marginals,
    sum_labels,
)
from treewright.inference.trees import labelled_spanning_trees
from treewright.models.contract import changed
from treewright.models.dependency.algorithms import MAX_WORDS, Found
from treewright.models.dependency.parser import NAME, TAGS, DependencyParser
from treewright.models.dependency.settings import Decoder
from treewright.models.dependency.tags import DependencyTagger
from treewright.models.neural.arc_features import ArcFeatures
from treewright.models.neural.lemmas import LemmaTagger
from treewright.models.neural.members import (
    ARCS,
    DEPENDENCY,
    FEATS,
    FEATURES,
    LEMMA,
    TAG,
    check_weight,
    shared_parts,
    stored_network,
    stored_tokeniser,
    tagged_forms,
)
from treewright.scores.dependency.encoder import EncodedSentence, Tagged
from treewright.scores.neural.network import TrainedNetwork, takes_tags
from treewright.scores.neural.tagger import NetworkTagger
from treewright.storage.bundle import Bundle
from treewright.text.tokeniser import Tokeniser

TEMPERATURE = 2.0  # of marginals; chosen by their log loss
Forms = tuple[str, ...]
NOTHING = Found(np.zeros(0, np.int32), np.zeros(0, np.int32), 0.0)


@dataclass(frozen=True)
class NeuralDependencyConfig:
    """The saved configuration of a parser.

    tags: "automatic" if they are the network's own, "gold" if it takes tags as input.
    feature_weight: weight of the scores of a log-linear parser, if there is one.
    temperature: of marginals, which are those of scores divided by it.
    """

    scorer: str = "neural"
    decoder: Decoder = "viterbi"
    tags: str = "automatic"
    lifts: bool = False
    feature_weight: float = 0.0
    temperature: float = TEMPERATURE

    def __post_init__(self) -> None:
        check_weight(self.feature_weight)
        if not self.temperature > 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")


class FormEncoder:
    """Encodes sentences as their forms, for networks without tags as input."""

    tag_columns: Sequence[str] = ()

    def __init__(self, relations: Sequence[str]) -> None:
        self.relations = tuple(relations)

    def encode(self, words: Sequence[Tagged]) -> Forms:
        """The forms of a sentence."""
        return tuple(word.form for word in words)

    def encode_all(self, sentences: Sequence[Sequence[Tagged]]) -> list[Forms]:
        """The forms of each sentence."""
        return list(map(self.encode, sentences))


class TaggedEncoder(FormEncoder):
    """Encodes sentences as forms with tags, for networks that take tags."""

    tag_columns = ("upos", "xpos")

    def encode(self, words: Sequence[Tagged]) -> Forms:
        """The forms of a sentence with their tags."""
        return tagged_forms(words)


@dataclass(frozen=True)
class Featured:
    """A sentence for the network and for the features of a log-linear parser."""

    words: Forms
    encoded: EncodedSentence

    def __len__(self) -> int:
        return len(self.words)


class FeaturedEncoder:
    """Encodes sentences for a network and for features."""

    def __init__(self, plain: FormEncoder, features: ArcFeatures) -> None:
        self.plain, self.features, self.relations = plain, features, plain.relations
        self.tag_columns = tuple(dict.fromkeys((*plain.tag_columns, *features.tag_columns)))

    def encode_all(self, sentences: Sequence[Sequence[Tagged]]) -> list[Featured]:
        """The encoded words of each sentence."""
        encoded = self.plain.encode_all(sentences), self.features.encode_all(sentences)
        return list(map(Featured, *encoded))


class NetworkTrees:
    """Dependency trees scored by a network."""

    max_words = MAX_WORDS

    def __init__(
        self, network: TrainedNetwork, decoder: Decoder = "viterbi", temperature: float = 1.0
    ) -> None:
        self.network, self.decoder, self.temperature = network, decoder, np.float32(temperature)

    def parse_batch(self, sentences: Sequence[Forms], threads: int = 1) -> list[Found]:  # noqa: ARG002
        """The decoder's tree for each sentence, including empty ones."""
        tables = self.tables([words for words in sentences if words])
        return [self.best(next(tables)) if words else NOTHING for words in sentences]

    def tables(self, sentences: Sequence[Forms]) -> Iterator[Floats32]:
        """The arc scores of sentences: [words + 1, words + 1, labels], head by word."""
        return self.network.tables(ARCS, sentences, pairs=True)

    def best(self, table: Floats32) -> Found:
        """The decoder's tree for a table of scores."""
        if self.decoder == "viterbi":
            return Found(*labelled_spanning_trees(table, 1)[0])
        scores = _arcs(table)
        arcs = spanning_marginals(sum_labels(scores).arcs).arcs
        heads, labels, gain = most_expected(scores, arcs, projective=False)
        chosen = table[heads, np.arange(1, len(heads) + 1), labels]
        score = float(chosen.sum(dtype=np.float64))
        return Found(heads, labels, score, float(gain))

    def kbest(self, sentence: Forms, k: int) -> list[Found]:
        """At most k different trees, best score first."""
        if not sentence:
            return [NOTHING]
        (table,) = self.tables([sentence])
        return [Found(*tree) for tree in labelled_spanning_trees(table, k)]

    def arcs(self, sentence: Forms) -> Floats:
        """Probabilities of unlabelled arcs [head, word]; the sentence must not be empty."""
        return spanning_marginals(self._summed(sentence).arcs).arcs

    def marginals(self, sentence: Forms) -> Floats | None:
        """Probabilities of arcs [head, word, label], of scores divided by the temperature."""
        if not sentence:
            return None
        (table,) = self.tables([sentence])
        summed = sum_labels(_arcs(table / self.temperature))
        found: Floats = spanning_marginals(summed.arcs).arcs[..., None] * summed.share
        return found

    def log_z(self, sentence: Forms) -> float | None:
        """The log of the total weight of all trees."""
        return spanning_marginals(self._summed(sentence).arcs).log_z if sentence else None

    def _summed(self, sentence: Forms) -> LabelSums:
        (table,) = self.tables([sentence])
        return sum_labels(_arcs(table))

    def with_decoder(self, decoder: Decoder) -> "NetworkTrees":
        other = copy(self)
        other.decoder = decoder
        return other

    def with_beam(self, beam: int) -> "NetworkTrees":
        raise ConfigError(f"a neural parser does not support --beam {beam}")


class FeaturedTrees(NetworkTrees):
    """Dependency trees scored by a network and by the features of a log-linear parser."""

    def __init__(
        self,
        network: TrainedNetwork,
        decoder: Decoder,
        temperature: float,
        features: ArcFeatures,
        weight: float,
    ) -> None:
        super().__init__(network, decoder, temperature)
        self.features, self.weight = features, np.float32(weight)

    def tables(self, sentences: Sequence[Any]) -> Iterator[Floats32]:
        """The sums of both scores, for sentences of class `Featured`."""
        of_network = super().tables([sentence.words for sentence in sentences])
        for sentence, table in zip(sentences, of_network, strict=True):
            yield table + self.weight * self.features.scores(sentence.encoded)


def _arcs(table: Floats32) -> Floats32:
    """Scores of possible arcs: words are not their own heads, and the root has no head."""
    found = table.copy()
    np.einsum("iil->il", found)[:] = -np.inf
    found[:, 0] = -np.inf
    return found


class NeuralDependencyParser(DependencyParser):
    """A dependency parser with a network's trees.

    Tags and lemmas are the network's too, unless it takes tags as input: then those of untagged
    text come from a tagger.
    """

    def __init__(
        self,
        config: NeuralDependencyConfig,
        network: TrainedNetwork,
        tokeniser: Tokeniser | None = None,
        tagger: DependencyTagger | None = None,
        features: ArcFeatures | None = None,
    ) -> None:
        self.network, self.features = network, features
        how = network, config.decoder, config.temperature
        trees: Any = NetworkTrees(*how)
        self.takes_tags = takes_tags(network.bundle)
        encoder: Any = (TaggedEncoder if self.takes_tags else FormEncoder)(network.labels[ARCS])
        if features is not None:
            encoder = FeaturedEncoder(encoder, features)
            trees = FeaturedTrees(*how, features, config.feature_weight)
        given: Any = replace(config, tags="gold") if self.takes_tags else config
        own = tagger if self.takes_tags else word_tagger(network)
        super().__init__(given, encoder, trees, own, tokeniser)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "NeuralDependencyParser":
        config = from_dict(NeuralDependencyConfig, bundle.config, "config.toml")
        tags = bundle.parts.get(TAGS)
        tagger = DependencyTagger.from_bundle(tags) if tags else None
        network, part = stored_network(bundle), bundle.parts.get(FEATURES)
        features = ArcFeatures.from_bundle(part, network.labels[ARCS]) if part else None
        return cls(config, network, stored_tokeniser(bundle), tagger, features)

    def bundle(self) -> Bundle:
        parts = shared_parts(self.network, DEPENDENCY, self.tokeniser)
        if self.features is not None:
            parts[FEATURES] = self.features.bundle()
        if self.takes_tags and self.tagger is not None:
            parts[TAGS] = self.tagger.bundle()
        return Bundle(NAME, asdict(self.config), {}, {}, parts)

    def with_features(self, parser: DependencyParser, weight: float) -> "NeuralDependencyParser":
        """The same parser with the arc scores of a log-linear one, times a weight."""
        config: Any = replace(self.config, feature_weight=weight)  # type: ignore[call-arg]
        features = ArcFeatures(parser, self.network.labels[ARCS])
        parts = self.network, self.tokeniser, self.tagger, features
        return NeuralDependencyParser(config, *parts).with_max_words(self.max_words)

    def with_settings(self, **changes: Any) -> "NeuralDependencyParser":
        """Other settings: decoder, temperature of marginals, feature_weight if it has features."""
        known = ["decoder", "temperature", *(["feature_weight"] if self.features else [])]
        if unknown := changes.keys() - set(known):
            has = ", ".join(known)
            raise ConfigError(
                f"a neural {NAME} model has no setting {min(unknown)!r}; it has {has}"
            )
        config: Any = changed(self.config, changes, NAME)
        parts = self.network, self.tokeniser, self.tagger, self.features
        return NeuralDependencyParser(config, *parts).with_max_words(self.max_words)


def word_tagger(network: TrainedNetwork) -> DependencyTagger:
    """The tagger of the network's heads for tags, features and lemmas."""
    feats = NetworkTagger(network, FEATS) if FEATS in network.labels else None
    lemmas = LemmaTagger(network) if LEMMA in network.labels else None
    return DependencyTagger(NetworkTagger(network, TAG), feats, lemmas)
