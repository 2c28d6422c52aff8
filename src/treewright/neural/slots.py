"""Arguments of CCG functors: for each word and slot, the word that fills it, or none.

A local model, p(argument | functor, slot), trained with cross entropy. The dependency score of a
derivation is the sum of log p(argument) - log p(none).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from treewright.arrays import Floats, Integers
from treewright.neural.encoder import inside
from treewright.neural.parts import OneHead

Slots = tuple[int, Integers]  # words, and rows of functor, slot, argument; words from 1, slots 0


@dataclass
class SlotPart(OneHead):
    """Dependencies of sentences."""

    name: str
    gold: Mapping[int, Slots]
    dev_gold: Mapping[int, Slots] = field(default_factory=dict)

    def loss(self, scores: Tensor, gold: Sequence[Slots]) -> Tensor:
        target, words = _targets(scores, gold)
        logs = _log_share(scores, gold)
        found = -torch.where(target > 0, target * logs, 0.0).sum(dim=2)  # 0 log 0 is 0
        return (found * words[:, :, None]).sum()

    def count(self, scores: Tensor, gold: Sequence[Slots]) -> Sequence[int]:
        best = _log_share(scores, gold).argmax(dim=2).cpu().numpy()
        right = filled = 0
        for table, (_, rows) in zip(best, gold, strict=True):
            functor, slot, argument = rows.T
            right += int((table[functor, slot] == argument).sum())
            filled += len(rows)
        return right, filled

    def figures(self, counts: Floats) -> Mapping[str, float]:
        right, filled = counts
        return {f"dev_{self.name}": 100 * right / max(1.0, filled)}


def _log_share(scores: Tensor, gold: Sequence[Slots]) -> Tensor:
    """log p(argument | functor, slot): [sentences, functor, argument, slots]."""
    lengths = torch.tensor([words for words, _ in gold], device=scores.device)
    within = inside(lengths, scores.shape[2])
    return torch.log_softmax(scores.masked_fill(~within[:, None, :, None], -torch.inf), dim=2)


def _targets(scores: Tensor, gold: Sequence[Slots]) -> tuple[Tensor, Tensor]:
    """The gold distribution of the arguments of each slot, and a mask of the functors."""
    target = torch.zeros(scores.shape, dtype=scores.dtype)
    words = torch.zeros(scores.shape[:2], dtype=scores.dtype)
    for number, (length, rows) in enumerate(gold):
        functor, slot, argument = torch.from_numpy(rows).T
        target[number, functor, argument, slot] = 1.0
        words[number, 1 : length + 1] = 1.0
    none = target.sum(dim=2) == 0
    target[:, :, 0] = torch.where(none, torch.ones(()), target[:, :, 0])
    return (target / target.sum(dim=2, keepdim=True)).to(scores), words.to(scores)
