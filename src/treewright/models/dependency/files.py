"""Files of sentences to parse, CoNLL-U or plain text."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from treewright.data import conllu
from treewright.data.dependency import TEXT, DependencyTree
from treewright.data.lines import peeked, read_lines
from treewright.data.text import parse_tokens
from treewright.models.dependency.analysis import plain_word

SUFFIXES = (".conllu", ".conll", ".conllx")
COMMENT = re.compile(r"#\s*(newdoc|newpar|\S+\s*=)")  # as CoNLL-U has them; text may begin with #


def read_input(source: Path) -> Iterator[DependencyTree]:
    """The sentences of a CoNLL-U file, by its suffix or its first line, or of lines of tokens."""
    with peeked(source) as (first, file):
        if source.suffix in SUFFIXES or COMMENT.match(first) or first.count("\t") == 9:
            yield from conllu.read(file, heads="none")
        else:
            yield from _read_text(file)


def _read_text(file: TextIO) -> Iterator[DependencyTree]:
    for _, line in read_lines(file):
        forms = [token.word for token in parse_tokens(line)]
        comment = TEXT + " ".join(forms)
        yield DependencyTree(tuple(map(plain_word, forms)), (comment,) if forms else ())
