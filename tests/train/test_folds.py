"""Folds: models are only applied to data that they were not trained on."""

import pytest

from treewright.errors import ConfigError
from treewright.train.folds import held_out


def test_each_model_lacks_its_fold_alone() -> None:
    found = held_out("abcdefg", 3, lambda fold, rest: (fold, "".join(rest)), "folds")
    assert found == [(0, "bcef"), (1, "acdfg"), (2, "abdeg")]
    assert held_out("abc", 0, lambda *_: None, "folds") == []


def test_one_sentence_has_no_folds() -> None:
    with pytest.raises(ConfigError, match="pos_folds = 5 needs at least two training sentences"):
        held_out("a", 5, lambda *_: None, "pos_folds")
    assert held_out("a", 0, lambda *_: None, "pos_folds") == []
