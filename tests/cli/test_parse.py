"""The argument of `treewright parse`: a file or the text itself."""

import os
from pathlib import Path

import pytest

from treewright.cli.parse import is_text, opened
from treewright.errors import FormatError


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
