"""User errors render as one line and survive a trip between processes."""

import pickle
from pathlib import Path

import pytest

from treewright import errors


def test_format_error_names_path_and_line() -> None:
    error = errors.FormatError(Path("wsj") / "00.mrg", 7, "unbalanced bracket")
    assert str(error) == "wsj/00.mrg:7: unbalanced bracket"
    assert (error.path, error.line, error.message) == ("wsj/00.mrg", 7, "unbalanced bracket")


@pytest.mark.parametrize("name", ["ConfigError", "ForestError", "StoreError"])
def test_plain_errors_are_their_message(name: str) -> None:
    error = getattr(errors, name)("what is wrong")
    assert isinstance(error, errors.TreewrightError)
    assert str(error) == "what is wrong"


def test_errors_cross_process_borders() -> None:
    error = errors.FormatError("a.conllu", 3, "ten columns expected")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is errors.FormatError
    assert str(copy) == str(error)
