"""Static vectors: text, binary, packed; what is damaged."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from treewright.data.vectors import read_vectors
from treewright.errors import FormatError

GLOVE = "the 1 2.5 -3\n. . 0 1e-2 4\nthe 9 9 9\nUnd 0 0 1\n"
ROWS = [[1, 2.5, -3], [0, 0.01, 4], [0, 0, 1]]


@pytest.mark.parametrize("header", ["", "4 3\n"])
def test_text(header: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(header + GLOVE)
    found = read_vectors(path, 100)
    assert found.words == ("the", ". .", "Und")
    assert np.allclose(found.table, ROWS)
    assert read_vectors(path, 1).words == ("the",)
    packed = tmp_path / "vectors.txt.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert read_vectors(packed, 100).words == found.words


def test_binary(tmp_path: Path) -> None:
    path = tmp_path / "vectors.bin"
    rows = [
        word.encode() + b" " + np.array(row, "<f4").tobytes()
        for word, row in zip("aé", ROWS[:2], strict=True)
    ]
    path.write_bytes(b"2 3\n" + b"\n".join(rows))
    found = read_vectors(path, 100)
    assert found.words == ("a", "é")
    assert np.allclose(found.table, ROWS[:2])
    path.write_bytes(path.read_bytes()[:-2])
    with pytest.raises(FormatError, match="ends within word 2 of 2"):
        read_vectors(path, 100)
    path.write_bytes(b"999999999 3\na")
    with pytest.raises(FormatError, match="damaged at word 1"):
        read_vectors(path, 100)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no vectors|vectors of"),
        ("a 1 2\nb 1\n", ":2: 1 numbers, not 2"),
        ("a 1 2\nb 1 x\n", ":2: not a word and 2 numbers"),
        ("1 99999\na 1\n", ":1: vectors of 99999 numbers"),
        ("a 1 nan\n", "not finite"),
        ("word\n", ":1: vectors of 0 numbers"),
    ],
)
def test_damage(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_vectors(path, 100)


def test_damaged_gzip_and_endless_lines(tmp_path: Path) -> None:
    whole = gzip.compress(GLOVE.encode() * 100)
    path = tmp_path / "vectors.txt.gz"
    for damage in (whole[:-12], whole[:40] + b"\0" * 40 + whole[80:], b"plain text\n"):
        path.write_bytes(damage)
        with pytest.raises(FormatError, match="damaged gzip"):
            read_vectors(path, 1000)
    path.write_bytes(gzip.compress(b"a" * (1 << 26)))  # a bomb: one line without an end
    with pytest.raises(FormatError, match=r"longer than|vectors of"):
        read_vectors(path, 1000)
    with pytest.raises(FormatError, match=r"longer than|vectors of"):
        read_vectors(Path("/dev/zero"), 1000)


def test_words_of_binary_files_have_no_line_end(tmp_path: Path) -> None:
    """Models keep words one per line."""
    path = tmp_path / "vectors.bin"
    path.write_bytes(b"2 1\na\nb \0\0\x80?c \0\0\x80?")
    with pytest.raises(FormatError, match="word 1 of 2 has a line end"):
        read_vectors(path, 10)
