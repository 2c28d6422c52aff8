"""Neural constituency parsing: scores of labelled spans, exact sums over all trees.

The forest of a sentence holds every tree of labelled spans (`forests.labelled_spans`), so any
objective with any loss of constituents is exact on the original trees. The empty label is worth 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from torch import Tensor

from treewright.arrays import Integers
from treewright.forests.features import FeatureMatrix
from treewright.forests.labelled_spans import LabelledSpan, span_forest
from treewright.forests.tables import span_example
from treewright.inference import exact
from treewright.neural.batches import Batch
from treewright.neural.encoder import Encoder
from treewright.neural.heads import SpanHead
from treewright.neural.network import Network, scored_batches
from treewright.neural.settings import NeuralSettings
from treewright.torch.forests import ForestLoss

SpanTree = Sequence[LabelledSpan]


def span_network(encoder: Encoder, labels: int, settings: NeuralSettings) -> Network:
    """A network that scores labelled spans."""
    how = settings
    head = SpanHead(encoder.width, labels, how.hidden, how.label_hidden, how.dropout)
    return Network(encoder, head, settings)


def best_spans(
    network: Network, labels: int, sentences: Sequence[Integers], lengths: Sequence[int]
) -> list[list[LabelledSpan]]:
    """The best tree of every sentence: begin, end and label of its constituents."""
    found: list[list[LabelledSpan]] = [[] for _ in sentences]
    for numbers, scores in scored_batches(network, sentences, lengths):
        tables = scores.double().cpu().numpy()
        for row, number in enumerate(numbers):
            words = lengths[number]
            forest = span_forest(words, labels)
            features = FeatureMatrix.from_columns(forest.columns())
            table = np.ascontiguousarray(tables[row, : words + 1, : words + 1]).ravel()
            best = exact.viterbi(forest.forest, features.scores(table))
            found[number] = forest.spans(best.edges)
    return found


@dataclass
class SpanTask:
    """Trees of labelled spans to learn from and to score on.

    `chains` has what a metric counts in every label: the labels of its chain of nodes.
    """

    network: Network
    objective: ForestLoss
    chains: Sequence[Sequence[str]]
    sentences: Sequence[Integers]
    lengths: Sequence[int]
    gold: Sequence[SpanTree]
    dev_sentences: Sequence[Integers] = ()
    dev_lengths: Sequence[int] = ()
    dev_gold: Sequence[frozenset[tuple[int, int, str]]] = ()

    @property
    def has_dev(self) -> bool:
        return bool(self.dev_gold)

    def loss(self, batch: Batch) -> Tensor:
        scores = self.network.scores([self.sentences[i] for i in batch])
        examples = [span_example(self.gold[i], self.lengths[i], self.chains) for i in batch]
        sizes = [self.lengths[i] + 1 for i in batch]
        tables = [scores[row, :size, :size] for row, size in enumerate(sizes)]
        values: Tensor = self.objective(examples, tables)
        return values.sum() / max(1, sum(sizes) - len(sizes))

    def score(self) -> Mapping[str, float]:
        """F1 of labelled constituents, each node of a chain counted."""
        labels = len(self.chains)
        found = best_spans(self.network, labels, self.dev_sentences, self.dev_lengths)
        n = d = y = 0
        for tree, gold in zip(found, self.dev_gold, strict=True):
            made = {(b, e, name) for b, e, label in tree for name in self.chains[label]}
            n, d, y = n + len(made & gold), d + len(made), y + len(gold)
        return {"score": 2 * n / max(1, d + y)}
