"""Neural CCG parsing over charts: joint training of supertags, arguments and rules.

The score of a derivation is the sum of its supertag scores, of its dependency scores (the score of
an argument minus that of none) and, if the network has them, of its rule scores. Another parser
builds the charts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from treewright.arrays import Floats


@dataclass
class ChartPart:
    """Training charts; dev scores are those of the heads.

    `objective` takes the second items of gold, and tables.
    """

    name: str
    heads: tuple[str, ...]  # supertags, slots and, if there are any, rules
    objective: Callable[[Sequence[Any], Sequence[Tensor]], Tensor]  # such as `ForestLoss`
    gold: Mapping[int, tuple[int, Any]]  # words, and an example or what the objective takes
    dev_gold: Mapping[int, Any] = field(default_factory=dict)

    def loss(self, supertags: Tensor, *others: Any) -> Tensor:
        """Takes the tables of the heads, then gold."""
        *pairs, gold = others
        tables = [
            chart_table(
                supertags[row, :words], *(each[row, : words + 1, : words + 1] for each in pairs)
            )
            for row, (words, _) in enumerate(gold)
        ]
        return self.objective([example for _, example in gold], tables).sum()

    def count(self, *_: Any) -> Sequence[int]:
        return ()

    def figures(self, counts: Floats) -> Mapping[str, float]:  # noqa: ARG002
        return {}


def chart_table(supertags: Tensor, slots: Tensor, rules: Tensor | None = None) -> Tensor:
    """The table of a sentence: scores [words, tags], scores of filled slots, scores of rules."""
    more = () if rules is None else (rules.flatten(),)
    return torch.cat((supertags.flatten(), (slots - slots[:, :1]).flatten(), *more))
