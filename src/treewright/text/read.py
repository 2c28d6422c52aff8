"""Reads raw text from files in blocks that end between paragraphs, with offsets.

The text is not changed: CR LF, a byte order mark and blank lines are kept, so that offsets count
the characters of the file.
"""

import re
from collections.abc import Iterator
from typing import TextIO

from treewright.data.lines import MAX_LINE, source_name, undecodable
from treewright.errors import FormatError

BLOCK = 1 << 16  # size after which a blank line ends a block
LARGEST = 1 << 18  # size after which any line ends a block, and blanks cut longer lines
# Up to the last blank, if possible after a sentence; and up to the next one.
BLANK_AFTER = re.compile(r".*[.!?][^\w\s]*\s|.*\s", re.DOTALL)
NEXT_BLANK = re.compile(r"\S+\s")


def read_blocks(file: TextIO, each_line: bool = False) -> Iterator[tuple[int, str]]:
    """Yields blocks of text with their offsets; `each_line`: line by line, for terminals."""
    start, size, number = 0, 0, 0
    lines: list[str] = []
    while line := _next_line(file, number + 1):
        number += 1
        lines.append(line)
        size += len(line)
        if each_line or size >= LARGEST or (size >= BLOCK and not line.strip()):
            yield from _blocks(start, "".join(lines))
            start, size, lines = start + size, 0, []
    if lines:
        yield from _blocks(start, "".join(lines))


def _blocks(start: int, text: str) -> Iterator[tuple[int, str]]:
    """The text as a block, or as several if a line is very long: memory grows with blocks."""
    at = 0
    while len(text) - at > 2 * LARGEST:
        found = BLANK_AFTER.match(text, at, at + LARGEST) or NEXT_BLANK.match(text, at)
        if found is None:
            break
        yield start + at, found[0]
        at = found.end()
    yield start + at, text[at:]


def _next_line(file: TextIO, number: int) -> str:
    """The next line with its end, up to the maximum length."""
    try:
        line = file.readline(MAX_LINE)
    except UnicodeDecodeError as error:
        raise undecodable(source_name(file), number, error) from error
    if "\0" in line:
        raise FormatError(source_name(file), number, "NUL byte: is this a text file?")
    return line
