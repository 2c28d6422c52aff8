"""Files of counts: one tab-separated line per sentence, after a header (docs/formats.md)."""

import re
from collections.abc import Collection
from os import PathLike
from pathlib import Path

from treewright.errors import FormatError
from treewright.metrics.counts import Counts, fault_of

AnyPath = str | PathLike[str]
HEADER = ("sentence-id", "correct", "produced", "due")
MAX_DIGITS = 9  # longer numbers are invalid; sums of shorter ones fit in int64


def write_counts(path: AnyPath, ids: Collection[str], counts: Counts) -> None:
    """Write a header and one tab-separated line per sentence: id, correct, produced, due."""
    if len(ids) != len(counts):
        raise ValueError(f"{len(ids)} sentence ids for {len(counts)} sentences")
    seen: set[str] = set()
    for sentence_id in ids:
        if fault := _id_fault(sentence_id, seen):
            raise ValueError(fault)
        seen.add(sentence_id)
    rows = [(sentence_id, *row) for sentence_id, row in zip(ids, counts.rows(), strict=True)]
    text = "".join("\t".join(map(str, row)) + "\n" for row in [HEADER, *rows])
    Path(path).write_bytes(text.encode())


def read_counts(path: AnyPath) -> tuple[tuple[str, ...], Counts]:
    """Read the sentence ids and the counts that `write_counts` wrote."""
    lines = _lines(path)
    if not lines or lines[0] != "\t".join(HEADER):
        raise FormatError(path, 1, f"expected the header line {' '.join(HEADER)}, tab-separated")
    rows: dict[str, tuple[int, int, int]] = {}
    for number, line in enumerate(lines[1:], start=2):
        sentence_id, row = _parse_line(path, number, line)
        if fault := _id_fault(sentence_id, rows):
            raise FormatError(path, number, fault)
        rows[sentence_id] = row
    return tuple(rows), Counts.of_rows(rows.values())


def read_paired_counts(path_a: AnyPath, path_b: AnyPath) -> tuple[Counts, Counts]:
    """Read the counts of two systems, which must list the same sentences in the same order."""
    (ids_a, a), (ids_b, b) = read_counts(path_a), read_counts(path_b)
    for number, (id_a, id_b) in enumerate(zip(ids_a, ids_b, strict=False), start=2):
        if id_a != id_b:
            raise FormatError(path_b, number, f"sentence {id_b!r}, but {id_a!r} in {path_a}")
    if len(a) != len(b):
        end = min(len(a), len(b)) + 2
        raise FormatError(path_b, end, f"{len(b)} sentences, but {len(a)} in {path_a}")
    return a, b


def _lines(path: AnyPath) -> list[str]:
    data = Path(path).read_bytes()
    try:
        *lines, rest = data.decode().split("\n")
    except UnicodeDecodeError as error:
        number = data.count(b"\n", 0, error.start) + 1
        raise FormatError(path, number, f"not UTF-8: {error.reason}") from error
    if rest:
        raise FormatError(
            path, len(lines) + 1, "the last line has no line end: is the file truncated?"
        )
    return lines


def _parse_line(path: AnyPath, number: int, line: str) -> tuple[str, tuple[int, int, int]]:
    fields = line.split("\t")
    if len(fields) != len(HEADER):
        raise FormatError(path, number, f"expected {len(HEADER)} fields, found {len(fields)}")
    for name, field in zip(HEADER[1:], fields[1:], strict=True):
        if not re.fullmatch(rf"[0-9]{{1,{MAX_DIGITS}}}", field):
            raise FormatError(path, number, f"{name} is not a count: {field!r}")
    correct, produced, due = map(int, fields[1:])
    if fault := fault_of(correct, produced, due):
        raise FormatError(path, number, fault)
    return fields[0], (correct, produced, due)


def _id_fault(sentence_id: str, seen: Collection[str]) -> str | None:
    if not sentence_id or re.search(r"[\t\n\r]", sentence_id):
        return f"a sentence id must be text without tabs or line ends, not {sentence_id!r}"
    return f"sentence id {sentence_id!r} appears twice" if sentence_id in seen else None
