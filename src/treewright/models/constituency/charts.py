"""Builds the training charts of a constituency parser, one batch of sentences at a time.

A maker accepts any batch, so threads and the workers of a cluster can share the treebank.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.arrays import Indices, Keys
from treewright.forests.constituency.chart import ConstGrammar, gold_edges
from treewright.forests.constituency.counts import COUNTINGS, ConstituentCounter
from treewright.forests.features import Example
from treewright.grammar.treebank import TreebankRules, spans
from treewright.grammar.words import Vocabulary
from treewright.models.constituency.data import Item
from treewright.models.constituency.prune import Pruner
from treewright.models.constituency.settings import span_bundle, span_model
from treewright.scores.constituency.features import ConstFeatures, Featuriser
from treewright.scores.constituency.spans import SpanModel
from treewright.scores.constituency.templates import SpanEncoder
from treewright.storage.bundle import Bundle

PIECE = 32  # sentences
Numbered = tuple[int, Item]  # a sentence and its index in the treebank


@dataclass(frozen=True, eq=False)
class ChartMaker:
    """Builds training charts; pruned parts of the gold tree are added back.

    Args:
        grammar: the grammar of the charts.
        encoder: encodes the words.
        models: of n models, the i-th prunes the charts of sentences whose number is i modulo n.
        threshold: the pruning threshold.
        features: the features of chart parts.
        counting, binarised: what losses count, see `ConstituentCounter`.
    """

    grammar: ConstGrammar
    encoder: SpanEncoder
    models: Sequence[SpanModel]
    threshold: float
    features: Featuriser
    counting: str
    binarised: bool

    def __reduce__(self) -> tuple[Callable[..., "ChartMaker"], tuple[object, ...]]:
        """Objects of the core cannot be pickled; workers rebuild them from plain data."""
        rich = self.features.rich
        features = None if rich is None else (rich.keys, rich.shared_bits)
        return _rebuilt, (
            self.grammar.rules.lines(),
            self.encoder.vocabulary.words,
            self.encoder.texts,
            [span_bundle(model) for model in self.models],
            self.threshold,
            features,
            self.counting,
            self.binarised,
        )

    def __call__(self, piece: Sequence[Numbered]) -> list[tuple[Example, bool]]:
        """The example of each sentence, and whether part of its gold tree had been pruned."""
        return [self._made(number, item) for number, item in piece]

    @cached_property
    def _counter(self) -> ConstituentCounter:
        return ConstituentCounter(self.grammar, COUNTINGS[self.counting], self.binarised)

    @cached_property
    def _pruners(self) -> list[Pruner]:
        return [Pruner(self.grammar, model, self.threshold) for model in self.models]

    def _made(self, number: int, item: Item) -> tuple[Example, bool]:
        tokens = self.encoder.tokens(item.words, item.tags)
        candidates = self._pruners[number % len(self._pruners)].candidates(tokens)
        rows, lacked = with_gold(candidates, self.grammar.candidates(spans(item.binary)))
        layout = self.features.layout
        chart = self.grammar.chart(self.grammar.tag_numbers(item.tags), rows, layout)
        assert chart is not None
        counts = self._counter.count(chart, item.binary, item.tags)
        forest = chart.forest.with_counts(counts.counts, counts.due)
        gold = self.grammar.parts_of(item.binary, layout)
        right = forest.restrict(gold_edges(chart, gold))
        name = f"sentence {number + 1}"
        return Example(forest, self.features.matrix(tokens, chart), right, name), lacked


def with_gold(candidates: Indices, gold: Indices) -> tuple[Indices, bool]:
    """The union of candidates (begin, end, symbol) and gold ones, sorted, and whether it grew."""
    both = np.concatenate((candidates, gold))
    rows = both.astype(np.int64)
    keys = rows[:, 0] << 40 | rows[:, 1] << 20 | rows[:, 2]
    distinct, first = np.unique(keys, return_index=True)
    return both[first], len(distinct) > len(np.unique(keys[: len(candidates)]))


def pieces(items: Sequence[Numbered]) -> list[Sequence[Numbered]]:
    """Splits sentences into batches."""
    return [items[begin : begin + PIECE] for begin in range(0, len(items), PIECE)]


def _rebuilt(
    rules: str,
    words: tuple[str, ...],
    templates: tuple[str, ...],
    models: Sequence[Bundle],
    threshold: float,
    features: tuple[Keys, int] | None,
    counting: str,
    binarised: bool,
) -> ChartMaker:
    grammar = ConstGrammar(TreebankRules.from_lines(rules))
    encoder = SpanEncoder(Vocabulary(words), templates)
    rich = None if features is None else ConstFeatures(grammar, encoder.templates, *features)
    return ChartMaker(
        grammar,
        encoder,
        [span_model(model, encoder) for model in models],
        threshold,
        Featuriser(grammar, rich),
        counting,
        binarised,
    )
