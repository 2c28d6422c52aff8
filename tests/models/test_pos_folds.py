"""Parsers that are trained on automatic parts of speech."""

from pathlib import Path
from typing import Any

import pytest

from treewright.config import from_dict
from treewright.data.auto import read_auto
from treewright.data.ptb import format_tree
from treewright.minibank.write import write_minibank
from treewright.models.constituency.data import read_items, retagged
from treewright.models.constituency.settings import BinariseSettings
from treewright.models.kinds import kind_named
from treewright.train.run import Run

QUICK = {"local_passes": 2, "order": 0}
SETTINGS: dict[str, dict[str, Any]] = {
    "ccg": {"tagger": QUICK, "pos": QUICK, "optimiser": {"iterations": 3}},
    "const": {
        "pos": QUICK,
        "folds": 2,
        "pruning": {"bits": 10},
        "optimiser": {"iterations": 3},
    },
}
SUFFIX = {"ccg": "auto", "const": "mrg"}


@pytest.mark.filterwarnings("ignore:the grammar does not know")
@pytest.mark.parametrize("kind", SETTINGS)
def test_training_on_automatic_parts_of_speech(kind: str, tmp_path: Path) -> None:
    write_minibank(tmp_path / "bank", 40, 0)
    files = {name: str(tmp_path / "bank" / f"{name}.{SUFFIX[kind]}") for name in ("train", "dev")}
    found = kind_named(kind)
    how: Any = from_dict(found.settings, {**SETTINGS[kind], **files, "pos_folds": 2}, kind)
    made = found.train(how, Run(tmp_path / "run", threads=1, quiet=True))
    assert made.parse("the dog saw a cat").words == ("the", "dog", "saw", "a", "cat")
    tags = (tmp_path / "run" / "stages" / "pos-folds" / "tags").read_text().splitlines()
    words = [d.sentence.words for d in read_auto(tmp_path / "bank" / "train.auto")]
    assert [len(row.split(" ")) for row in tags] == [len(row) for row in words]


def test_trees_with_other_tags(tmp_path: Path) -> None:
    path = tmp_path / "one.mrg"
    path.write_text("(S (NP (DT a) (JJ big) (NN dog)) (VP (VBZ runs)))\n")
    (item,) = read_items(path, BinariseSettings().make(), 10)
    other = retagged(item, ["DT", "NN", "NN", "NNS"])
    assert other.tags == ("DT", "NN", "NN", "NNS")
    expected = "(S (NP (DT a) (NN big) (NN dog)) (VP (NNS runs)))"
    assert format_tree(other.tree).strip() == expected
    assert "(NN big)" in format_tree(other.binary)
