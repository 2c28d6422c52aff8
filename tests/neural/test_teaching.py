"""Soft labels: their cross entropy beside gold's, and a student that agrees with its teacher."""

from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from treewright.models.neural.members import ARCS, SLOTS, TAG
from treewright.models.neural.teacher import HEADS
from treewright.neural.dependency import ArcPart
from treewright.neural.slots import SlotPart
from treewright.neural.tags import TagPart
from treewright.neural.teaching import (
    Normaliser,
    SoftLabels,
    TaughtPart,
    of_arguments,
    of_trees,
    of_words,
)
from treewright.torch.trees import TreeLoss
from treewright.train.online import Parse

LENGTHS = 3, 1
ENDS = {ARCS: of_trees, SLOTS: of_arguments, TAG: of_words}


def scores(head: str) -> Tensor:
    """The tables of two sentences of 3 and 1 words with two labels."""
    shape = (2, 4, 4, 2) if HEADS[head].pairs else (2, 3, 2)
    return torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def taught(head: str, scores: Tensor, rows: list[SoftLabels]) -> Tensor:
    log_z: Normaliser = ENDS[head]
    return TaughtPart("soft", head, log_z, {}).loss(scores, rows)


def certain(words: int, *cells: tuple[int, ...]) -> SoftLabels:
    return SoftLabels(words, np.array(cells, np.int32), np.ones(len(cells), np.float32))


ROWS = [np.array([[1, 0, 2], [2, 1, 1]]), np.zeros((0, 3), np.int64)]
NONE = [(1, 0, 1), (2, 0, 0), (3, 0, 0), (3, 0, 1)]  # slots without an argument
TREES = [
    Parse(np.array([2, 0, 2], np.int32), np.array([1, 0, 1], np.int32)),
    Parse(np.array([0], np.int32), np.array([1], np.int32)),
]


@pytest.mark.parametrize(
    ("part", "gold", "soft"),
    [
        (
            TagPart(TAG, {}),
            [np.array([0, 1, 1]), np.array([1])],
            [certain(3, (0, 0), (1, 1), (2, 1)), certain(1, (0, 1))],
        ),
        (
            ArcPart(ARCS, TreeLoss(), {}),
            TREES,
            [certain(3, (2, 1, 1), (0, 2, 0), (2, 3, 1)), certain(1, (0, 1, 1))],
        ),
        (
            SlotPart(SLOTS, {}),
            [(3, ROWS[0]), (1, ROWS[1])],
            [certain(3, (1, 2, 0), (2, 1, 1), *NONE), certain(1, (1, 0, 0), (1, 0, 1))],
        ),
    ],
    ids=[TAG, ARCS, SLOTS],
)
def test_a_teacher_that_is_certain_is_gold(part: Any, gold: Any, soft: list[SoftLabels]) -> None:
    table = scores(part.name).requires_grad_()
    ours, theirs = taught(part.name, table, soft), part.loss(table, gold)
    torch.testing.assert_close(ours, theirs)
    (found,) = torch.autograd.grad(ours, table)
    (wanted,) = torch.autograd.grad(theirs, table)
    torch.testing.assert_close(found, wanted)


@pytest.mark.parametrize("head", ENDS)
def test_a_student_that_agrees_has_nothing_to_learn(head: str) -> None:
    table = scores(head).requires_grad_()
    soft = []
    for row, words in zip(table.detach().float().numpy(), LENGTHS, strict=True):
        size = words + HEADS[head].pairs
        shares = HEADS[head].shares(row[:size, :size] if HEADS[head].pairs else row[:size])
        cells = np.argwhere(shares)
        soft.append(SoftLabels(words, cells, shares[tuple(cells.T)].astype(np.float32)))
    (slope,) = torch.autograd.grad(taught(head, table, soft), table)
    assert float(slope.abs().max()) < 1e-6
    with torch.no_grad():
        changed = table + torch.randn_like(table)
        assert taught(head, changed, soft).item() > taught(head, table, soft).item() + 1e-3
