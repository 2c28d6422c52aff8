r"""PARG files: predicate-argument dependencies, in CCGbank's format.

    <s id="wsj_0001.1"> 17
    argument-index TAB functor-index TAB category TAB slot TAB argument-word TAB functor-word
    <\s>

The number after the id is the index of the last token. CCGbank's own files put spaces around tabs,
one space between the two words, and `<XB>` or `<XU>` after a long-range dependency; the reader
takes both dialects and the writer can write both. Parsers also write headers without an id, which
the reader numbers from 1, or without the number.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import count
from pathlib import Path
from typing import Literal

from treewright.data.auto import Damaged, read_auto
from treewright.data.braces import is_braced
from treewright.data.lines import MARK, AnyPath, Source, filled_lines, peeked, source_name, unspaced
from treewright.data.records import Dependencies, Dependency, Derivation
from treewright.errors import FormatError
from treewright.storage.atomic import write_file

Dialect = Literal["tabs", "ccgbank"]
OPEN = re.compile(r'<s(?: id="([^"]+)" ?)?>(?: (0|[1-9][0-9]{0,8}))?')
CLOSE = r"<\s>"
MAX_WORDS = 10**9
ROW = re.compile(
    r"(?P<argument>0|[1-9][0-9]{0,8}) ?\t ?(?P<functor>0|[1-9][0-9]{0,8}) ?\t ?"
    r"(?P<category>[^\s]+) ?\t ?(?P<slot>[1-9][0-9]{0,3}) ?\t ?"
    r"(?P<argument_word>[^ \t]+)[\t ](?P<functor_word>[^ \t]+)"
    r"(?: <(?P<mark>X[A-Z])>)?"
)


def read_parg(file: Source) -> Iterator[Dependencies]:
    """Reads the dependencies in a PARG file, one sentence at a time."""
    lines, path = filled_lines(file), source_name(file)
    sentences = count(1)
    for number, line in lines:
        if not line.strip():
            continue
        header = OPEN.fullmatch(line.removesuffix(" "))
        if not header:
            raise FormatError(path, number, f'expected <s id="..."> n, not {line[:40]!r}')
        position, size = next(sentences), int(header[2]) + 1 if header[2] else None
        yield _sentence(path, header[1] or str(position), size, number, lines)


def _sentence(
    path: AnyPath, name: str, size: int | None, first: int, lines: Iterator[tuple[int, str]]
) -> Dependencies:
    rows: list[Dependency] = []
    words: dict[int, str] = {}
    seen: dict[Dependency, str | None] = {}
    for number, line in lines:
        if line.removesuffix(" ") == CLOSE:
            marks = {row: mark for row, mark in seen.items() if mark}
            known = max(words, default=0) + 1 if size is None else size
            return Dependencies(name, known, tuple(rows), words, marks)
        try:
            row, mark = _row(line, size or MAX_WORDS, words)
        except ValueError as error:
            raise FormatError(path, number, f"sentence {name}: {error}") from error
        rows.append(row)
        if seen.setdefault(row, mark) != mark:
            raise FormatError(path, number, f"sentence {name}: the same row has another mark")
    raise FormatError(path, first, rf"sentence {name} is not closed: <\s> is missing")


def _row(line: str, size: int, words: dict[int, str]) -> tuple[Dependency, str | None]:
    match = ROW.fullmatch(line)
    if not match:
        raise ValueError(f"expected six fields of a dependency, not {line[:60]!r}")
    argument, functor = int(match["argument"]), int(match["functor"])
    if max(argument, functor) >= size:
        raise ValueError(f"word {max(argument, functor)} of a sentence of {size} words, from 0")
    for index, word in (argument, match["argument_word"]), (functor, match["functor_word"]):
        if words.setdefault(index, word) != word:
            raise ValueError(f"word {index} is {word!r}, but was {words[index]!r} before")
    return Dependency(functor, match["category"], int(match["slot"]), argument), match["mark"]


def format_dependencies(sentence: Dependencies, dialect: Dialect = "tabs") -> str:
    """Formats the lines of one sentence, each with its line end."""
    rows = "".join(_format_row(row, sentence, dialect) for row in sentence.rows)
    return f'<s id="{sentence.id}"> {sentence.size - 1}\n{rows}{CLOSE}\n'


def _format_row(row: Dependency, sentence: Dependencies, dialect: Dialect) -> str:
    words = [unspaced(sentence.words[each]) for each in (row.argument, row.functor)]
    mark = f" <{sentence.marks[row]}>" if row in sentence.marks else ""
    numbers = f"{row.argument}", f"{row.functor}", row.category, f"{row.slot}"
    if dialect == "ccgbank":
        return " \t ".join((*numbers, " ".join(words))) + f"{mark}\n"
    return "\t".join((*numbers, *words)) + f"{mark}\n"


def write_parg(path: AnyPath, sentences: Iterable[Dependencies], dialect: Dialect = "tabs") -> None:
    """Writes the dependencies of sentences."""
    write_file(Path(path), (format_dependencies(each, dialect) for each in sentences))


def read_ccgbank(
    path: AnyPath, damaged: Damaged | None = None
) -> Iterator[Derivation | Dependencies]:
    """Reads the sentences of a file, which can be a pipe, as derivations or dependencies.

    `damaged` is called for derivations that cannot be read: see `read_auto`.
    """
    with peeked(path) as (first, file):
        line = first.removeprefix(MARK)
        if line.startswith("ID=") or is_braced(line):
            yield from read_auto(file, damaged=damaged)
        elif not line or line.startswith(("<s id=", "<s>")):
            yield from read_parg(file)
        else:
            raise FormatError(path, 1, "neither AUTO (ID=...) nor PARG (<s id=...)")
