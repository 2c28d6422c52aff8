"""`treewright minibank`: its files and its errors."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli.guard import USER_ERROR, describe
from treewright.cli.main import app
from treewright.errors import TreewrightError
from treewright.minibank import write

FILES = [f"{part}.{end}" for part in ("dev", "train") for end in ("auto", "conllu", "mrg", "parg")]


def run(*options: str) -> str:
    result = CliRunner().invoke(app, ["minibank", *options], catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def digest(directory: Path) -> str:
    return hashlib.sha256(b"".join((directory / name).read_bytes() for name in FILES)).hexdigest()


def test_it_writes_eight_files(tmp_path: Path) -> None:
    out = tmp_path / "new" / "bank"
    assert run("--sentences", "30", "--seed", "4", "--out", str(out)) == (
        f"{out}: 30 training and 3 dev sentences\n"
    )
    assert names(out) == FILES
    assert (out / "train.mrg").read_text().count("\n") == 30
    assert (out / "dev.conllu").read_text().count("# sent_id") == 3


def test_a_hard_treebank_is_another_one(tmp_path: Path) -> None:
    for name, options in {"easy": [], "hard": ["--hard"]}.items():
        run("--sentences", "20", *options, "--out", str(tmp_path / name))
    assert names(tmp_path / "hard") == FILES
    assert digest(tmp_path / "hard") != digest(tmp_path / "easy")


def test_one_sentence_is_enough(tmp_path: Path) -> None:
    run("--sentences", "1", "--out", str(tmp_path))
    assert names(tmp_path) == FILES
    assert (tmp_path / "dev.auto").read_text().startswith("ID=mini.2 ")


def test_the_seed_decides_in_every_process(tmp_path: Path) -> None:
    found = set()
    for salt in "1", "2":
        out = tmp_path / salt
        command = ["-m", "treewright", "minibank", "--sentences", "60", "--out", str(out)]
        environment = {**os.environ, "PYTHONHASHSEED": salt}
        subprocess.run([sys.executable, *command], check=True, env=environment, capture_output=True)
        found.add(digest(out))
    assert len(found) == 1


def test_only_force_replaces(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    run("--sentences", "3", "--seed", "1", "--out", str(tmp_path))
    before = digest(tmp_path)
    with pytest.raises(TreewrightError, match=r"train\.auto: already exists; use --force"):
        run("--sentences", "3", "--seed", "2", "--out", str(tmp_path))
    assert digest(tmp_path) == before
    run("--sentences", "3", "--seed", "2", "--out", str(tmp_path), "--force")
    assert digest(tmp_path) != before
    assert names(tmp_path) == sorted([*FILES, "mine.txt"])


@pytest.mark.parametrize("count", ["0", "-5"])
def test_no_sentences(count: str, tmp_path: Path) -> None:
    with pytest.raises(TreewrightError, match=f"at least 1 sentence, not {count}") as caught:
        run("--sentences", count, "--out", str(tmp_path / "x"))
    assert describe(caught.value)[1] == USER_ERROR
    assert names(tmp_path) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(TreewrightError, match="file: not a directory"):
        run("--out", str(tmp_path / "file"))
    with pytest.raises(OSError, match="Not a directory") as caught:
        run("--out", str(tmp_path / "file" / "bank"))
    assert describe(caught.value)[1] == USER_ERROR
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("exists", [False, True])
def test_nothing_is_left_half_written(
    exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> str:
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setitem(write.FORMATS, "conllu", fail)
    out = tmp_path / "bank"
    if exists:
        out.mkdir()
        (out / "mine.txt").write_text("mine")
    with pytest.raises(TreewrightError, match="bank: No space left on device"):
        run("--sentences", "5", "--out", str(out))
    assert names(tmp_path) == (["bank"] if exists else [])
    assert not exists or names(out) == ["mine.txt"]
