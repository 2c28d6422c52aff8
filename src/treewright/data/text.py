"""Plain text: one sentence per line, tokens separated by spaces, each a word or `word|POS`."""

import re
from collections.abc import Iterator, Sequence

from treewright.data.lines import Source, read_lines, source_name
from treewright.data.records import Sentence, Surface, Token
from treewright.errors import FormatError

# What parsers take: text with spaces between tokens, tokens, or a sentence.
Text = str | Sequence[str] | Sentence


def read_text(path: Source, *, tagged: bool = False) -> Iterator[Sentence]:
    """The sentences of a text file, named by line number; empty lines are empty sentences."""
    for number, line in read_lines(path):
        try:
            yield Sentence(str(number), tuple(parse_tokens(line, tagged=tagged)))
        except ValueError as error:
            raise FormatError(source_name(path), number, str(error)) from error


def parse_tokens(line: str, *, tagged: bool = False) -> Iterator[Token]:
    """The tokens of one line; the part of speech stands after the last `|` of a token."""
    for field in line.split():
        word, _, pos = field.rpartition("|")
        if not tagged:
            yield Token(field)
        elif word and pos:
            yield Token(word, pos)
        else:
            raise ValueError(f"expected word|POS, not {field!r}")


def as_sentence(given: Text) -> Sentence:
    """A sentence of text or tokens; one that has no name is called 1."""
    if isinstance(given, Sentence):
        return given
    if not isinstance(given, str):
        return Sentence.of(given)
    matches = list(re.finditer(r"\S+", given))
    spaces = tuple(match.end() < len(given) for match in matches)
    surface = Surface(" ".join(given.split()), tuple(match.span() for match in matches), spaces)
    return Sentence("1", tuple(Token(match.group()) for match in matches), surface)
