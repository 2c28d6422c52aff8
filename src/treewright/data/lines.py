"""Lines of text files with common checks, and plain text.

Lines end in LF or CR LF, and a byte order mark at the beginning of a file is ignored. Plain text
has one sentence per line, tokens separated by spaces, each a word or `word|POS`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike, fspath
from pathlib import Path
from typing import TextIO, cast

from treewright.data.records import Sentence, Surface, Token
from treewright.errors import ConfigError, FormatError, TreewrightError

AnyPath = str | PathLike[str]
Source = AnyPath | TextIO
MAX_LINE = 1 << 24  # bytes; longer lines are invalid
MAX_DEPTH = 1000  # depth of a derivation; several times what treebanks need
MARK = "\ufeff"  # the byte order mark
PACKED, UTF_16 = "this is a {} file: unpack it first", "this is UTF-16: convert the file to UTF-8"
NO_TEXT = {
    b"\x1f\x8b": PACKED.format("gzip"),
    b"BZh": PACKED.format("bzip2"),
    b"\xfd7zXZ": PACKED.format("xz"),
    b"\x28\xb5\x2f\xfd": PACKED.format("zstd"),
    b"PK\x03\x04": "this is a zip archive or an office document: extract its text first",
    b"%PDF-": "this is a PDF document: extract its text first",
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
}


def read_lines(source: Source) -> Iterator[tuple[int, str]]:
    """Yields each line of UTF-8 text without its end, numbered from 1.

    An empty file is an error.
    """
    lines = _path_lines(source) if isinstance(source, str | PathLike) else _stream_lines(source)
    number = 0
    for number, line in lines:
        yield number, line
    if not number:
        raise FormatError(source_name(source), 1, "the file is empty")


@contextmanager
def peeked(path: AnyPath) -> Iterator[tuple[str, TextIO]]:
    """The first line that is not blank, and the open file at its start: pipes cannot seek."""
    with Path(path).open(encoding="utf-8", newline="\n") as file:
        lines = [_next_line(file, fspath(path), 1)]
        while lines[-1] and not lines[-1].removeprefix(MARK).strip():
            lines.append(_next_line(file, fspath(path), len(lines) + 1))
        yield lines[-1], cast(TextIO, _Unread(fspath(path), lines, file))


class _Unread:
    """An open file whose first lines were read and put back."""

    def __init__(self, name: str, lines: list[str], file: TextIO) -> None:
        self.name, self._lines, self._file = name, lines[::-1], file

    def readline(self, size: int = -1) -> str:
        return self._lines.pop() if self._lines else self._file.readline(size)


def check_rereadable(*paths: Path) -> None:
    """Raises an error for pipes and devices, which cannot be read more than once."""
    for path in paths:
        if path.exists() and not (path.is_file() or path.is_dir()):
            message = "a pipe or a device, but this is read more than once: give a file"
            raise ConfigError(f"{path}: {message}")


def filled_lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a treebank, as `read_lines` yields them; blank lines alone are an error."""
    filled = False
    for number, line in read_lines(source):
        filled = filled or bool(line.strip())
        yield number, line
    if not filled:
        raise FormatError(source_name(source), 1, "the file has no sentences")


def source_name(source: Source) -> str:
    """The name of a file in errors: its path, or the name of an open file if it has one."""
    if isinstance(source, str | PathLike):
        return fspath(source)
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else "<text>"


def shown(text: str) -> str:
    """A piece of text in errors: quoted, and shortened if it is long."""
    return repr(text if len(text) <= 40 else text[:40] + "...")


def unspaced(word: str) -> str:
    """A word for formats that split at spaces: spaces are replaced by no-break spaces.

    An empty word or one with a line end is a ValueError, because no reader could read it back.
    """
    if not word or "\n" in word or "\0" in word:
        raise ValueError(f"a word is empty or has a line end: {shown(word)}")
    return word.replace(" ", "\u00a0")


def _path_lines(path: AnyPath) -> Iterator[tuple[int, str]]:
    with Path(path).open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE + 1):
            number += 1
            yield number, _decode(path, number, line)


def _stream_lines(file: TextIO) -> Iterator[tuple[int, str]]:
    name, number = source_name(file), 0
    while line := _next_line(file, name, number + 1):
        number += 1
        _check(name, number, len(line), "\0" in line)
        yield number, _bare(line, number)


def _next_line(file: TextIO, name: str, number: int) -> str:
    try:
        return file.readline(MAX_LINE + 1)
    except UnicodeDecodeError as error:
        raise undecodable(name, number, error) from error


def undecodable(name: str, number: int, error: UnicodeDecodeError) -> FormatError:
    """The error of an open file at a line: files are decoded ahead, in blocks."""
    if other := number == 1 and no_text(error.object):
        return FormatError(name, number, other)
    where = f"not {error.encoding.upper()} here or a little further on"
    return FormatError(name, number, f"{where}: {error.reason}; convert the file to UTF-8")


def no_text(start: bytes) -> str:
    """What a file is that starts like this, if it is known and not UTF-8; otherwise empty."""
    return next((what for magic, what in NO_TEXT.items() if start.startswith(magic)), "")


def _decode(path: AnyPath, number: int, line: bytes) -> str:
    try:
        _check(path, number, len(line), b"\0" in line)
        return _bare(line.decode(), number)
    except (FormatError, UnicodeDecodeError) as error:
        if other := number == 1 and no_text(line):
            raise FormatError(path, number, other) from error
        if isinstance(error, FormatError):
            raise
        message = f"not UTF-8 at byte {error.start + 1} of the line: {error.reason}"
        raise FormatError(path, number, message) from error


def _bare(line: str, number: int) -> str:
    text = line.removesuffix("\n").removesuffix("\r")
    return text.removeprefix(MARK) if number == 1 else text


def _check(path: AnyPath, number: int, size: int, has_nul: bool) -> None:
    if size > MAX_LINE:
        raise FormatError(path, number, f"the line is longer than {MAX_LINE} bytes")
    if has_nul:
        raise FormatError(path, number, "NUL byte: is this a text file?")


# Input of parsers: text with spaces between tokens, tokens, or a sentence.
Text = str | Sequence[str] | Sentence


def read_text(path: Source, *, tagged: bool = False) -> Iterator[Sentence]:
    """Reads the sentences of a text file, named by line number; empty lines are empty sentences."""
    for number, line in read_lines(path):
        try:
            yield Sentence(str(number), tuple(parse_tokens(line, tagged=tagged)))
        except ValueError as error:
            raise FormatError(source_name(path), number, str(error)) from error


def parse_tokens(line: str, *, tagged: bool = False) -> Iterator[Token]:
    """Splits a line into tokens; the POS tag follows the last `|` of a token."""
    for field in line.split():
        word, _, pos = field.rpartition("|")
        if not tagged:
            yield Token(field)
        elif word and pos:
            yield Token(word, pos)
        else:
            raise ValueError(f"expected word|POS, not {field!r}")


def check_text(text: str, what: str = "the text") -> str:
    """Returns the text; one that UTF-8 cannot represent, or with a NUL, is an error."""
    if not isinstance(text, str):
        raise TypeError(f"a text is a str, not {type(text).__name__}: {text!r:.60}")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise TreewrightError(f"{what} has a lone surrogate at character {error.start}") from error
    if "\0" in text:
        raise TreewrightError(f"{what} has a NUL at character {text.index(chr(0))}")
    return text


def _words(given: object) -> list[str]:
    """Checks the words of a list: they must be valid in files."""
    if isinstance(given, bytes | bytearray) or not isinstance(given, Iterable):
        shown = f"{type(given).__name__}: {given!r:.60}"
        raise TypeError(f"a sentence is a str or a list of words, not {shown}")
    words: list[str] = []
    for number, word in enumerate(given, start=1):
        if not isinstance(word, str):
            shown = f"{type(word).__name__}: {word!r:.60}"
            raise TypeError(f"word {number} of a sentence is a str, not {shown}")
        if not word or any(mark in word for mark in "\t\n\r"):
            what = "has a tab or a line end" if word else "is empty"
            raise TreewrightError(f"word {number} of a sentence {what}: {word!r:.60}")
        words.append(check_text(word, f"word {number} of a sentence"))
    return words


def as_sentence(given: Text) -> Sentence:
    """A sentence from text or tokens; a sentence without a name is called 1."""
    if isinstance(given, Sentence):
        return given
    if not isinstance(given, str):
        return Sentence.of(_words(given))
    matches = list(re.finditer(r"\S+", check_text(given)))
    spaces = tuple(match.end() < len(given) for match in matches)
    surface = Surface(" ".join(given.split()), tuple(match.span() for match in matches), spaces)
    return Sentence("1", tuple(Token(match.group()) for match in matches), surface)
