"""What heads learn from sentences of different lengths: losses beside sums by hand."""

import numpy as np
import torch

from treewright.neural.dependency import ArcPart
from treewright.neural.slots import SlotPart
from treewright.train.online import Parse


def test_slots_are_learnt_one_by_one() -> None:
    """Two conjuncts share a slot; slots without an argument have none, 0."""
    scores = torch.randn(2, 4, 4, 2, dtype=torch.float64, requires_grad=True)
    gold = [(3, np.array([[1, 0, 2], [1, 0, 3], [2, 1, 1]])), (1, np.zeros((0, 3), np.int64))]
    value = SlotPart("slots", {}).loss(scores, gold)
    long, short = (torch.log_softmax(scores[i, :, : n + 1], dim=1) for i, n in ((0, 3), (1, 1)))
    due = -(long[1, 2, 0] + long[1, 3, 0]) / 2 - long[1, 0, 1] - long[2, 0, 0] - long[2, 1, 1]
    due = due - long[3, 0].sum() - short[1, 0].sum()
    torch.testing.assert_close(value, due)
    (found,) = torch.autograd.grad(value, scores, retain_graph=True)
    (wanted,) = torch.autograd.grad(due, scores)
    torch.testing.assert_close(found, wanted)


def test_local_training_of_arcs_ignores_padding() -> None:
    scores = torch.randn(2, 4, 4, 2, dtype=torch.float64, requires_grad=True)
    trees = [
        Parse(np.array([2, 0, 2], np.int32), np.array([1, 0, 1], np.int32)),
        Parse(np.array([0], np.int32), np.array([1], np.int32)),
    ]
    value = ArcPart("arcs", None, {}).loss(scores, trees)
    due = torch.zeros((), dtype=torch.float64)
    for row, tree in enumerate(trees):
        size = len(tree.heads) + 1
        pairs = zip(tree.heads.tolist(), tree.labels.tolist(), strict=True)
        for word, (head, label) in enumerate(pairs, 1):
            table = scores[row, :size, word]
            due = due + table.logsumexp(dim=(0, 1)) - table[head, label]
    torch.testing.assert_close(value, due)
    (found,) = torch.autograd.grad(value, scores, retain_graph=True)
    (wanted,) = torch.autograd.grad(due, scores)
    torch.testing.assert_close(found, wanted)
