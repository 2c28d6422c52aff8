"""JSON objects of sentences: the keys that all kinds share (docs/formats.md, format 1).

Used by `parse --format json`, `analysis.to_json()`, documents and the server. Incompatible changes
increase FORMAT.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from shutil import get_terminal_size

from treewright.data.records import Surface

FORMAT = 1
COLUMNS = ("lemmas", "upos", "xpos", "feats")
Column = Sequence[str | None]


def sentence_object(
    name: str | None, words: Sequence[str], surface: Surface | None, **columns: Column | None
) -> dict[str, object]:
    """The keys of a sentence before it is parsed; unknown values are None.

    columns: `lemmas`, `upos`, `xpos`, `feats`, one value per word.
    """
    offsets = surface.offsets if surface else ()
    return {
        "id": name,
        "text": surface.text if surface else None,
        "words": list(words),
        **{column: known(columns.get(column)) for column in COLUMNS},
        "offsets": [list(each) for each in offsets] if len(offsets) == len(words) else None,
        "spaces": list(surface.spaces) if surface else None,
        "multiword": [each._asdict() for each in surface.multiword] if surface else [],
    }


def known(column: Column | None) -> list[str | None] | None:
    """A column with None for empty values and `_`; None if nothing is left."""
    values = [None if value in ("", "_") else value for value in column or ()]
    return values if any(value is not None for value in values) else None


def line(values: Mapping[str, object]) -> str:
    """An object on one line."""
    return json.dumps(values, ensure_ascii=False) + "\n"


def tagged_line(
    words: Sequence[str], pos: Sequence[str] | None, tags: Iterable[Sequence[str]]
) -> str:
    """`word|tag ...`, or `word|POS|tag ...` with POS tags; a word can have several tags."""
    columns = [[word] for word in words] if pos is None else map(list, zip(words, pos, strict=True))
    return " ".join("|".join([*row, *each]) for row, each in zip(columns, tags, strict=True))


def quantity(count: int, noun: str) -> str:
    """A count with its noun: 1 sentence, 2 sentences."""
    return f"{count} {noun}" + "s" * (count != 1)


PAGE = 100  # columns of a file or a pipe
LEAST = 40


def page_columns() -> int:
    """The columns of the terminal; 100 if the output is not a terminal."""
    return max(LEAST, get_terminal_size((PAGE, 24)).columns)


def headings(parts: int) -> list[str]:
    """The heading of each part of a tree: its number; the last one explains the numbers."""
    if parts == 1:
        return [""]
    numbers = [f"[{number}]" for number in range(1, parts)]
    last = numbers[0] if parts == 2 else f"{numbers[0]} to {numbers[-1]}"
    return [*numbers, f"The whole, with {last} in place of the parts above"]
