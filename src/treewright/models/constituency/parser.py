"""Constituency parsers.

Three models share the treebank grammar: `rich`, a CRF or max-margin model with features of spans
and splits; `rules`, the weighted grammar of the max-margin paper, with a weight per rule; `pcfg`,
the same grammar with relative frequencies.
"""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self, TextIO

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.data.lines import Text
from treewright.data.records import Sentence, Token
from treewright.draw.latex import latex_frame
from treewright.errors import ConfigError, StoreError
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import ConstGrammar, Layout
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.grammar.binarise import restore
from treewright.grammar.treebank import TreebankRules
from treewright.grammar.words import Vocabulary
from treewright.inference import exact
from treewright.models.constituency.analysis import ConstAnalysis, Scored, legal, original_tree
from treewright.models.constituency.data import read_tokens, with_given_tags
from treewright.models.constituency.decode import PENALTY, decode
from treewright.models.constituency.prune import Pruner
from treewright.models.constituency.settings import NAME, ConstConfig, span_model, stored_config
from treewright.models.contract import Parser, changed, several
from treewright.models.reading import bracket_words
from treewright.models.tagging.pos import PosTagger
from treewright.scores.constituency.features import ConstFeatures, Featuriser
from treewright.scores.constituency.templates import SpanEncoder, Tokens
from treewright.storage.bundle import Bundle

MAX_WORDS, MAX_DENSE = 1000, 300  # words in a pruned chart, and in one of a PCFG
THRESHOLDS = (0.1, 0.01, 0.001, 0.0001)  # pruning thresholds for the oracle
STAND_IN = "NN"  # replaces unknown tags, if the treebank has it
Tagger = Callable[[Sequence[str]], Sequence[str]]
ScoreParts = Callable[[Tokens, Chart], Floats]


class ConstParser(Parser[ConstAnalysis]):
    """The base class of constituency parsers.

    A parser without a bundle was built by an experiment and cannot be saved.
    """

    kind = NAME
    formats = ConstAnalysis.formats
    treebanks = ("bracket",)
    frames = MappingProxyType({**Parser.frames, "latex": latex_frame(NAME)})
    max_words = MAX_WORDS

    def __init__(self, grammar: ConstGrammar, bundle: Bundle | None) -> None:
        self.grammar, self._bundle = grammar, bundle
        self.settings = ConstConfig() if bundle is None else stored_config(bundle)
        self.counter = ConstituentCounter(grammar)
        self.tagger: Tagger | None = None
        if bundle is not None and "pos" in bundle.parts:
            self.tagger = PosTagger.from_bundle(bundle.parts["pos"]).tag

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        made = load(bundle)
        if not isinstance(made, cls):
            raise ConfigError(f"a model {stored_config(bundle).model!r} is no {cls.__name__}")
        return made

    def bundle(self) -> Bundle:
        if self._bundle is None:
            raise ConfigError("this parser belongs to an experiment and cannot be saved")
        config = {**self._bundle.config, "decoder": self.settings.decoder}
        return replace(self._bundle, config=config)

    def with_settings(self, **changes: Any) -> Self:
        """The same model with another decoder."""
        if unknown := changes.keys() - {"decoder"}:
            raise ConfigError(f"a {NAME} model has no setting {min(unknown)!r}; it has decoder")
        other = copy(self)
        other.settings = changed(self.settings, changes, NAME)
        return other

    def read_treebank(self, file: TextIO, source: Path) -> Iterator[Sentence]:  # noqa: ARG002
        return bracket_words(file)

    def read_tokens(self, file: TextIO, tagged: bool) -> Iterator[Sentence]:
        return read_tokens(file, tagged)

    def parse_many(self, sentences: Iterable[Text]) -> Iterator[ConstAnalysis]:
        return (self._analyse(self._tagged(sentence)) for sentence in several(sentences))

    def _tagged(self, given: Text) -> Sentence:
        """The sentence with POS tags: its own, or those of the tagger."""
        sentence = self.as_sentence(given)
        if not isinstance(given, Sentence):
            sentence = with_given_tags(sentence)
        if all(sentence.tags) or len(sentence.tokens) > self.max_words:
            return sentence
        if self.tagger is None:
            raise ConfigError("this parser has no tagger: give tokens as word|POS")
        tags = self.tagger(legal(sentence.words))
        return replace(sentence, tokens=tuple(map(Token, sentence.words, tags)))

    def _analyse(self, sentence: Sentence) -> ConstAnalysis:
        if not sentence.tokens or not self.fits(sentence):
            return ConstAnalysis(sentence, None, float("-inf"), self.counter, lambda: None)
        return replace(self._parsed(sentence), unknown_tags=self.unknown_tags(sentence))

    def unknown_tags(self, sentence: Sentence) -> tuple[str, ...]:
        """The tags that the grammar does not know, with a warning if there are any."""
        unknown = tuple(sorted(set(sentence.tags) - self.grammar.rules.tag_number.keys()))
        if unknown:
            names = ", ".join(unknown)
            text = f"the grammar does not know the tags {names}: parsed as {self._stand_in}"
            warnings.warn(text, stacklevel=2)
        return unknown

    @property
    def _stand_in(self) -> str:
        """The tag of words with unknown tags: the noun of Penn tags, or the most frequent tag."""
        rules = self.grammar.rules
        return STAND_IN if STAND_IN in rules.tag_number else rules.frequent_tag

    def _tag_numbers(self, sentence: Sentence) -> Indices:
        known = self.grammar.rules.tag_number
        tags = [tag if tag in known else self._stand_in for tag in sentence.tags]
        return self.grammar.tag_numbers(tags)

    @abstractmethod
    def _parsed(self, sentence: Sentence) -> ConstAnalysis:
        """The analysis of a tagged sentence."""

    @abstractmethod
    def chart(self, sentence: Sentence, threshold: float | None = None) -> Chart | None:
        """The chart at a pruning threshold, without counts; None if it has no tree."""

    def thresholds(self, given: Sequence[float] | None) -> Sequence[float]:
        """The pruning thresholds for the oracle."""
        return THRESHOLDS if given is None else given

    def _decoded(self, sentence: Sentence, scored: Scored) -> ConstAnalysis:
        return decoded(sentence, scored, self.settings.decoder, self.counter)


def decoded(
    sentence: Sentence,
    scored: Scored,
    decoder: str,
    counter: ConstituentCounter,
    penalty: float = PENALTY,
) -> ConstAnalysis:
    """The analysis that a decoder chooses in the chart of a tagged sentence."""
    chart, scores = scored
    derivation = decode(chart, scores, decoder, counter, penalty)
    best = exact.rescored(chart.forest, scores, derivation.edges)
    tree = original_tree(counter.grammar, chart, best.edges, sentence)
    gain = None if decoder == "viterbi" else derivation.score
    return ConstAnalysis(sentence, tree, best.score, counter, lambda: scored, gain)


class PrunedParser(ConstParser):
    """A parser whose charts are pruned by a span model: models `rich` and `rules`."""

    def __init__(
        self,
        grammar: ConstGrammar,
        encoder: SpanEncoder,
        pruner: Pruner,
        layout: Layout,
        score_parts: ScoreParts,
        bundle: Bundle | None,
    ) -> None:
        super().__init__(grammar, bundle)
        self.encoder, self.pruner = encoder, pruner
        self.layout, self.score_parts = layout, score_parts

    def _tokens(self, sentence: Sentence) -> Tokens:
        return self.encoder.tokens(legal(sentence.words), legal(sentence.tags))

    def chart(self, sentence: Sentence, threshold: float | None = None) -> Chart | None:
        candidates = self.pruner.candidates(self._tokens(sentence), threshold)
        return self.grammar.chart(self._tag_numbers(sentence), candidates, self.layout)

    def scored(self, sentence: Sentence, more: Indices | None = None) -> Scored | None:
        """The chart of a tagged sentence and the scores of its parts; None if it has no tree.

        more: candidates in addition to those of the span model, as rows (begin, end, symbol).
        """
        tokens = self._tokens(sentence)
        chart = self.pruner.chart(tokens, self._tag_numbers(sentence), self.layout, more)
        return None if chart is None else (chart, self.score_parts(tokens, chart))

    def _parsed(self, sentence: Sentence) -> ConstAnalysis:
        if (scored := self.scored(sentence)) is not None:
            return self._decoded(sentence, scored)
        words, tags = legal(sentence.words), legal(sentence.tags)
        tree = restore(self.pruner.fallback(self._tokens(sentence), words, tags))
        return ConstAnalysis(sentence, tree, float("-inf"), self.counter, lambda: None)


class PcfgParser(ConstParser):
    """A baseline: a PCFG with relative frequencies, parsed by dense CKY without pruning."""

    max_words = MAX_DENSE

    def __init__(self, grammar: ConstGrammar, scores: Floats, bundle: Bundle) -> None:
        super().__init__(grammar, bundle)
        self.scores = scores

    def chart(self, sentence: Sentence, threshold: float | None = None) -> Chart | None:  # noqa: ARG002
        """The chart of all derivations."""
        every = self.grammar.all_candidates(len(sentence.tokens))
        return self.grammar.chart(self._tag_numbers(sentence), every, "rules")

    def thresholds(self, given: Sequence[float] | None) -> Sequence[float]:
        """A PCFG does not prune, so the only threshold is 0."""
        if given is not None:
            raise ConfigError("a PCFG does not prune its charts, so --thresholds does not apply")
        return (0.0,)

    def _scored(self, sentence: Sentence) -> Scored | None:
        chart = self.chart(sentence)
        if chart is None:
            return None
        rule = chart.parts[:, 0]
        return chart, np.where(rule >= 0, self.scores[rule], 0.0)

    def _parsed(self, sentence: Sentence) -> ConstAnalysis:
        if self.settings.decoder != "viterbi" and (scored := self._scored(sentence)) is not None:
            return self._decoded(sentence, scored)
        score, nodes = self.grammar.best_nodes(self._tag_numbers(sentence), self.scores)
        tree = None
        if len(nodes):
            words, tags = legal(sentence.words), legal(sentence.tags)
            tree = restore(self.grammar.tree_of_nodes(nodes, words, tags))
        charted = partial(self._scored, sentence)
        return ConstAnalysis(sentence, tree, score, self.counter, charted)


def assemble(
    bundle: Bundle | None,
    grammar: ConstGrammar,
    encoder: SpanEncoder,
    pruner: Pruner,
    features: Featuriser,
    weights: Floats,
) -> PrunedParser:
    """Assembles a parser from its parts; without a bundle it cannot be saved."""

    def score_parts(tokens: Tokens, chart: Chart) -> Floats:
        return features.scores(tokens, chart, weights)

    return PrunedParser(grammar, encoder, pruner, features.layout, score_parts, bundle)


def load(bundle: Bundle) -> ConstParser:
    """Loads a parser from a bundle."""
    config, weights = stored_config(bundle), bundle.arrays["weights"]
    if weights.ndim != 1 or weights.dtype != np.float64:
        raise StoreError(f"weights are {weights.ndim}-dimensional {weights.dtype}")
    grammar = ConstGrammar(TreebankRules.from_lines(bundle.texts["grammar.txt"]))
    if config.model == "pcfg":
        return PcfgParser(grammar, weights, bundle)
    vocabulary = Vocabulary(tuple(bundle.texts["words.txt"].split("\n")[:-1]))
    encoder = SpanEncoder(vocabulary, config.templates)
    pruner = Pruner(grammar, span_model(bundle, encoder), config.threshold)
    rich = None
    if config.model == "rich":
        how = (encoder.templates, bundle.arrays["keys"], config.shared_bits)
        rich = ConstFeatures(grammar, *how)
    features = Featuriser(grammar, rich)
    if len(weights) != len(features):
        raise StoreError(f"{len(weights)} weights for {len(features)} features")
    return assemble(bundle, grammar, encoder, pruner, features, weights)
