"""Cutting a test part off treebanks of every format."""

import re
from pathlib import Path

import pytest

from treewright.data import conllu, held_out, ptb
from treewright.data.auto import read_auto
from treewright.data.brackets import tagged_words
from treewright.data.dependency import DependencyTree
from treewright.data.held_out import cut, is_held_out
from treewright.data.parg import read_parg
from treewright.errors import ConfigError
from treewright.minibank.write import write_minibank


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bank")
    write_minibank(place, 200, seed=3)
    return place


def test_conllx_is_split_like_conllu(bank: Path, tmp_path: Path) -> None:
    """The dialect without comments and multiword tokens, with several roots."""
    words = [each.words for each in conllu.read(bank / "train.conllu")]
    trees = [DependencyTree((*row, row[0]._replace(head=0))) for row in words]
    conllu.write(trees, tmp_path / "train.conllx")
    parts = cut(tmp_path / "train.conllx", tmp_path / "out")
    read = [list(conllu.read(tmp_path / f"out/{part}.conllx")) for part in ("train", "test")]
    assert list(map(len, read)) == [parts.train, parts.test]
    assert (tmp_path / "out/test.ids").read_text().split()[0].isdigit()


def test_the_same_sentences_of_every_formalism(bank: Path, tmp_path: Path) -> None:
    """What is written is what was read, each sentence in one part, and the same in all formats."""
    for suffix in ("auto", "mrg", "conllu"):
        parts = cut(bank / f"train.{suffix}", tmp_path / suffix)
        assert (parts.train + parts.test, 5 <= parts.test <= 40) == (200, True)
        ids = (tmp_path / suffix / "test.ids").read_text().splitlines()
        assert len(ids) == parts.test
        text = {p: (tmp_path / suffix / f"{p}.{suffix}").read_text() for p in ("train", "test")}
        whole, both = (bank / f"train.{suffix}").read_text(), text["train"] + text["test"]
        lines = [sorted(each.replace(" ", "").split()) for each in (whole, both)]
        assert lines[0] == lines[1]
    auto = [d.sentence.words for d in read_auto(tmp_path / "auto/test.auto")]
    trees = list(ptb.read(tmp_path / "mrg/test.mrg"))
    assert [tuple(leaf.word for leaf in tagged_words(t)) for t in trees] == auto
    assert [tuple(s.forms) for s in conllu.read(tmp_path / "conllu/test.conllu")] == auto
    assert all(map(is_held_out, auto))
    for part in ("train", "test"):
        derivations = read_auto(tmp_path / f"auto/{part}.auto")
        dependencies = read_parg(tmp_path / f"auto/{part}.parg")
        assert [d.id for d in derivations] == [s.id for s in dependencies]


def test_the_cut_is_the_documented_one() -> None:
    """Another hash would be another cut, and figures on test would mean something else."""
    words = [(f"w{number}", "x") for number in range(60)]
    held = [number for number, each in enumerate(words) if is_held_out(each)]
    assert held == HELD
    assert [n for n, each in enumerate(words) if is_held_out((*each, '"', "."))] == HELD
    assert held != [number for number, each in enumerate(words) if is_held_out(each, seed=1)]


HELD = [20, 21, 22, 28, 47, 48, 57]


def test_what_cannot_be_cut(bank: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="choose another"):
        cut(bank / "train.auto", bank)
    with pytest.raises(ConfigError, match="between 0 and 1"):
        cut(bank / "train.auto", tmp_path, share=1.5)
    with pytest.raises(ConfigError, match="cannot be split"):
        cut(tmp_path / "x.txt", tmp_path / "y")


def test_all_files_or_none(bank: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of two cuts would share sentences."""
    cut(bank / "train.auto", tmp_path / "cut", seed=1)
    old = {path.name: path.read_bytes() for path in (tmp_path / "cut").iterdir()}
    assert len(old) == 5
    monkeypatch.setattr(held_out, "format_dependencies", lambda _: "\ud800")
    with pytest.raises(ValueError, match="surrogates"):
        cut(bank / "train.auto", tmp_path / "cut", seed=2)
    assert {path.name: path.read_bytes() for path in (tmp_path / "cut").iterdir()} == old


def test_sentences_of_both_parts_with_one_id(bank: Path, tmp_path: Path) -> None:
    for suffix in (".auto", ".parg"):
        text = (bank / f"train{suffix}").read_text()
        (tmp_path / f"a{suffix}").write_text(re.sub(r"(ID=|id=\")[^ \"]+", r"\1x", text))
    with pytest.raises(ConfigError, match="several sentences have the id 'x'"):
        cut(tmp_path / "a.auto", tmp_path / "cut")
