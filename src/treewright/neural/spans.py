"""Neural constituency parsing: scores of labelled spans, exact sums over all trees.

The forest of a sentence contains every tree of labelled spans (`forests.labelled_spans`), so any
objective with any loss of constituents is exact on the original trees. The empty label has score 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from treewright.arrays import Floats
from treewright.forests.labelled_spans import LabelledSpan, span_forest
from treewright.forests.tables import span_example
from treewright.inference import exact
from treewright.losses.objective import Objective
from treewright.neural.parts import OneHead
from treewright.torch.forests import ForestLoss

SpanTree = tuple[int, Sequence[LabelledSpan]]  # words, and labelled spans
Constituents = tuple[int, frozenset[tuple[int, int, str]]]  # words, and counted constituents


class SpanLoss(ForestLoss):
    """An objective on trees of labelled spans: `values = loss(spans, tables)`, [sentences].

    Args:
        objective: any objective of `treewright.losses`.
        chains: the labels that a metric counts for every label (a unary chain).
        threads: number of threads; 0: all cores.
    """

    def __init__(
        self, objective: Objective, chains: Sequence[Sequence[str]], threads: int = 0
    ) -> None:
        super().__init__(objective, threads)
        self.chains = chains

    def forward(self, spans: Sequence[Any], tables: Sequence[Tensor]) -> Tensor:
        """One value per sentence, from its labelled spans; see `ForestLoss.forward`."""
        pairs = zip(spans, tables, strict=True)
        examples = [span_example(each, len(table) - 1, self.chains) for each, table in pairs]
        return super().forward(examples, tables)


@dataclass
class SpanPart(OneHead):
    """Trees of labelled spans to learn from, constituents to score on.

    `objective` takes the second items of gold, and tables. Without it, the label of every span is
    trained separately. `chains` has the labels that a metric counts for every label.
    """

    name: str
    objective: Callable[[Sequence[Any], Sequence[Tensor]], Tensor] | None
    chains: Sequence[Sequence[str]]
    gold: Mapping[int, tuple[int, Any]]  # words, and labelled spans or what the objective takes
    dev_gold: Mapping[int, Constituents] = field(default_factory=dict)

    def loss(self, scores: Tensor, gold: Sequence[tuple[int, Any]]) -> Tensor:
        if self.objective is None:
            return local_loss(scores, gold)
        sizes = [words + 1 for words, _ in gold]
        tables = [scores[row, :size, :size] for row, size in enumerate(sizes)]
        return self.objective([spans for _, spans in gold], tables).sum()

    def count(self, scores: Tensor, gold: Sequence[Constituents]) -> Sequence[int]:
        tables = scores.double().cpu().numpy()
        n = d = y = 0
        for table, (words, due) in zip(tables, gold, strict=True):
            spans = best_spans(table[: words + 1, : words + 1])
            made = {(b, e, name) for b, e, label in spans for name in self.chains[label]}
            n, d, y = n + len(made & due), d + len(made), y + len(due)
        return n, d, y

    def figures(self, counts: Floats) -> Mapping[str, float]:
        n, d, y = counts
        return {f"dev_{self.name}_f1": 200 * n / max(1.0, d + y)}


def local_loss(scores: Tensor, gold: Sequence[SpanTree]) -> Tensor:
    """The cross entropy of the label of every span, including the empty label."""
    labels = torch.zeros(scores.shape[:3], dtype=torch.int64)  # 0: the empty label
    counted = torch.zeros(scores.shape[:3], dtype=torch.bool)
    for row, (words, spans) in enumerate(gold):
        counted[row, : words + 1, : words + 1] = torch.ones(words + 1, words + 1).triu(1) > 0
        for begin, end, label in spans:
            labels[row, begin, end] = label + 1
    table = functional.pad(scores[counted.to(scores.device)], (1, 0))
    return functional.cross_entropy(table, labels[counted].to(scores.device), reduction="sum")


def best_spans(table: Floats) -> list[LabelledSpan]:
    """The best tree of a table [words + 1, words + 1, labels]: its labelled spans."""
    forest = span_forest(len(table) - 1, table.shape[2])
    best = exact.viterbi(forest.forest, forest.scores(table))
    return forest.spans(best.edges)
