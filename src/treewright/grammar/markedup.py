r"""Lexicons in the markedup format of Clark and Curran (2007), which a user may supply.

    (S[dcl]\NP)/NP
      2 ((S[dcl]{_}\NP{Y}<1>){_}/NP{Z}<2>){_}
      1 ncsubj %l %f _
      2 dobj %l %f

A category, then, indented, the number of its slots and the category with head variables (`_` is the
word itself) and slots. Lines after these, such as grammatical relations, are passed over, as are
empty lines and comments after `#`. A category may come again with another entry.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from treewright.data.lines import AnyPath, read_lines
from treewright.errors import FormatError
from treewright.grammar.category import Category, parse
from treewright.grammar.markup import Entry, read_entry, render

ANNOTATION = re.compile(r"\s+([0-9]{1,4})\s+(\S+)\s*")
LETTERS = "_YZWVUTRQABCDEF"


def read_markedup(path: AnyPath) -> dict[Category, list[Entry]]:
    """Reads the entries of each category in a markedup file, in the order of the file."""
    entries: dict[Category, list[Entry]] = {}
    category: Category | None = None
    for number, line in read_lines(path):
        text = line.partition("#")[0].rstrip()
        try:
            if text and not text[0].isspace():
                _expect_nothing(category)
                category = parse(text)
            elif text and category:
                entries.setdefault(category, []).append(_entry(category, text))
                category = None
        except ValueError as error:
            raise FormatError(path, number, str(error)) from error
    if category:
        raise FormatError(path, number, f"the file ends before the entry of {category}")
    return entries


def _expect_nothing(category: Category | None) -> None:
    if category:
        raise ValueError(f"expected the entry of {category}, indented")


def _entry(category: Category, text: str) -> Entry:
    parts = ANNOTATION.fullmatch(text)
    if not parts:
        raise ValueError(f"expected the number of slots and an annotated category, not {text!r}")
    entry = read_entry(parts[2])
    if entry.category is not category:
        raise ValueError(f"the annotated category is {entry.category}, not {category}")
    if len(entry.slots) != int(parts[1]):
        raise ValueError(f"{parts[1]} slots are declared, but {len(entry.slots)} are marked")
    return entry


def format_entry(entry: Entry) -> str:
    """The two lines of an entry, with letters for its variables."""
    names = [f"{{{_letter(head)}}}" for head in entry.marked.heads]
    for number, node in entry.slots:
        names[node] += f"<{number}>"
    return f"{entry.category}\n  {len(entry.slots)} {render(entry.category, names)}\n"


def _letter(variable: int) -> str:
    return LETTERS[variable] if variable < len(LETTERS) else f"V{variable}"


def write_markedup(path: AnyPath, entries: Mapping[Category, Sequence[Entry]]) -> None:
    """Writes entries as a markedup file."""
    Path(path).write_text(_join(entries.values()), encoding="utf-8", newline="\n")


def _join(groups: Iterable[Sequence[Entry]]) -> str:
    return "\n".join(format_entry(entry) for group in groups for entry in group)
