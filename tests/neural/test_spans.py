"""Spans that learn their labels one by one."""

import math

import pytest
import torch

from treewright.neural.spans import SpanPart, local_loss


def test_local_loss_is_the_cross_entropy_of_every_span() -> None:
    torch.manual_seed(0)
    scores = torch.randn(2, 4, 4, 2, requires_grad=True)
    gold = [(2, [(0, 2, 1)]), (3, [(0, 3, 0), (1, 3, 1)])]
    value = local_loss(scores, gold)
    expected = 0.0
    for table, (words, spans) in zip(scores.tolist(), gold, strict=True):
        label = {(begin, end): number for begin, end, number in spans}
        for begin in range(words):
            for end in range(begin + 1, words + 1):
                row = [0.0, *table[begin][end]]
                right = row[label.get((begin, end), -1) + 1]
                expected += math.log(sum(map(math.exp, row))) - right
    assert value.item() == pytest.approx(expected, rel=1e-5)
    value.backward()
    assert scores.grad is not None
    assert (scores.grad[0, :, 3] == 0).all()  # behind the end of the first sentence
    assert (scores.grad[:, 3] == 0).all()  # nothing begins at the end


def test_a_part_without_objective_learns_so() -> None:
    scores = torch.zeros(1, 2, 2, 1)
    part = SpanPart("spans", None, [["NP"]], {})
    assert part.loss(scores, [(1, [(0, 1, 0)])]).item() == pytest.approx(math.log(2))
