"""Static word vectors: GloVe and word2vec text, word2vec binary.

Text has a word and its numbers per line, with or without a first line of counts; binary files have
that first line, then the bytes of each word, a space, and 32-bit floats. Files with the suffix .gz
are decompressed.
"""

import gzip
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats32
from treewright.errors import FormatError

MAX_WIDTH = 4096
MAX_WORD = 1000  # bytes of a word in a binary file
MAX_LINE = 1 << 20  # bytes of a line of text


class Vectors(NamedTuple):
    """The first distinct words of a file, and their vectors [words, width]."""

    words: tuple[str, ...]
    table: Floats32


def read_vectors(path: Path, most: int) -> Vectors:
    """Reads the vectors of the first words of a file; of duplicates, the first one."""
    try:
        vectors = _first_rows(path, most)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(path, 1, f"damaged gzip: {error}") from error
    if not vectors:
        raise FormatError(path, 1, "no vectors")
    table = np.stack(list(vectors.values()))
    if not np.isfinite(table).all():
        raise FormatError(path, 1, "a vector contains a number that is not finite")
    return Vectors(tuple(vectors), table)


def _first_rows(path: Path, most: int) -> dict[str, NDArray[np.float32]]:
    unpacked = gzip.open if path.suffix == ".gz" else open
    with unpacked(path, "rb") as opened:
        file = cast(BinaryIO, opened)
        first = file.readline(MAX_LINE)
        rows = _binary(file, first, path) if _is_binary(path, first) else _text(file, first, path)
        found: dict[str, NDArray[np.float32]] = {}
        for word, vector in islice(rows, most):
            found.setdefault(word, vector)
    return found


def _is_binary(path: Path, first: bytes) -> bool:
    name = path.name.removesuffix(".gz")
    return name.endswith(".bin") and _counts(first) is not None


def _counts(line: bytes) -> tuple[int, int] | None:
    """The number of words and the width, if a line has exactly these."""
    parts = line.split()
    if len(parts) != 2 or not all(part.isdigit() and len(part) < 10 for part in parts):
        return None
    return int(parts[0]), int(parts[1])


def _checked_width(width: int, path: Path) -> int:
    if not 0 < width <= MAX_WIDTH:
        raise FormatError(path, 1, f"vectors of {width} numbers, not of 1 to {MAX_WIDTH}")
    return width


def _text(file: BinaryIO, first: bytes, path: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    counts = _counts(first)
    width = None if counts is None else _checked_width(counts[1], path)
    lines = _lines(b"" if counts is not None else first, file)
    for number, line in enumerate(lines, 2 if counts is not None else 1):
        if len(line) >= MAX_LINE:
            raise FormatError(path, number, f"the line is longer than {MAX_LINE} bytes")
        parts = line.rstrip(b"\r\n ").split(b" ")
        width = width or _checked_width(len(parts) - 1, path)
        if len(parts) <= width:
            raise FormatError(path, number, f"{len(parts) - 1} numbers, not {width}")
        try:
            word = b" ".join(parts[:-width]).decode()
            yield word, np.array([float(part) for part in parts[-width:]], np.float32)
        except ValueError as error:
            raise FormatError(path, number, f"not a word and {width} numbers") from error


def _lines(first: bytes, file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file after the first one was read; each is cut if it is too long."""
    while first or (first := file.readline(MAX_LINE)):
        yield first
        first = b""


def _binary(file: BinaryIO, first: bytes, path: Path) -> Iterator[tuple[str, NDArray[np.float32]]]:
    counts = _counts(first)
    assert counts is not None
    width = _checked_width(counts[1], path)
    for number in range(1, counts[0] + 1):
        word = bytearray()
        while (byte := file.read(1)) != b" ":
            if not byte or len(word) > MAX_WORD:
                raise FormatError(path, 1, f"ends or is damaged at word {number} of {counts[0]}")
            if byte == b"\n" and word:
                raise FormatError(path, 1, f"word {number} of {counts[0]} has a line end")
            word += byte.strip(b"\n")
        raw = file.read(4 * width)
        if len(raw) < 4 * width:
            raise FormatError(path, 1, f"ends within word {number} of {counts[0]}")
        yield word.decode(errors="replace"), np.frombuffer(raw, "<f4").astype(np.float32)
