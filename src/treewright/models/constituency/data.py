"""Treebank sentences as the constituency parser trains on them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any

from treewright.data import ptb
from treewright.data.brackets import Bracketed, fold, tagged_words, unescape
from treewright.data.lines import peeked, read_lines
from treewright.data.records import Sentence, Token
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

    @property
    def sentence(self) -> Sentence:
        """The words with their tags."""
        return Sentence.of(self.words, self.tags)

    def __reduce__(self) -> tuple[Callable[[str, str], "Item"], tuple[str, str]]:
        """Between processes trees travel as text: they may be too deep to be pickled."""
        return _from_texts, (ptb.format_tree(self.tree), ptb.format_tree(self.binary))


def _item(tree: Bracketed, binary: Bracketed) -> Item:
    leaves = list(tagged_words(tree))
    words, tags = (tuple(getattr(leaf, name) for leaf in leaves) for name in ("word", "label"))
    return Item(tree, binary, words, tags)


def _from_texts(*texts: str) -> Item:
    return _item(*(next(ptb.read(StringIO(text))) for text in texts))


def read_items(path: str | PathLike[str], binariser: Binariser, most_words: int) -> list[Item]:
    """The sentences of a bracket file that are not too long and have words at all."""
    found = []
    for tree in ptb.read(Path(path)):
        bare = prepare(tree)
        if bare is not None and sum(1 for _ in tagged_words(bare)) <= most_words:
            found.append(_item(bare, binariser.binarise(bare)))
    return found


def read_input(path: Path, tagged: bool = False) -> Iterator[Sentence]:
    """Words, and tags if given, of a bracket file or of lines of `word` or `word|TAG`.

    tagged: tags must be given.
    """
    with peeked(path) as (first, file):
        if LOOKS_BRACKETED.match(first):
            for number, tree in enumerate(ptb.read(file), start=1):
                leaves = [leaf for leaf in tagged_words(tree) if leaf.label != "-NONE-"]
                pairs = [Token(leaf.word, leaf.label) for leaf in leaves]
                yield Sentence(str(number), tuple(pairs))
            return
        for number, line in read_lines(file):
            try:
                words, tags = split_tags(line.split())
                if tagged and words and tags is None:
                    raise ValueError(f"expected word|TAG, not {words[0]!r}")
                yield Sentence.of(words, tags, str(number))
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
