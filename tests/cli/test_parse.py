"""The argument of `treewright parse`: a file or the text itself."""

import os
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli.main import app
from treewright.cli.parse import is_text, opened
from treewright.errors import FormatError, TreewrightError


def test_texts_and_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").touch()
    assert all(map(is_text, ["", " ", "It works.", "Works", "a" * 5000, "a\0b"]))
    assert not any(map(is_text, ["notes", "text.txt", "runs/model", "."]))


def test_text_is_read_as_it_was_given() -> None:
    given = b"caf\xe9 or th\xc3\xa9"
    with opened(os.fsdecode(given)) as file:
        assert file.read_bytes() == given + b"\n"


def test_an_error_in_a_text_names_no_file() -> None:
    with pytest.raises(FormatError, match=r"^text:1: expected word"), opened("It works") as file:
        raise FormatError(file, 1, "expected word|POS")


def test_a_closed_input_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(TreewrightError, match="standard input is closed"), opened("-"):
        pass


def test_the_output_never_replaces_the_input(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("It works.")
    for out in (file, tmp_path / ".." / tmp_path.name / "text.txt"):
        result = CliRunner().invoke(app, ["parse", str(file), "--out", str(out)])
        assert (result.exit_code, "this is the input file" in result.output) == (2, True)
    assert file.read_text() == "It works."


def test_a_long_text_is_no_input_file(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("before")
    missing = str(tmp_path / "model")
    for text in ("The cat sleeps. " * 40, "A NUL \0."):
        result = CliRunner().invoke(app, ["parse", text, "--out", str(out), "--model", missing])
        assert result.exit_code != 0
        assert missing in f"{result.exception}{result.output}"  # the only fault
    assert out.read_text() == "before"


def test_a_text_without_quotes_is_an_error() -> None:
    result = CliRunner().invoke(app, ["parse", "It", "works."])
    assert result.exit_code == 2
    assert "'works.' follows: quote a text" in " ".join(result.output.replace("\u2502", "").split())
