"""Treebank sentences in the form used to train constituency parsers."""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from os import PathLike
from pathlib import Path

from treewright.data import conllu, ptb
from treewright.data.brackets import Bracketed, Phrase, Tagged, fold, tagged_words
from treewright.data.lines import Source, read_lines, source_name
from treewright.data.records import Sentence, Token
from treewright.errors import FormatError
from treewright.grammar.binarise import Binariser
from treewright.grammar.treebank import prepare

MARK = "|"


@dataclass(frozen=True, eq=False, slots=True)
class Item:
    """A tree without traces and function tags, its binarised form, and its words and tags."""

    tree: Bracketed
    binary: Bracketed
    words: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def sentence(self) -> Sentence:
        """The words with their tags."""
        return Sentence.of(self.words, self.tags)

    def __reduce__(self) -> tuple[Callable[[str, str], "Item"], tuple[str, str]]:
        """Other processes receive trees as text: deep trees cannot be pickled."""
        return _from_texts, (ptb.format_tree(self.tree), ptb.format_tree(self.binary))


def _item(tree: Bracketed, binary: Bracketed) -> Item:
    leaves = list(tagged_words(tree))
    words, tags = (tuple(getattr(leaf, name) for leaf in leaves) for name in ("word", "label"))
    return Item(tree, binary, words, tags)


def retagged(item: Item, tags: Sequence[str]) -> Item:
    """The same trees with other POS tags."""

    def with_tags(tree: Bracketed) -> Bracketed:
        left = iter(tags)

        def word(leaf: Tagged) -> Bracketed:
            return Tagged(next(left), leaf.word)

        def node(phrase: Phrase, below: list[Bracketed]) -> Bracketed:
            return Phrase(phrase.label, tuple(below))

        return fold(tree, word, node)

    return _item(with_tags(item.tree), with_tags(item.binary))


def _from_texts(*texts: str) -> Item:
    return _item(*(next(ptb.read(StringIO(text))) for text in texts))


def read_items(path: str | PathLike[str], binariser: Binariser, most_words: int) -> list[Item]:
    """Reads trees of at most `most_words` words from a bracket file; empty ones are skipped."""
    items = []
    for tree in ptb.read(Path(path)):
        bare = prepare(tree)
        if bare is not None and sum(1 for _ in tagged_words(bare)) <= most_words:
            items.append(_item(bare, binariser.binarise(bare)))
    return items


def read_tagged(path: Path, known: Container[str]) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Words and XPOS of the sentences in a CoNLL-U file whose tags are all known."""
    for tree in conllu.read(path, heads="none"):
        tags = [word.xpos for word in tree.words]
        if all(tag in known for tag in tags):
            yield tree.forms, tags


def read_tokens(file: Source, tagged: bool = False) -> Iterator[Sentence]:
    """Reads lines of `word` or `word|TAG` tokens; with `tagged`, each token needs a tag."""
    for number, line in read_lines(file):
        try:
            yield with_given_tags(Sentence.of(line.split(), name=str(number)), tagged)
        except ValueError as error:
            raise FormatError(source_name(file), number, str(error)) from error


def with_given_tags(sentence: Sentence, needed: bool = False) -> Sentence:
    """Splits tokens of the form `word|TAG`; if some have no tag, all are words.

    needed: raise an error if a token has no tag.
    """
    parts = [token.word.rpartition(MARK) for token in sentence.tokens]
    bare = next((i for i, (word, _, tag) in enumerate(parts) if not (word and tag)), None)
    if bare is None:
        return replace(sentence, tokens=tuple(Token(word, tag) for word, _, tag in parts))
    if needed:
        raise ValueError(f"expected word|TAG, not {sentence.tokens[bare].word!r}")
    return sentence
