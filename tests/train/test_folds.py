"""Folds: models are only applied to data that they were not trained on."""

from treewright.train.folds import held_out


def test_each_model_lacks_its_fold_alone() -> None:
    found = held_out("abcdefg", 3, lambda fold, rest: (fold, "".join(rest)))
    assert found == [(0, "bcef"), (1, "acdfg"), (2, "abdeg")]
    assert held_out("abc", 0, lambda *_: None) == []
