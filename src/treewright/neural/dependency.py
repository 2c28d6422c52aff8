"""Neural dependency parsing with biaffine arc scores and exact sums over all trees.

Training sums over all trees with the matrix-tree theorem (`treewright.torch.TreeLoss`), or uses
cross entropy per word. The best tree is a maximum spanning arborescence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from treewright.arrays import Floats
from treewright.inference.trees import labelled_spanning_trees
from treewright.neural.encoder import inside, padded
from treewright.neural.parts import OneHead
from treewright.torch.trees import GoldTrees, TreeLoss
from treewright.train.online import Parse


@dataclass
class ArcPart(OneHead):
    """Training and dev trees; without an objective, training is word by word."""

    name: str
    objective: TreeLoss | None
    gold: Mapping[int, Parse]
    dev_gold: Mapping[int, Parse] = field(default_factory=dict)
    single_root: bool = True

    def loss(self, scores: Tensor, gold: Sequence[Parse]) -> Tensor:
        trees = GoldTrees(*(each.to(scores.device) for each in gold_batch(gold)))
        if self.objective is None:
            return local_loss(scores, trees)
        size = trees.heads.shape[1] + 1
        found: Tensor = self.objective(scores[:, :size, :size], trees)
        return found.sum()

    def count(self, scores: Tensor, gold: Sequence[Parse]) -> Sequence[int]:
        tables = scores.cpu().numpy()
        right = labelled = 0
        for table, each in zip(tables, gold, strict=True):
            size = len(each.heads) + 1
            tree = labelled_spanning_trees(table[:size, :size], 1, self.single_root)[0]
            same = tree.heads == each.heads
            right += int(same.sum())
            labelled += int((same & (tree.labels == each.labels)).sum())
        return labelled, right, sum(len(each.heads) for each in gold)

    def figures(self, counts: Floats) -> Mapping[str, float]:
        labelled, right, words = counts
        return {"dev_las": 100 * labelled / words, "dev_uas": 100 * right / words}


def local_loss(scores: Tensor, gold: GoldTrees) -> Tensor:
    """The cross entropy of the head and label of every word."""
    longest = gold.heads.shape[1]
    within = inside(gold.lengths.to(scores.device), scores.shape[1])
    masked = scores.masked_fill(~within[:, :, None, None], -torch.inf)
    labels = scores.shape[3]
    table = masked[:, :, 1 : longest + 1].transpose(1, 2).flatten(2).flatten(0, 1)
    wanted = (gold.heads.clamp(min=0) * labels + gold.labels.clamp(min=0)).flatten()
    words = within[:, 1 : longest + 1].flatten()
    return functional.cross_entropy(table[words], wanted[words], reduction="sum")


def gold_batch(trees: Sequence[Parse]) -> GoldTrees:
    """Gold trees as padded tensors."""
    lengths = torch.tensor([len(each.heads) for each in trees])
    heads = padded([each.heads.astype(np.int64) for each in trees])
    return GoldTrees(heads, padded([each.labels.astype(np.int64) for each in trees]), lengths)
