"""Lines of text files, one at a time, with the checks that every reader wants."""

from collections.abc import Iterator
from os import PathLike
from pathlib import Path

from treewright.errors import FormatError

AnyPath = str | PathLike[str]
MAX_LINE = 1 << 24  # bytes; a longer line is damage, not a sentence


def read_lines(path: AnyPath) -> Iterator[tuple[int, str]]:
    """Every line of a UTF-8 file without its end, numbered from 1; an empty file is an error."""
    number = 0
    with Path(path).open("rb") as file:
        while line := file.readline(MAX_LINE + 1):
            number += 1
            yield number, _decode(path, number, line)
    if not number:
        raise FormatError(path, 1, "the file is empty")


def _decode(path: AnyPath, number: int, line: bytes) -> str:
    if len(line) > MAX_LINE:
        raise FormatError(path, number, f"the line is longer than {MAX_LINE} bytes")
    if b"\0" in line:
        raise FormatError(path, number, "NUL byte: is this a text file?")
    try:
        return line.decode().removesuffix("\n")
    except UnicodeDecodeError as error:
        found = f"not UTF-8 at byte {error.start + 1} of the line: {error.reason}"
        raise FormatError(path, number, found) from error
