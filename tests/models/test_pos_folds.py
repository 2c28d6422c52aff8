"""Parsers that are trained on automatic parts of speech, and taggers on further sentences."""

from pathlib import Path
from typing import Any

import pytest

from treewright.config import from_dict
from treewright.data.auto import read_auto
from treewright.data.ptb import format_tree
from treewright.errors import ConfigError
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


MORE = """1\tDo\t_\t_\tVBP\t_\t_\t_\t_\t_
2\tn't\t_\t_\tRB\t_\t_\t_\t_\t_
3\tsee\t_\t_\tVB\t_\t_\t_\t_\t_

1\tOh\t_\t_\tUH\t_\t_\t_\t_\t_

"""


def const_with(tmp_path: Path, tagged: str, **more: Any) -> Any:
    bank = tmp_path / "train.mrg"
    text = "(S (NP (PRP They)) (VP (VBP do) (RB not) (VP (VB see) (NP (DT the) (NN dog)))))\n"
    bank.write_text(text * 9)
    file = tmp_path / "more.conllu"
    file.write_text(tagged)
    given = {**SETTINGS["const"], "train": str(bank), "pos_train": str(file), **more}
    found = kind_named("const")
    how: Any = from_dict(found.settings, given, "const")
    return found.train(how, Run(tmp_path / "run", threads=1, quiet=True))


def test_the_tagger_of_constituents_learns_from_further_sentences(tmp_path: Path) -> None:
    made = const_with(tmp_path, MORE * 9)
    assert made.parse(["They", "do", "n't", "see"]).tags == ("PRP", "VBP", "RB", "VB")
    records = (tmp_path / "run" / "records.jsonl").read_text()
    assert '"pos_train": 9' in records  # the trees have no UH


def test_further_sentences_with_other_tags_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"more\.conllu: every sentence has tags that the trees"):
        const_with(tmp_path, MORE.split("\n\n")[1] + "\n\n")
    with pytest.raises(ConfigError, match="pos_train needs tagger = true"):
        const_with(tmp_path, MORE, tagger=False)
