"""Builds the features and training forests of a CCG parser, one batch of sentences at a time.

A maker accepts any batch, so threads and the workers of a cluster can share the treebank.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from treewright.arrays import Indices, Keys
from treewright.forests.ccg.chart import Cells, ChartSettings, ccg_chart
from treewright.forests.ccg.grammar import core_grammar
from treewright.forests.features import Example
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.stored import grammar_bundle, grammar_from_bundle
from treewright.models.ccg.examples import GoldSentence, gold_target, training_chart
from treewright.models.ccg.lattice import Lattice, entries_of_tags, lattices
from treewright.models.ccg.settings import CcgSettings
from treewright.models.tagging.model import log_linear, tagger_bundle, tagger_from_bundle
from treewright.models.tagging.supertagger import NAME as SUPER
from treewright.scores.ccg.scorer import CcgScorer
from treewright.scores.tagging.base import SequenceTagger
from treewright.storage.bundle import Bundle

PIECE = 16  # sentences per tagger: worth sending to a worker, and fits into memory


@dataclass(frozen=True, eq=False)
class ForestMaker:
    """Builds training forests; before that, it counts the features of gold derivations.

    Args:
        settings: the parser's settings.
        grammar: the grammar that numbers the gold analyses.
        taggers: of n taggers, the i-th tags the sentences whose number is i modulo n.
        scorer: computes the features of the forests.
    """

    settings: CcgSettings
    grammar: CompiledGrammar
    taggers: Sequence[SequenceTagger]
    scorer: CcgScorer

    def __post_init__(self) -> None:
        core_grammar(self.grammar)  # compiled before several threads need it

    def __reduce__(self) -> tuple[Callable[..., "ForestMaker"], tuple[object, ...]]:
        """Objects of the core cannot be pickled; workers rebuild them from plain data."""
        taggers = [tagger_bundle(SUPER, log_linear(tagger)) for tagger in self.taggers]
        plain = (grammar_bundle(self.grammar), taggers, self.scorer.templates, self.scorer.keys)
        return _remade, (self.settings, *plain)

    def pieces(self, sentences: Sequence[GoldSentence]) -> list[Sequence[GoldSentence]]:
        """Splits sentences into batches that each begin with a sentence of the first tagger."""
        step = PIECE * len(self.taggers)
        return [sentences[begin : begin + step] for begin in range(0, len(sentences), step)]

    def __call__(self, piece: Sequence[GoldSentence]) -> list[tuple[str, Example | None]]:
        """The outcome for each sentence, and its example if it has a chart and a target."""
        return [self._made(*each) for each in zip(piece, self._cells(piece), strict=True)]

    def gold_keys(self, piece: Sequence[GoldSentence]) -> tuple[Keys, Indices]:
        """The features of gold derivations, and their frequencies."""
        used = (sentence for sentence in piece if not self._too_long(sentence))
        groups = [keys for sentence in used for keys in self._gold_keys(sentence)]
        keys, counts = np.unique(np.concatenate([_NONE, *groups]), return_counts=True)
        return keys, counts.astype(np.int32)

    def _too_long(self, sentence: GoldSentence) -> bool:
        return 0 < self.settings.training.max_words < len(sentence.words)

    def _gold_keys(self, sentence: GoldSentence) -> Iterator[Keys]:
        entries = sentence.gold.entries.tolist()
        cells = Cells.of([[entry] if entry >= 0 else [] for entry in entries])
        chart = ccg_chart(self.grammar, cells, self._chart, sentence.gold)
        if not chart.usable or (gold := chart.gold_forest) is None:
            return
        words = self.scorer.encode(sentence.words, sentence.pos)
        first, keys = self.scorer.part_keys(chart, words)
        yield from (keys[first[part] : first[part + 1]] for part in np.unique(gold.part).tolist())

    def _made(self, sentence: GoldSentence, cells: Iterable[Cells]) -> tuple[str, Example | None]:
        how = self.settings.training
        if self._too_long(sentence):
            return "too long", None
        chart = training_chart(self.grammar, sentence, cells, self._chart, how.unreachable)
        if chart is None:
            return "no chart", None
        gold = gold_target(chart, how.unreachable, how.target)
        if gold is None:
            return "gold unreachable", None
        outcome, target = gold
        words = self.scorer.encode(sentence.words, sentence.pos)
        features = self.scorer.features(chart, words, with_tagger=how.learns_tagger_weight)
        return outcome, Example(chart.forest, features, target, sentence.name)

    @cached_property
    def _chart(self) -> ChartSettings:
        training = self.settings.training
        return replace(
            self.settings.chart,
            margin=training.margin,
            cell_margin=training.cell_margin,
            max_items=training.max_items,
            spans=self.scorer.uses_spans,
        )

    @cached_property
    def _entries(self) -> list[Indices]:
        """For each tagger, the grammar's entry number of each tag."""
        return [entries_of_tags(self.grammar, tagger) for tagger in self.taggers]

    def _cells(self, piece: Sequence[GoldSentence]) -> list[Iterator[Cells]]:
        """The lexical cells of each sentence, beam by beam."""
        folds = len(self.taggers)
        rows: list[Iterator[Cells]] = [iter(()) for _ in piece]
        for fold in range(folds):
            rows[fold::folds] = map(self._beams, self._lattices(fold, piece[fold::folds]))
        return rows

    def _lattices(self, fold: int, sentences: Sequence[GoldSentence]) -> list[Lattice]:
        words, pos = [s.words for s in sentences], [s.pos for s in sentences]
        cutoff = self.settings.training.beams[0].cutoff
        return lattices(self.taggers[fold], words, pos, self._entries[fold], cutoff)

    def _beams(self, lattice: Lattice) -> Iterator[Cells]:
        return (lattice.cells(beam) for beam in self.settings.training.beams)


def frequent(counted: Iterable[tuple[Keys, Indices]], cutoff: int) -> Keys:
    """The features that occur at least `cutoff` times in all batches, sorted."""
    keys, counts = zip((_NONE, np.zeros(0, np.int32)), *counted, strict=True)
    distinct, place = np.unique(np.concatenate(keys), return_inverse=True)
    total = np.bincount(place, np.concatenate(counts), len(distinct))
    return distinct[total >= cutoff]


def _remade(
    settings: CcgSettings,
    grammar: Bundle,
    taggers: Sequence[Bundle],
    templates: Sequence[str],
    keys: Keys,
) -> ForestMaker:
    made = [tagger_from_bundle(SUPER, tagger) for tagger in taggers]
    return ForestMaker(settings, grammar_from_bundle(grammar), made, CcgScorer(templates, keys))


_NONE: Keys = np.zeros(0, dtype=np.uint64)
