"""Plain text, with and without parts of speech."""

from pathlib import Path

import pytest

from treewright.data.lines import MAX_LINE, read_text
from treewright.data.records import Token
from treewright.errors import FormatError


def test_raw_text(tmp_path: Path) -> None:
    path = tmp_path / "raw.txt"
    path.write_text("He runs|fast .\n\nYes\n")
    sentences = list(read_text(path))
    assert [s.words for s in sentences] == [("He", "runs|fast", "."), (), ("Yes",)]
    assert [s.id for s in sentences] == ["1", "2", "3"]
    assert sentences[2].tokens == (Token("Yes"),)


def test_tagged_text(tmp_path: Path) -> None:
    path = tmp_path / "tagged.txt"
    path.write_text("He|PRP either|or|CC\n")
    (sentence,) = read_text(path, tagged=True)
    assert sentence.tokens == (Token("He", "PRP"), Token("either|or", "CC"))


@pytest.mark.parametrize("token", ["runs", "runs|", "|VBZ"])
def test_untagged_token(token: str, tmp_path: Path) -> None:
    path = tmp_path / "tagged.txt"
    path.write_text(f"He|PRP\nHe|PRP {token}\n")
    with pytest.raises(FormatError, match=r":2: expected word\|POS"):
        list(read_text(path, tagged=True))


def test_an_endless_line(tmp_path: Path) -> None:
    path = tmp_path / "long.txt"
    path.write_bytes(b"a" * (MAX_LINE + 1))
    with pytest.raises(FormatError, match="longer than"):
        list(read_text(path))
