"""Raw text from files: blocks, offsets, and what is refused."""

import gzip
from io import StringIO
from pathlib import Path

import pytest

from treewright.data.lines import peeked
from treewright.errors import FormatError
from treewright.text.read import BLOCK, LARGEST, read_blocks


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one line without an end",
        "a\r\nb\r\rc\n\n",
        ("x" * 99 + "\n") * (BLOCK // 100 + 1) + "\nlast\n",
        ("x" * 99 + "\n\n") * (3 * BLOCK // 100),
        "y" * (LARGEST + 5) + "\nz",
    ],
)
def test_blocks_are_the_text_with_its_offsets(text: str) -> None:
    found = list(read_blocks(StringIO(text, newline="")))
    assert "".join(block for _, block in found) == text
    for start, block in found:
        assert text[start : start + len(block)] == block
    assert all(block.endswith("\n") for _, block in found[:-1])


def test_very_long_lines_are_cut_after_sentences() -> None:
    sentence = "Words with blanks between. "
    for text in (sentence * (4 * LARGEST // len(sentence)), "y" * (3 * LARGEST) + " z" * LARGEST):
        found = list(read_blocks(StringIO(text)))
        assert "".join(block for _, block in found) == text
        assert all(text.startswith(block, start) for start, block in found)
        assert all(block[-1] == " " for _, block in found[:-1])
    blocks = list(read_blocks(StringIO(sentence * (4 * LARGEST // len(sentence)))))
    assert all(block.endswith("between. ") for _, block in blocks)
    assert max(len(block) for _, block in blocks) <= 2 * LARGEST
    assert len(list(read_blocks(StringIO("y" * (5 * LARGEST))))) == 1


def test_a_terminal_is_answered_line_by_line() -> None:
    assert list(read_blocks(StringIO("a b\nc\n"), each_line=True)) == [(0, "a b\n"), (4, "c\n")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"good\nb\0d\n", r"in\.txt:2: NUL byte"),
        (b"\xff\n", r"in\.txt:1: not UTF-8 .*convert the file to UTF-8"),
        (gzip.compress(b"text", mtime=0), r"in\.txt:1: this is a gzip file: unpack it first"),
        ("text".encode("utf-16"), r"in\.txt:1: this is UTF-16: convert the file to UTF-8"),
        (b"%PDF-1.4\n%\xff", r"in\.txt:1: this is a PDF document"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "in.txt"
    file.write_bytes(content)
    with pytest.raises(FormatError, match=message), peeked(file) as (_, opened):
        list(read_blocks(opened))
