"""Treebank sentences as the constituency parser trains on them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from treewright.data import ptb
from treewright.data.brackets import Bracketed, fold, tagged_words, unescape
from treewright.data.lines import peeked, read_lines
from treewright.errors import FormatError
from treewright.grammar.binarise import Binariser
from treewright.grammar.treebank import prepare

MARK = "|"
Words = tuple[list[str], list[str] | None]  # of a sentence, and their tags if they have some
# A tree begins with a label or a second bracket; a word `(` of a text has a space after it.
LOOKS_BRACKETED = re.compile(r"\s*\(\s*(?:\(|$)|\s*\([^\s()]")


@dataclass(frozen=True, eq=False, slots=True)
class Item:
    """A tree without traces and function tags, the same binarised, and its words and tags."""

    tree: Bracketed
    binary: Bracketed
    words: tuple[str, ...]
    tags: tuple[str, ...]


def read_items(path: str | PathLike[str], binariser: Binariser, most_words: int) -> list[Item]:
    """The sentences of a bracket file that are not too long and have words at all."""
    found = []
    for tree in ptb.read(Path(path)):
        bare = prepare(tree)
        leaves = [] if bare is None else list(tagged_words(bare))
        if bare is not None and len(leaves) <= most_words:
            words = tuple(leaf.word for leaf in leaves)
            tags = tuple(leaf.label for leaf in leaves)
            found.append(Item(bare, binariser.binarise(bare), words, tags))
    return found


def read_input(path: Path) -> Iterator[Words]:
    """Words, and tags if given, of a bracket file or of lines of `word` or `word|TAG`."""
    with peeked(path) as (first, file):
        if LOOKS_BRACKETED.match(first):
            for tree in ptb.read(file):
                leaves = [leaf for leaf in tagged_words(tree) if leaf.label != "-NONE-"]
                yield [leaf.word for leaf in leaves], [leaf.label for leaf in leaves]
            return
        for number, line in read_lines(file):
            try:
                yield split_tags(line.split())
            except ValueError as error:
                raise FormatError(path, number, str(error)) from error


def split_tags(tokens: Sequence[str]) -> Words:
    """Words and tags of tokens `word|TAG`, all of them or none."""
    parts = [token.rpartition(MARK) for token in tokens]
    tagged = [bool(word and tag) for word, _, tag in parts]
    if not any(tagged):
        return list(tokens), None
    if not all(tagged):
        raise ValueError(f"the word {tokens[tagged.index(False)]!r} has no tag, but others have")
    return [word for word, _, _ in parts], [tag for _, _, tag in parts]


def to_nltk(tree: Bracketed) -> Any:
    """The tree as nltk.Tree, words unescaped; needs the package nltk."""
    from nltk import Tree

    return fold(
        tree,
        lambda leaf: Tree(leaf.label, [unescape(leaf.word)]),
        lambda phrase, below: Tree(phrase.label, below),
    )
