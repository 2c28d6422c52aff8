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
from treewright.text.read import read_blocks
from treewright.text.tokeniser import Tokeniser
from treewright.text.trees import tree_of

SUFFIXES = (".conllu", ".conll", ".conllx")
COMMENT = re.compile(r"#\s*(newdoc|newpar|\S+\s*=)")  # as CoNLL-U has them; text may begin with #


def read_input(
    source: Path, tokeniser: Tokeniser | None = None, by_line: bool = False
) -> Iterator[DependencyTree]:
    """The sentences of a CoNLL-U file, by its suffix or its first line, or of a text.

    Text is raw where there is a tokeniser, or `by_line` one sentence per line; without a tokeniser
    each line has the tokens of a sentence, with spaces between them.
    """
    with peeked(source) as (first, file):
        if source.suffix in SUFFIXES or COMMENT.match(first) or first.count("\t") == 9:
            yield from conllu.read(file, heads="none")
        elif tokeniser is not None:
            for start, block in read_blocks(file, source.is_char_device()):
                yield from map(tree_of, tokeniser.tokenise(block, start, by_line))
        else:
            yield from _read_text(file)


def _read_text(file: TextIO) -> Iterator[DependencyTree]:
    for _, line in read_lines(file):
        forms = [token.word for token in parse_tokens(line)]
        comment = TEXT + " ".join(forms)
        yield DependencyTree(tuple(map(plain_word, forms)), (comment,) if forms else ())
