"""Constituency parsing with a network: all trees of labelled spans, without a grammar.

With the features of a log-linear parser, the trees of its chart
(`treewright.models.neural.chart_features`).
"""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, TextIO
from weakref import WeakValueDictionary

import numpy as np

from treewright.arrays import Floats, Floats32, Indices
from treewright.config import from_dict
from treewright.data.brackets import Bracketed, Phrase, Tagged
from treewright.data.lines import Text
from treewright.data.records import Sentence, Token
from treewright.errors import ConfigError
from treewright.forests.labelled_spans import LONGEST_KEPT, LabelledSpan, SpanForest, span_forest
from treewright.grammar.treebank import TOP, Span
from treewright.inference import exact, minrisk
from treewright.inference.minrisk import Events
from treewright.models.constituency.analysis import ConstAnalysis, legal
from treewright.models.constituency.data import read_tokens
from treewright.models.constituency.decode import AGAIN, Decoder
from treewright.models.constituency.parser import ConstParser, decoded
from treewright.models.constituency.settings import NAME
from treewright.models.contract import Parser, changed, several
from treewright.models.neural.chart_features import ChartFeatures
from treewright.models.neural.members import (
    CHAIN,
    CONSTITUENCY,
    FEATURES,
    POS,
    SPANS,
    check_weight,
    shared_parts,
    stored_network,
    stored_tokeniser,
)
from treewright.models.reading import bracket_words
from treewright.models.tagging.parser import batches
from treewright.scores.neural.network import TrainedNetwork
from treewright.scores.neural.tagger import NetworkTagger
from treewright.storage.bundle import Bundle

MAX_WORDS = 200  # forests of all spans of longer sentences are too large
PENALTY = 0.5  # min-risk: subtracted from each constituent's posterior
TEMPERATURE = 1.5  # of marginals; chosen by their log loss
NO_CHART = "the grammar of the features has no tree for {} ...: parsed by the network alone"
Chains = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class NeuralConstConfig:
    """The saved configuration of a parser."""

    scorer: str = "neural"
    decoder: Decoder = "min-risk"
    max_words: int = MAX_WORDS
    penalty: float = PENALTY
    temperature: float = TEMPERATURE
    feature_weight: float = 0.0

    def __post_init__(self) -> None:
        if self.max_words < 1 or not 0 <= self.penalty < 1:
            raise ValueError("max_words must be positive, penalty from 0 up to 1")
        if not self.temperature > 0:
            raise ValueError(f"temperature must be positive, not {self.temperature}")
        check_weight(self.feature_weight)


class NeuralConstParser(Parser[ConstAnalysis]):
    """A constituency parser whose labelled spans are scored by a network."""

    kind = NAME
    formats = ConstAnalysis.formats
    treebanks = ("bracket",)
    frames = ConstParser.frames

    def __init__(
        self,
        config: NeuralConstConfig,
        network: TrainedNetwork,
        features: ChartFeatures | None = None,
    ) -> None:
        self.config, self.network, self.max_words = config, network, config.max_words
        self.features = features
        self.chains: Chains = tuple(tuple(each.split(CHAIN)) for each in network.labels[SPANS])
        self.tagger = NetworkTagger(network, POS)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "NeuralConstParser":
        config = from_dict(NeuralConstConfig, bundle.config, "config.toml")
        network, part = stored_network(bundle), bundle.parts.get(FEATURES)
        features = ChartFeatures.from_bundle(part, network.labels[SPANS]) if part else None
        return cls(config, network, features).with_tokeniser(stored_tokeniser(bundle))

    def bundle(self) -> Bundle:
        parts = shared_parts(self.network, CONSTITUENCY, self.tokeniser)
        if self.features is not None:
            parts[FEATURES] = self.features.bundle()
        return Bundle(NAME, asdict(self.config), {}, {}, parts)

    def with_features(self, parser: ConstParser, weight: float) -> "NeuralConstParser":
        """The same parser over the charts of a log-linear one, with its scores times a weight."""
        config = replace(self.config, feature_weight=weight)
        features = ChartFeatures(parser, self.network.labels[SPANS])
        made = NeuralConstParser(config, self.network, features)
        return made.with_tokeniser(self.tokeniser)

    def with_settings(self, **changes: Any) -> "NeuralConstParser":
        """Other settings: decoder, max_words, penalty, temperature (of marginals), feature_weight.

        feature_weight: only of parsers with features.
        """
        if self.features is None and "feature_weight" in changes:
            raise ConfigError(f"this {NAME} model has no features, so feature_weight is unused")
        made = NeuralConstParser(changed(self.config, changes, NAME), self.network, self.features)
        return made.with_tokeniser(self.tokeniser)

    def with_max_words(self, words: int) -> "NeuralConstParser":
        return self.with_settings(max_words=words)

    def read_treebank(self, file: TextIO, source: Path) -> Iterator[Sentence]:  # noqa: ARG002
        return bracket_words(file)

    def read_tokens(self, file: TextIO, tagged: bool) -> Iterator[Sentence]:
        return read_tokens(file, tagged)

    def parse_many(self, sentences: Iterable[Text]) -> Iterator[ConstAnalysis]:
        for batch in batches(map(self.as_sentence, several(sentences))):
            usable = [bool(each.tokens) and self.fits(each) for each in batch]
            words = [each.words for each, good in zip(batch, usable, strict=True) if good]
            tables = self.network.tables(SPANS, words, pairs=True)
            tags = iter(self.tagger.tag_batch(words))
            for sentence, good in zip(batch, usable, strict=True):
                yield (
                    self._analysis(_tagged(sentence, next(tags)), next(tables))
                    if good
                    else SpanAnalysis(sentence, None, float("-inf"), None, lambda: None)  # type: ignore[arg-type]
                )

    def _analysis(self, sentence: Sentence, table: Floats32) -> ConstAnalysis:
        if self.features is None:
            return self._of_spans(sentence, table)
        how, features = self.config, self.features
        scored = features.scored(sentence, table, how.feature_weight)
        if scored is None:
            warnings.warn(NO_CHART.format(" ".join(sentence.words[:3])), stacklevel=2)
            return self._of_spans(sentence, table)
        found = decoded(sentence, scored, how.decoder, features.counter, how.penalty)
        unknown = features.parser.unknown_tags(sentence)
        return replace(found, temperature=how.temperature, unknown_tags=unknown)

    def _of_spans(self, sentence: Sentence, table: Floats32) -> "SpanAnalysis":
        """The analysis among all trees of labelled spans."""
        made = span_forest(len(sentence.tokens), len(self.chains))
        scores = made.scores(table)
        scored = ScoredSpans(made, scores, self.chains)
        edges, gain = scored.decoded(self.config.decoder, self.config.penalty)
        best = exact.rescored(made.forest, scores, edges)
        tree = scored.tree(best.edges, sentence)
        given: Any = None
        found = SpanAnalysis(sentence, tree, best.score, given, lambda: None, gain, spans=scored)
        return replace(found, temperature=self.config.temperature)


@dataclass(frozen=True, eq=False)
class ScoredSpans:
    """All trees of a sentence with the scores of their parts."""

    made: SpanForest
    scores: Floats
    chains: Chains

    def decoded(self, decoder: Decoder, penalty: float = PENALTY) -> tuple[Any, float | None]:
        """The edges chosen by a decoder, and their expected gain."""
        forest = self.made.forest
        if decoder == "viterbi":
            return exact.viterbi(forest, self.scores).edges, None
        events = self.events.events
        if decoder == "max-f1":
            found = minrisk.max_expected_f1(forest, self.scores, 50, events)
        else:
            found = minrisk.max_expected_counts(forest, self.scores, events, penalty)
        return found.edges, found.score

    @cached_property
    def events(self) -> "SpanEvents":
        """The constituents of the parts, as events."""
        return _events(self.made, self.chains)

    def tree(self, edges: Any, sentence: Sentence) -> Bracketed:
        """The tree of a derivation."""
        return tree_of_spans(self.made.spans(edges), self.chains, sentence)


@dataclass(frozen=True, eq=False, repr=False)
class SpanAnalysis(ConstAnalysis):
    """The tree of a sentence, and alternatives among all trees of labelled spans."""

    spans: ScoredSpans | None = None

    @cached_property
    def log_z(self) -> float | None:
        """The log of the total weight of all trees."""
        return (
            None if self.spans is None else exact.log_z(self.spans.made.forest, self.spans.scores)
        )

    @cached_property
    def marginals(self) -> dict[Span, float]:
        """The posterior of each constituent."""
        if self.spans is None:
            return {}
        found = self.spans.events
        scores = self.spans.scores / self.temperature
        parts = exact.marginals(self.spans.made.forest, scores).parts
        posterior = found.events.sums(parts)
        return {found.constituent(n): p for n, p in enumerate(posterior.tolist())}

    def kbest(self, k: int) -> "list[SpanAnalysis]":  # type: ignore[override]
        if self.spans is None:
            return [self][:k]
        found = exact.kbest(self.spans.made.forest, self.spans.scores, k)
        trees = [(each.score, self.spans.tree(each.edges, self.sentence)) for each in found]
        return [
            replace(self, tree=tree, log_weight=score, expected_gain=None) for score, tree in trees
        ]


@dataclass(frozen=True, eq=False)
class SpanEvents:
    """The constituents of a forest's parts: event n is the name `n % names` over a span."""

    events: Events
    begin: Indices
    end: Indices
    names: tuple[str, ...]

    def constituent(self, number: int) -> Span:
        """The constituent of an event."""
        span, name = divmod(number, len(self.names))
        return Span(int(self.begin[span]), int(self.end[span]), self.names[name])


def _events(made: SpanForest, chains: Chains) -> SpanEvents:
    """What the parts of a forest stand for; kept as long as forests are."""
    if made.words <= LONGEST_KEPT:
        return _kept_events(made, chains)
    found = _IN_USE.get((made, chains)) or _kept_events.__wrapped__(made, chains)
    return _IN_USE.setdefault((made, chains), found)


_IN_USE: WeakValueDictionary[tuple[SpanForest, Chains], SpanEvents] = WeakValueDictionary()


@lru_cache(maxsize=LONGEST_KEPT)
def _kept_events(made: SpanForest, chains: Chains) -> SpanEvents:
    """The constituents of all labels of all spans."""
    counted = [_counted(chain) for chain in chains]
    names = tuple(dict.fromkeys(name for each in counted for name in each))
    number = {name: i for i, name in enumerate(names)}
    own = np.array([number[name] for each in counted for name in each], np.int32)
    begin, end = made.begin[:: len(chains)], made.end[:: len(chains)]
    sizes = np.tile([len(each) for each in counted], len(begin))
    # The last part: no constituent.
    first = np.concatenate(([0], np.cumsum(sizes), [len(own) * len(begin)]))
    event = np.arange(len(begin))[:, None] * len(names) + own
    table = Events(first.astype(np.int32), event.astype(np.int32).ravel())
    return SpanEvents(table, begin, end, names)


def _counted(chain: tuple[str, ...]) -> list[str]:
    """The labels of a unary chain that metrics count; repeated ones are marked."""
    seen: Counter[str] = Counter()
    found = []
    for label in chain:
        if label != TOP:
            found.append(label + AGAIN * seen[label])
            seen[label] += 1
    return found


def tree_of_spans(spans: list[LabelledSpan], chains: Chains, sentence: Sentence) -> Bracketed:
    """The tree with these labelled spans over the words of a sentence."""
    leaves = map(Tagged, legal(sentence.tags), legal(sentence.words))
    chart: dict[tuple[int, int], Bracketed] = {(i, i + 1): leaf for i, leaf in enumerate(leaves)}
    ordered = sorted(spans, key=lambda span: (span[1] - span[0], span[0]))
    for begin, end, label in ordered:
        children, place = [], begin
        while place < end:
            size = max(e - b for b, e in chart if b == place and e <= end)
            children.append(chart.pop((place, place + size)))
            place += size
        node: Bracketed = children[0] if len(children) == 1 else Phrase("", tuple(children))
        for depth, name in enumerate(reversed(chains[label])):
            inner = tuple(children) if depth == 0 else (node,)
            node = Phrase(name, inner)
        chart[begin, end] = node
    (tree,) = chart.values()
    return tree


def _tagged(sentence: Sentence, tags: list[str]) -> Sentence:
    tokens = zip(sentence.tokens, tags, strict=True)
    return replace(sentence, tokens=tuple(Token(t.word, t.pos or tag) for t, tag in tokens))
