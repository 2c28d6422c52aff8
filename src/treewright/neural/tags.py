"""Neural tagging: one score per word and tag.

As a chain of order 0 the exact likelihood is the cross entropy of every word, and its
posteriors are the softmax of the scores. Other chains are forests (`treewright.torch.ForestLoss`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from torch import Tensor
from torch.nn import functional

from treewright.arrays import Floats, Integers
from treewright.neural.encoder import padded
from treewright.neural.parts import OneHead

NO_TAG = -1


@dataclass
class TagPart(OneHead):
    """Tagged sentences; NO_TAG counts in scores, not in training."""

    name: str
    gold: Mapping[int, Integers]
    dev_gold: Mapping[int, Integers] = field(default_factory=dict)

    def loss(self, scores: Tensor, gold: Sequence[Integers]) -> Tensor:
        tags = padded(gold, NO_TAG).to(scores.device)
        flat = scores[:, : tags.shape[1]].flatten(0, 1)
        return functional.cross_entropy(flat, tags.flatten(), ignore_index=NO_TAG, reduction="sum")

    def count(self, scores: Tensor, gold: Sequence[Integers]) -> Sequence[int]:
        best = scores.argmax(dim=-1).cpu().numpy()
        right = sum(
            int((row[: len(tags)] == tags).sum()) for row, tags in zip(best, gold, strict=True)
        )
        return right, sum(map(len, gold))

    def figures(self, counts: Floats) -> Mapping[str, float]:
        right, words = counts
        return {f"dev_{self.name}": 100 * right / max(1.0, words)}
