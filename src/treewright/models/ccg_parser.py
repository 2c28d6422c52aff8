"""The CCG parser: taggers, grammar, model and search behind one class.

parser = treewright.load("runs/ccg/model")
print(parser.parse("the cat sat on the mat"))
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import islice

import numpy as np

from treewright.config import setting
from treewright.data.records import Sentence, Token
from treewright.forests.ccg import CcgChart, Cells, ChartSettings, Outcome, PartKind
from treewright.forests.forest import Indices
from treewright.grammar.compiled import CompiledGrammar
from treewright.inference import exact, minrisk
from treewright.inference.factors import (
    Factor,
    FactorGraph,
    ForestFactor,
    Variables,
    chain_factor,
)
from treewright.inference.lazy import LazyFactor
from treewright.inference.settings import InferenceSettings, decode
from treewright.models.ccg_analysis import CcgAnalysis, Span, dependency_events
from treewright.models.ccg_search import Beam, Found, Schedule, schedule_named, search
from treewright.models.supertagger import Supertagger
from treewright.scores.ccg import CcgScorer, EncodedWords
from treewright.scores.posteriors import Posteriors
from treewright.scores.tagger import Tagger

BATCH = 64  # sentences that are tagged together
MAX_WORDS = 1000


@dataclass(frozen=True)
class SearchSettings:
    """How sentences are parsed."""

    schedule: str = setting("default", "adaptive, reverse, default, or one beam as BETA[:CUTOFF].")
    tagger_weight: float = setting(1.3, "What the supertagger's log probabilities count.")
    max_words: int = setting(MAX_WORDS, "Longer sentences are not parsed.")

    def __post_init__(self) -> None:
        schedule_named(self.schedule)


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
        return CcgParser(
            self.grammar,
            self.supertagger,
            self.scorer,
            self.chart,
            replace(self.settings, **search),  # type: ignore[arg-type]
            replace(self.inference, **inference),  # type: ignore[arg-type]
        )

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
        found = iter(self.lattices(usable))
        for sentence, (_, offsets) in zip(tagged, batch, strict=True):
            if 0 < len(sentence.tokens) <= self.settings.max_words:
                yield self.analyse(sentence, next(found), None, offsets)
            else:
                outcome = Outcome.TOO_LARGE if sentence.tokens else Outcome.NO_PARSE
                yield CcgAnalysis(sentence, outcome, (), None, None, None, offsets)

    def _with_pos(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        """Sentences whose tokens have parts of speech, from our tagger where they had none."""
        bare = [s for s in sentences if s.tokens and any(t.pos is None for t in s.tokens)]
        if not bare:
            return list(sentences)
        assert self.supertagger.pos is not None
        tags = self.supertagger.pos.tag_batch([s.words for s in bare])
        found = {id(sentence): tags for sentence, tags in zip(bare, tags, strict=True)}
        return [_tagged(s, found[id(s)]) if id(s) in found else s for s in sentences]

    def lattices(self, sentences: Sequence[Sentence]) -> list["Lattice"]:
        """What the supertagger says of sentences whose tokens have parts of speech."""
        words = [s.words for s in sentences]
        pos = [tuple(token.pos or "" for token in s.tokens) for s in sentences]
        cutoff = self.schedule.beams[0].cutoff
        return lattices(self.supertagger.tagger, words, pos, self.entry_of_tag, cutoff)

    def analyse(
        self,
        sentence: Sentence,
        lattice: "Lattice",
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
        scores, best = self._decode(found, words, lattice)
        outcome = found.chart.outcome
        return CcgAnalysis(sentence, outcome, found.attempts, found.chart, scores, best, offsets)

    def _decode(
        self, found: Found, words: EncodedWords, lattice: "Lattice"
    ) -> tuple[exact.Floats, exact.Derivation]:
        """The scores of the chart's parts, and the derivation that inference chooses."""
        chart, how, weight = found.chart, self.inference, self.settings.tagger_weight
        assert chart is not None
        events = None if how.algorithm in ("viterbi", "dd") else dependency_events(chart)[0]
        if how.algorithm in ("bp", "dd"):
            scores = self.scorer.scores(chart, words)
            graph = lattice.graph(found.beam, chart, scores, weight)
            return scores, decode(graph, how, events).derivation
        scores = self.scorer.scores(chart, words, weight)
        if events is None:
            return scores, exact.viterbi(chart.forest, scores)
        gain = minrisk.max_expected_counts(chart.forest, scores, events, how.penalty)
        return scores, gain


@dataclass(frozen=True, eq=False)
class Lattice:
    """The supertagger's word on a sentence, from which every beam takes its cells."""

    supertagger: Tagger
    words: Sequence[str]
    pos: Sequence[str]
    entry_of_tag: Indices
    known: dict[int, Posteriors]  # by cutoff
    by_beam: dict[Beam, Posteriors] = field(default_factory=dict)

    def cells(self, beam: Beam) -> Cells:
        """The lexical entries within a beam, with their log probabilities."""
        return cells_of(self.kept(beam), self.entry_of_tag)

    def kept(self, beam: Beam) -> Posteriors:
        """The tags within a beam."""
        if beam.cutoff not in self.known:
            self.known[beam.cutoff] = self.supertagger.posteriors(self.words, self.pos, beam.cutoff)
        if beam not in self.by_beam:
            self.by_beam[beam] = self.known[beam.cutoff].above(beam.beta)
        return self.by_beam[beam]

    def graph(
        self, beam: Beam, chart: CcgChart, scores: exact.Floats, weight: float
    ) -> FactorGraph:
        """The supertagger's chain and the parser's chart over the same supertag variables."""
        kept = self.kept(beam)
        variables = Variables(kept.first)
        lexical = (chart.parts[:, 0] == int(PartKind.LEXICAL)).nonzero()[0]
        cells = chart.parts[lexical, 1]
        if len(chart.cells.entry) < len(kept.tag):
            # The chart's cells are those of the tagger's that the grammar knows.
            cells = np.flatnonzero(self.entry_of_tag[kept.tag] >= 0)[cells]
        parser = ForestFactor(variables, chart.forest, scores, lexical, cells)
        return FactorGraph(variables, [self._tagger(kept, variables, weight), parser])

    def _tagger(self, kept: Posteriors, variables: Variables, weight: float) -> Factor:
        def build() -> ForestFactor:
            return chain_factor(variables, *self.supertagger.chain(kept), 0, weight)

        if weight != 1.0:
            return build()
        return LazyFactor(variables, partial(self.supertagger.marginals, kept), build)


def entries_of_tags(grammar: CompiledGrammar, supertagger: Tagger) -> Indices:
    """The grammar's number of each of the supertagger's tags, or -1."""
    numbers = {str(entry): i for i, entry in enumerate(grammar.tables.entries)}
    return np.array([numbers.get(tag, -1) for tag in supertagger.tags], dtype=np.int32)


def lattices(
    tagger: Tagger,
    words: Sequence[Sequence[str]],
    pos: Sequence[Sequence[str]],
    entry_of_tag: Indices,
    cutoff: int,
) -> list[Lattice]:
    """What the supertagger says of sentences, for a start with one dictionary cutoff."""
    if not words:
        return []
    found = split_posteriors(tagger.posteriors_batch(words, pos, cutoff))
    return [
        Lattice(tagger, w, p, entry_of_tag, {cutoff: f})
        for w, p, f in zip(words, pos, found, strict=True)
    ]


def cells_of(posteriors: Posteriors, entry_of_tag: Indices) -> Cells:
    """Lexical cells from tags; those that the grammar does not know are left out."""
    entry = entry_of_tag[posteriors.tag]
    known = entry >= 0
    sizes = np.bincount(posteriors.positions[known], minlength=len(posteriors))
    first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
    return Cells(first, entry[known], np.log(posteriors.probability[known]))


def split_posteriors(found: Posteriors) -> Iterator[Posteriors]:
    """The posteriors of each sentence of a batch."""
    for begin, end in zip(found.first_position[:-1], found.first_position[1:], strict=True):
        first = found.first[begin : end + 1]
        rows = slice(first[0], first[-1])
        ends = np.array([0, end - begin], dtype=np.int32)
        emission = None if found.emission is None else found.emission[rows]
        yield Posteriors(first - first[0], found.tag[rows], found.probability[rows], ends, emission)


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
