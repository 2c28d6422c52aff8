"""Rules of CCG derivations: for each span, the category of its constituent, or none.

A local model, trained with cross entropy as the span classifiers of Clark (2021). Spans of two or
more words have a result of a binary rule, or none; all spans have a unary rule, or none. Both
nones have the score 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from treewright.arrays import Floats, Integers
from treewright.forests.ccg.rules import is_unary
from treewright.neural.parts import OneHead

Rules = tuple[int, Integers]  # words, and rows of begin, end, label


@dataclass
class RulePart(OneHead):
    """The labelled spans of sentences."""

    name: str
    labels: Sequence[str]
    gold: Mapping[int, Rules]
    dev_gold: Mapping[int, Rules] = field(default_factory=dict)

    def loss(self, scores: Tensor, gold: Sequence[Rules]) -> Tensor:
        found = scores.new_zeros(())
        for labels, shortest in self._groups:
            cells = _spans([words for words, _ in gold], scores.shape[1], shortest)
            table = scores.index_select(3, labels.to(scores.device))
            log_z = functional.softplus(torch.logsumexp(table, dim=3))  # none has the score 0
            found = found + log_z[cells.to(scores.device)].sum()
        rows, shares = self._targets(gold)
        return found - (shares.to(scores) * scores[tuple(rows.to(scores.device))]).sum()

    def count(self, scores: Tensor, gold: Sequence[Rules]) -> Sequence[int]:
        n = d = y = 0
        for table, (words, rows) in zip(scores.cpu().numpy(), gold, strict=True):
            made = self._best(table[: words + 1, : words + 1])
            due = set(map(tuple, rows.tolist()))
            n, d, y = n + len(made & due), d + len(made), y + len(due)
        return n, d, y

    def figures(self, counts: Floats) -> Mapping[str, float]:
        n, d, y = counts
        return {f"dev_{self.name}_f1": 200 * n / max(1.0, d + y)}

    def _best(self, table: Floats) -> set[tuple[int, ...]]:
        """The best label of every span that is not none."""
        found: set[tuple[int, ...]] = set()
        for labels, shortest in self._groups:
            some = table[..., labels.numpy()]
            begin, end = np.nonzero(np.triu(some.max(axis=2) > 0, shortest))
            label = labels.numpy()[some[begin, end].argmax(axis=1)]
            found.update(zip(begin.tolist(), end.tolist(), label.tolist(), strict=True))
        return found

    @cached_property
    def _groups(self) -> tuple[tuple[Tensor, int], ...]:
        """The labels of binary and of unary rules, each with the length of the shortest span."""
        unary = torch.tensor([is_unary(label) for label in self.labels])
        return (torch.nonzero(~unary)[:, 0], 2), (torch.nonzero(unary)[:, 0], 1)

    def _targets(self, gold: Sequence[Rules]) -> tuple[Tensor, Tensor]:
        """Cells of the table [4, rules], and their probabilities: rules of a chain share a span."""
        sentence = np.repeat(np.arange(len(gold)), [len(rows) for _, rows in gold])
        rows = np.column_stack((sentence, np.concatenate([rows for _, rows in gold])))
        keys = rows.copy()
        keys[:, 3] = [is_unary(self.labels[label]) for label in rows[:, 3].tolist()]
        _, number, times = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
        return torch.from_numpy(rows.T), torch.from_numpy(1.0 / times[number.reshape(-1)])


def _spans(lengths: Sequence[int], size: int, shortest: int) -> Tensor:
    """A mask of the spans of each sentence: [sentences, size, size], begin by end."""
    place = torch.arange(size)
    long = place[None, :] - place[:, None] >= shortest
    return long & (place <= torch.tensor(lengths)[:, None])[:, None]
