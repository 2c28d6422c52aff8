"""The CCG parser: taggers, grammar, model and search behind one class.

parser = treewright.load("runs/ccg/model")
print(parser.parse("the cat sat on the mat"))
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import islice

from treewright.arrays import Floats
from treewright.config import setting
from treewright.data.records import Sentence, Token
from treewright.errors import ConfigError
from treewright.forests.ccg.chart import ChartSettings, Outcome
from treewright.grammar.compiled import CompiledGrammar
from treewright.inference import exact, minrisk
from treewright.inference.factors import FactorGraph
from treewright.inference.settings import InferenceSettings, decode
from treewright.models.ccg.analysis import CcgAnalysis, Span, dependency_events
from treewright.models.ccg.lattice import Lattice, entries_of_tags, lattices
from treewright.models.ccg.pos import PosLattice, pos_lattices
from treewright.models.ccg.search import Beam, Found, Schedule, schedule_named, search
from treewright.models.tagging.supertagger import Supertagger
from treewright.scores.ccg.scorer import CcgScorer, EncodedWords

BATCH = 64  # sentences that are tagged together
MAX_WORDS = 1000


@dataclass(frozen=True, eq=False)
class Problem:
    """A sentence's joint model: its chart, and the factors over its supertags."""

    analysis: CcgAnalysis
    graph: FactorGraph

    def solved(self, best: exact.Derivation) -> CcgAnalysis:
        """The analysis with this derivation of the chart."""
        return replace(self.analysis, best=best)


@dataclass(frozen=True)
class SearchSettings:
    """How sentences are parsed."""

    schedule: str = setting("reverse", "adaptive, reverse, quick, or beams as BETA[:CUTOFF],...")
    tagger_weight: float = setting(1.3, "What the supertagger's log probabilities count.")
    max_words: int = setting(MAX_WORDS, "Longer sentences are not parsed.")
    pos_beta: float = setting(
        0.0,
        "bp and dd: parts of speech with this share of the best one's probability join as a\n"
        "third factor where a sentence comes without; 0: the best one alone.",
    )

    def __post_init__(self) -> None:
        schedule_named(self.schedule)
        if self.max_words < 1 or not 0 <= self.pos_beta <= 1:
            raise ValueError("max_words must be positive, pos_beta within [0, 1]")


class CcgParser:
    """A parser; made by training, or from disk."""

    def __init__(
        self,
        grammar: CompiledGrammar,
        supertagger: Supertagger,
        scorer: CcgScorer,
        chart: ChartSettings,
        settings: SearchSettings,
        inference: InferenceSettings,
    ) -> None:
        self.grammar, self.supertagger = grammar, supertagger
        self.scorer, self.settings, self.inference = scorer, settings, inference
        self.chart = replace(chart, spans=scorer.uses_spans)
        self.schedule = schedule_named(settings.schedule)
        self.entry_of_tag = entries_of_tags(grammar, supertagger.tagger)

    def with_settings(self, **changes: object) -> "CcgParser":
        """The same parser with other settings: schedule, tagger_weight, algorithm, iterations."""
        known = {field.name for field in fields(SearchSettings)}
        search = {name: value for name, value in changes.items() if name in known}
        inference = {name: value for name, value in changes.items() if name not in known}
        try:
            how = (
                replace(self.settings, **search),  # type: ignore[arg-type]
                replace(self.inference, **inference),  # type: ignore[arg-type]
            )
        except (TypeError, ValueError) as error:
            raise ConfigError(f"the parser's settings: {error}") from error
        return CcgParser(self.grammar, self.supertagger, self.scorer, self.chart, *how)

    def with_supertagger(self, supertagger: Supertagger) -> "CcgParser":
        """The same parser with the lattices of another supertagger."""
        how = (self.scorer, self.chart, self.settings, self.inference)
        return CcgParser(self.grammar, supertagger, *how)

    def parse(self, sentence: str | Sequence[str] | Sentence) -> CcgAnalysis:
        """The analysis of a text, whose tokens are separated by spaces, or of tokens."""
        return next(self.parse_many([sentence]))

    def parse_many(
        self, sentences: Iterable[str | Sequence[str] | Sentence]
    ) -> Iterator[CcgAnalysis]:
        """Analyses in order; sentences are tagged in batches, which is faster."""
        left = map(_sentence, sentences)
        while batch := list(islice(left, BATCH)):
            yield from self._parse_batch(batch)

    def _parse_batch(
        self, batch: Sequence[tuple[Sentence, tuple[Span, ...]]]
    ) -> Iterator[CcgAnalysis]:
        tagged = self._with_pos([sentence for sentence, _ in batch])
        usable = [s for s in tagged if 0 < len(s.tokens) <= self.settings.max_words]
        bare = {id(t) for t, (s, _) in zip(tagged, batch, strict=True) if _is_bare(s)}
        found = iter(self._lattices(usable, bare))
        for sentence, (_, offsets) in zip(tagged, batch, strict=True):
            if 0 < len(sentence.tokens) <= self.settings.max_words:
                yield self.analyse(sentence, next(found), None, offsets)
            else:
                outcome = Outcome.TOO_LARGE if sentence.tokens else Outcome.NO_PARSE
                yield CcgAnalysis(sentence, outcome, (), None, None, None, offsets)

    def _with_pos(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Sentences whose tokens have parts of speech, from our tagger where they had none."""
        bare = [s for s in sentences if _is_bare(s)]
        if not bare:
            return list(sentences)
        assert self.supertagger.pos is not None
        tags = self.supertagger.pos.tag_batch([s.words for s in bare])
        found = {id(sentence): tags for sentence, tags in zip(bare, tags, strict=True)}
        return [_tagged(s, found[id(s)]) if id(s) in found else s for s in sentences]

    def _lattices(self, sentences: Sequence[Sentence], bare: set[int]) -> Iterator[Lattice]:
        """The same, with parts of speech as variables for the bare ones if settings say so."""
        joint = self.settings.pos_beta > 0 and self.inference.algorithm in ("bp", "dd")
        ours = [s for s in sentences if joint and id(s) in bare]
        words, beta = [s.words for s in ours], self.settings.pos_beta
        several = iter(pos_lattices(self.supertagger, words, self.entry_of_tag, beta))
        plain = iter(self.lattices([s for s in sentences if not (joint and id(s) in bare)]))
        return (next(several) if joint and id(s) in bare else next(plain) for s in sentences)

    def lattices(self, sentences: Sequence[Sentence]) -> list[Lattice]:
        """What the supertagger says of sentences whose tokens have parts of speech."""
        words = [s.words for s in sentences]
        pos = [tuple(token.pos or "" for token in s.tokens) for s in sentences]
        cutoff = self.schedule.beams[0].cutoff
        return lattices(self.supertagger.tagger, words, pos, self.entry_of_tag, cutoff)

    def analyse(
        self,
        sentence: Sentence,
        lattice: Lattice,
        beam: Beam | None = None,
        offsets: tuple[Span, ...] = (),
    ) -> CcgAnalysis:
        """The analysis of a sentence whose supertags are known; a beam replaces the schedule."""
        schedule = self.schedule if beam is None else Schedule((beam,))
        found = search(self.grammar, lattice.cells, schedule, self.chart)
        if found.chart is None:
            last = found.attempts[-1].outcome
            return CcgAnalysis(sentence, last, found.attempts, None, None, None, offsets)
        words = self.scorer.encode(sentence.words, lattice.pos)
        scores, best, pos = self._decode(found, words, lattice)
        if pos is not None:
            sentence = replace(sentence, tokens=tuple(map(Token, sentence.words, pos)))
        outcome = found.chart.outcome
        return CcgAnalysis(sentence, outcome, found.attempts, found.chart, scores, best, offsets)

    def problems(self, sentences: Iterable[Sentence]) -> Iterator[Problem]:
        """The joint problems of sentences that have parts of speech; none where no parse is."""
        left = iter(sentences)
        while batch := list(islice(left, BATCH)):
            for sentence, lattice in zip(batch, self.lattices(batch), strict=True):
                found = search(self.grammar, lattice.cells, self.schedule, self.chart)
                chart = found.chart
                if chart is not None and chart.outcome is Outcome.PARSED:
                    words = self.scorer.encode(sentence.words, lattice.pos)
                    scores = self.scorer.scores(chart, words)
                    how = (chart.outcome, found.attempts, chart, scores, None)
                    weight = self.settings.tagger_weight
                    graph = lattice.graph(found.beam, chart, scores, weight)
                    yield Problem(CcgAnalysis(sentence, *how), graph)

    def _decode(
        self, found: Found, words: EncodedWords, lattice: Lattice
    ) -> tuple[Floats, exact.Derivation, Sequence[str] | None]:
        """The scores of the chart's parts, the derivation that inference chooses, new POS."""
        chart, how, weight = found.chart, self.inference, self.settings.tagger_weight
        assert chart is not None
        events = None if how.algorithm in ("viterbi", "dd") else dependency_events(chart)[0]
        if how.algorithm in ("bp", "dd"):
            scores = self.scorer.scores(chart, words)
            graph = lattice.graph(found.beam, chart, scores, weight)
            answer = decode(graph, how, events)
            # What k-best lists and marginals go by, which do without the joint model.
            scores = self.scorer.with_tagger(chart, scores, weight)
            if isinstance(lattice, PosLattice):
                return scores, answer.derivation, lattice.mended(graph, answer.cells)
            return scores, answer.derivation, None
        scores = self.scorer.scores(chart, words, weight)
        if events is None:
            return scores, exact.viterbi(chart.forest, scores), None
        gain = minrisk.max_expected_counts(chart.forest, scores, events, how.penalty)
        return scores, gain, None


def _is_bare(sentence: Sentence) -> bool:
    return any(token.pos is None for token in sentence.tokens)


def _sentence(given: str | Sequence[str] | Sentence) -> tuple[Sentence, tuple[Span, ...]]:
    """A sentence, and where its tokens stand in the text."""
    if isinstance(given, Sentence):
        return given, ()
    if isinstance(given, str):
        found = list(re.finditer(r"\S+", given))
        tokens = tuple(Token(match.group()) for match in found)
        return Sentence("1", tokens), tuple(match.span() for match in found)
    return Sentence("1", tuple(Token(word) for word in given)), ()


def _tagged(sentence: Sentence, pos: Sequence[str]) -> Sentence:
    tokens = zip(sentence.tokens, pos, strict=True)
    return replace(sentence, tokens=tuple(Token(t.word, t.pos or tag) for t, tag in tokens))
