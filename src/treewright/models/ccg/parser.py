"""The CCG parser: taggers, grammar, model and search behind one class.

parser = treewright.load("runs/ccg/model")
print(parser.parse("the cat sat on the mat"))
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from itertools import compress, islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

from treewright.arrays import Floats
from treewright.config import from_dict, setting
from treewright.data.lines import Text
from treewright.data.records import Sentence, Token
from treewright.draw.latex import latex_frame
from treewright.errors import ConfigError, StoreError
from treewright.forests.ccg.chart import CcgChart, ChartSettings, Outcome
from treewright.formats.ccg.formats import FRAMES
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.stored import grammar_arrays, grammar_texts, stored_grammar
from treewright.inference import exact
from treewright.inference.factors import FactorGraph
from treewright.inference.intersect import Intersection
from treewright.inference.settings import InferenceSettings
from treewright.models.ccg.analysis import CcgAnalysis
from treewright.models.ccg.decode import Choice, choose, choose_jointly
from treewright.models.ccg.lattice import Lattice, entries_of_tags, lattices
from treewright.models.ccg.pos import pos_lattices
from treewright.models.ccg.search import Beam, Schedule, SearchResult, schedule_named, search
from treewright.models.contract import Parser, changed, several
from treewright.models.reading import auto_words
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.ccg.scorer import CcgScorer, ChartScorer
from treewright.storage.bundle import Bundle

NAME, GRAMMAR = "ccg", "grammar."
JOINT = ("bp", "dd")
BATCH = 64  # sentences that are tagged at once
MAX_WORDS = 250


@dataclass(frozen=True, eq=False)
class Problem:
    """The joint model of a sentence: its chart with the parser's scores, and its lattice."""

    analysis: CcgAnalysis
    lattice: Lattice
    beam: Beam
    weight: float  # the supertagger's

    @cached_property
    def graph(self) -> FactorGraph:
        """The supertagger's chain and the parser's chart as factors."""
        return self.lattice.graph(self.beam, *self._scored, self.weight)

    def intersection(self, max_edges: int) -> Intersection:
        """Chart and chain as one forest; raises an error if it has more than `max_edges` edges."""
        return self.lattice.intersection(self.beam, *self._scored, self.weight, max_edges)

    @property
    def _scored(self) -> tuple[CcgChart, Floats]:
        chart, scores = self.analysis.chart, self.analysis.scores
        assert chart is not None
        assert scores is not None
        return chart, scores

    def rescored(self, scorer: ChartScorer) -> "Problem":
        """The same problem with the scores of another parser."""
        words = scorer.encode(self.lattice.words, self.lattice.pos)
        scores = scorer.scores(self._scored[0], words)
        return replace(self, analysis=replace(self.analysis, scores=scores))

    def solved(self, best: exact.Derivation) -> CcgAnalysis:
        """The analysis of a derivation in the chart."""
        return replace(self.analysis, best=best)


@dataclass(frozen=True)
class SearchSettings:
    """How the parser searches."""

    schedule: str = setting(
        "reverse", "supertagger beams: adaptive, reverse, quick, or BETA[:CUTOFF],..."
    )
    tagger_weight: float = setting(1.3, "weight of the supertagger's log probabilities")
    max_words: int = setting(MAX_WORDS, "maximum sentence length; longer sentences are not parsed")
    pos_beta: float = setting(
        0.0,
        "bp, dd: for sentences without tags, add the POS tagger as a third factor, with tags of\n"
        "at least this probability relative to the best; 0: use only the best tag",
    )

    def __post_init__(self) -> None:
        schedule_named(self.schedule)
        if self.max_words < 1 or not 0 <= self.pos_beta <= 1:
            raise ValueError("max_words must be positive, pos_beta within [0, 1]")


@dataclass(frozen=True)
class CcgConfig:
    """The saved configuration of a parser."""

    templates: list[str]
    chart: ChartSettings
    search: SearchSettings
    inference: InferenceSettings


class CcgParser(Parser[CcgAnalysis]):
    """A CCG parser with its supertagger and POS tagger."""

    kind = NAME
    formats = CcgAnalysis.formats
    treebanks = ("AUTO",)
    frames = MappingProxyType({**Parser.frames, **FRAMES, "latex": latex_frame("ccg")})

    def __init__(
        self,
        grammar: CompiledGrammar,
        supertagger: Supertagger,
        scorer: ChartScorer,
        chart: ChartSettings,
        settings: SearchSettings,
        inference: InferenceSettings,
    ) -> None:
        self.grammar, self.supertagger = grammar, supertagger
        self.scorer, self.settings, self.inference = scorer, settings, inference
        self.chart = replace(chart, spans=scorer.uses_spans)
        self.schedule, self.max_words = schedule_named(settings.schedule), settings.max_words
        self.entry_of_tag = entries_of_tags(grammar, supertagger.tagger)

    def bundle(self) -> Bundle:
        assert isinstance(self.scorer, CcgScorer)
        templates = list(self.scorer.templates)
        config = CcgConfig(templates, self.chart, self.settings, self.inference)
        arrays: dict[str, Any] = {"keys": self.scorer.keys, "weights": self.scorer.weights}
        arrays |= {GRAMMAR + name: array for name, array in grammar_arrays(self.grammar).items()}
        texts = {GRAMMAR + name: text for name, text in grammar_texts(self.grammar).items()}
        return Bundle(NAME, asdict(config), arrays, texts, {"super": self.supertagger.bundle()})

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "CcgParser":
        if bundle.kind != NAME:
            raise StoreError(f"expected a model of kind {NAME!r}, not {bundle.kind!r}")
        config = from_dict(CcgConfig, bundle.config, "config.toml")
        grammar = stored_grammar(under(GRAMMAR, bundle.texts), under(GRAMMAR, bundle.arrays))
        scorer = CcgScorer(config.templates, bundle.arrays["keys"], bundle.arrays["weights"])
        supertagger = Supertagger.from_bundle(bundle.parts["super"])
        return cls(grammar, supertagger, scorer, config.chart, config.search, config.inference)

    def with_settings(self, **changes: Any) -> "CcgParser":
        """The parser with other settings: decoder, beam, schedule, `[search]`, `[inference]`."""
        if "beam" in changes and "schedule" in changes:
            raise ConfigError("use either --beam or --schedule")
        names = {"decoder": "algorithm", "beam": "schedule"}
        given = {names.get(name, name): value for name, value in changes.items()}
        known = {field.name for field in fields(SearchSettings)}
        search = {name: given.pop(name) for name in list(given) if name in known}
        other = type(self)(
            self.grammar,
            self.supertagger,
            self.scorer,
            self.chart,
            changed(self.settings, search, NAME),
            changed(self.inference, given, NAME),
        )
        return other.with_tokeniser(self.tokeniser)

    def with_max_words(self, words: int) -> "CcgParser":
        return self.with_settings(max_words=words)

    def with_supertagger(self, supertagger: Supertagger) -> "CcgParser":
        """The same parser with another supertagger."""
        return type(self)(
            self.grammar, supertagger, self.scorer, self.chart, self.settings, self.inference
        )

    def read_treebank(self, file: TextIO, source: Path) -> Iterator[Sentence]:  # noqa: ARG002
        return auto_words(file)

    def parse_many(self, sentences: Iterable[Text]) -> Iterator[CcgAnalysis]:
        left = iter(several(sentences))
        while batch := list(islice(left, BATCH)):
            yield from self._parse_batch(list(map(self.as_sentence, batch)))

    def _parse_batch(self, batch: Sequence[Sentence]) -> Iterator[CcgAnalysis]:
        usable = [bool(sentence.tokens) and self.fits(sentence) for sentence in batch]
        fit = list(compress(batch, usable))
        bare = [any(token.pos is None for token in sentence.tokens) for sentence in fit]
        tagged = self._with_pos(fit, bare)
        analyses = map(self.analyse, tagged, self._lattices(tagged, bare))
        for sentence, is_usable in zip(batch, usable, strict=True):
            if is_usable:
                yield next(analyses)
            else:
                outcome = Outcome.TOO_LARGE if sentence.tokens else Outcome.NO_PARSE
                yield CcgAnalysis(sentence, outcome, (), None, None, None)

    def _with_pos(self, sentences: Sequence[Sentence], bare: Sequence[bool]) -> list[Sentence]:
        """The sentences with POS tags; the tagger tags those marked as `bare`."""
        words = [sentence.words for sentence in compress(sentences, bare)]
        tags = iter(self.supertagger.pos.tag_batch(words) if words else ())
        pairs = zip(sentences, bare, strict=True)
        return [_tagged(s, next(tags)) if is_bare else s for s, is_bare in pairs]

    def _lattices(self, sentences: Sequence[Sentence], bare: Sequence[bool]) -> Iterator[Lattice]:
        """Lattices of tagged sentences; `pos_beta` makes POS tags of `bare` ones variables."""
        joint = self.settings.pos_beta > 0 and self.inference.algorithm in JOINT
        choose_pos = [joint and is_bare for is_bare in bare]
        pairs = list(zip(sentences, choose_pos, strict=True))
        words, beta = [s.words for s, chosen in pairs if chosen], self.settings.pos_beta
        several = iter(pos_lattices(self.supertagger, words, self.entry_of_tag, beta))
        plain = iter(self.lattices([s for s, chosen in pairs if not chosen]))
        return (next(several if chosen else plain) for chosen in choose_pos)

    def lattices(self, sentences: Sequence[Sentence]) -> list[Lattice]:
        """The supertag lattices of sentences with POS tags."""
        words = [s.words for s in sentences]
        pos = [tuple(token.pos or "" for token in s.tokens) for s in sentences]
        cutoff = self.schedule.beams[0].cutoff
        return lattices(self.supertagger.tagger, words, pos, self.entry_of_tag, cutoff)

    def analyse(
        self, sentence: Sentence, lattice: Lattice, beam: Beam | None = None
    ) -> CcgAnalysis:
        """The analysis of a sentence with a supertag lattice; `beam` replaces the schedule."""
        schedule = self.schedule if beam is None else Schedule((beam,))
        searched = search(self.grammar, lattice.cells, schedule, self.chart)
        if searched.chart is None:
            outcome = searched.attempts[-1].outcome
            return CcgAnalysis(sentence, outcome, searched.attempts, None, None, None)
        scores, choice = self._decode(searched, sentence, lattice)
        if choice.pos is not None:
            sentence = replace(sentence, tokens=tuple(map(Token, sentence.words, choice.pos)))
        return CcgAnalysis(
            sentence,
            searched.chart.outcome,
            searched.attempts,
            searched.chart,
            scores,
            choice.best,
            expected_gain=choice.gain,
            joint=choice.joint,
            temperature=self.inference.temperature,
        )

    def _decode(
        self, found: SearchResult, sentence: Sentence, lattice: Lattice
    ) -> tuple[Floats, Choice]:
        """The scores of the chart's parts, and the derivation that inference chooses."""
        chart, how, weight = found.chart, self.inference, self.settings.tagger_weight
        assert chart is not None
        words = self.scorer.encode(sentence.words, lattice.pos)
        if how.algorithm not in JOINT:
            scores = self.scorer.scores(chart, words, weight)
            return scores, choose(chart, scores, how)
        alone = self.scorer.scores(chart, words)
        graph = lattice.graph(found.beam, chart, alone, weight)
        scores = self.scorer.with_tagger(chart, alone, weight)
        return scores, choose_jointly(chart, scores, graph, lattice, how)

    def problems(self, sentences: Iterable[Sentence]) -> Iterator[Problem]:
        """The joint models of POS-tagged sentences; sentences without a parse are left out."""
        left = iter(sentences)
        while batch := list(islice(left, BATCH)):
            for sentence, lattice in zip(batch, self.lattices(batch), strict=True):
                searched = search(self.grammar, lattice.cells, self.schedule, self.chart)
                chart = searched.chart
                if chart is not None and chart.outcome is Outcome.PARSED:
                    words = self.scorer.encode(sentence.words, lattice.pos)
                    scores = self.scorer.scores(chart, words)
                    analysis = CcgAnalysis(
                        sentence, chart.outcome, searched.attempts, chart, scores, None
                    )
                    weight = self.settings.tagger_weight
                    yield Problem(analysis, lattice, searched.beam, weight)


def under(prefix: str, items: Mapping[str, Any]) -> dict[str, Any]:
    """The items whose names start with a prefix, without that prefix."""
    return {name[len(prefix) :]: items[name] for name in items if name.startswith(prefix)}


def _tagged(sentence: Sentence, pos: Sequence[str]) -> Sentence:
    tokens = zip(sentence.tokens, pos, strict=True)
    return replace(sentence, tokens=tuple(Token(t.word, t.pos or tag) for t, tag in tokens))
