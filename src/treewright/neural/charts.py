"""Neural CCG parsing over charts: supertags and arguments learn together, by any exact objective.

A derivation is worth the scores of its supertags and what its dependencies are worth: the score of
an argument less that of none. Charts are forests that another parser has built.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from treewright.arrays import Floats
from treewright.forests.features import Example
from treewright.torch.forests import ForestLoss

Chart = tuple[int, Example]  # words, and what `treewright.forests.tables.chart_example` makes


@dataclass
class ChartPart:
    """Charts to learn from; scores on dev are those of the heads' own parts."""

    name: str
    heads: tuple[str, str]  # supertags, slots
    objective: ForestLoss
    gold: Mapping[int, Chart]
    dev_gold: Mapping[int, Any] = field(default_factory=dict)

    def loss(self, supertags: Tensor, slots: Tensor, gold: Sequence[Chart]) -> Tensor:
        tables = [
            chart_table(supertags[row, :words], slots[row, : words + 1, : words + 1])
            for row, (words, _) in enumerate(gold)
        ]
        values: Tensor = self.objective([example for _, example in gold], tables)
        return values.sum()

    def count(self, *_: Any) -> Sequence[int]:
        return ()

    def figures(self, counts: Floats) -> Mapping[str, float]:  # noqa: ARG002
        return {}


def chart_table(supertags: Tensor, slots: Tensor) -> Tensor:
    """The table of a sentence: scores [words, tags], then what filling a slot is worth."""
    return torch.cat((supertags.flatten(), (slots - slots[:, :1]).flatten()))
