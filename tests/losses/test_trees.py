"""Losses of dependency trees, worked out by hand."""

import numpy as np
import pytest

from treewright.errors import ConfigError
from treewright.losses.trees import LOSSES, UNKNOWN, GoldTree, only_root, tree_loss_named

GOLD = GoldTree(np.array([2, 0, 4, 2], np.int32), np.array([1, 0, 2, 3], np.int32))
CASES = {
    "right": ([2, 0, 4, 2], [1, 0, 2, 3]),
    "one label wrong": ([2, 0, 4, 2], [1, 0, 2, 1]),
    "one head wrong": ([2, 0, 2, 2], [1, 0, 2, 3]),
    "another root": ([0, 1, 4, 2], [0, 1, 2, 3]),
    "two roots": ([2, 0, 4, 0], [1, 0, 2, 0]),
}
# Arc lengths of gold: 1, 2 (to the root at 0), 1, 2.
EXPECTED = {
    "zero-one": [0, 1, 1, 1, 1],
    "labelled": [0, 1 / 4, 1 / 4, 2 / 4, 1 / 4],
    "unlabelled": [0, 0, 1 / 4, 2 / 4, 1 / 4],
    "root": [0, 0, 0, 1, 1 - 2 / 3],
    "arc-length-labelled": [0, 2 / 6, 1 / 6, 3 / 6, 2 / 6],
    "arc-length-unlabelled": [0, 0, 1 / 6, 3 / 6, 2 / 6],
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str) -> None:
    loss = tree_loss_named(name)(GOLD)
    found = [loss(np.array(h, np.int32), np.array(r, np.int32)) for h, r in CASES.values()]
    assert found == pytest.approx(EXPECTED[name])


@pytest.mark.parametrize("name", sorted(set(LOSSES) - {"root"}))
def test_unknown_words_do_not_count(name: str) -> None:
    heads, labels = GOLD.heads.copy(), GOLD.labels.copy()
    heads[2], labels[3] = UNKNOWN, UNKNOWN
    loss = tree_loss_named(name)(GoldTree(heads, labels))
    assert loss(np.array([2, 0, 1, 2], np.int32), np.array([1, 0, 9, 9], np.int32)) == 0
    assert loss(np.array([4, 0, 1, 2], np.int32), np.array([1, 0, 9, 9], np.int32)) > 0


def test_only_the_root_is_known() -> None:
    known = only_root(GOLD)
    assert known.heads.tolist() == [UNKNOWN, 0, UNKNOWN, UNKNOWN]
    loss = tree_loss_named("root")(known)
    assert loss(np.array([4, 0, 1, 1], np.int32), GOLD.labels) == 0
    assert loss(np.array([0, 1, 1, 1], np.int32), GOLD.labels) == 1


def test_unknown_names_are_errors() -> None:
    with pytest.raises(ConfigError, match="unknown loss of trees"):
        tree_loss_named("bleu")
