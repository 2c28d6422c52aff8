"""Sentences for a parser, from the text, tokens or treebank in a request."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from io import StringIO
from typing import Any, TextIO

from treewright.data import conllu, ptb
from treewright.data.auto import read_auto
from treewright.data.brackets import tagged_words
from treewright.data.dependency import DependencyTree
from treewright.data.records import Sentence, Token
from treewright.errors import ConfigError
from treewright.models.contract import Analysis, Parser
from treewright.serve.pieces import Content
from treewright.text.tokeniser import numbered


def sentences_of(parser: Parser[Analysis], content: Content) -> list[Any]:
    """The sentences of a piece as input for the parser."""
    if content.kind == "words":
        return [Sentence.of(content.words, content.pos, content.name)]
    if content.kind in TREEBANKS:
        return list(TREEBANKS[content.kind](parser, StringIO(content.text)))
    kind = content.kind or ("raw" if parser.tokeniser else "tokens")
    if kind == "tokens":
        read = parser.read_tokens(StringIO(content.text), False)
        return [_moved(found, content.line) for found in read if size(found)]
    if parser.tokeniser is None:
        raise ConfigError(f"this model has no tokeniser: it takes no {kind} text")
    spans = parser.tokeniser.tokenise(content.text, content.start, kind == "sentences")
    return list(map(parser.prepared, numbered(spans, content.name)))


def _moved(sentence: Any, lines: int) -> Any:
    """A sentence named after its line in the whole text, which has this many lines before it."""
    if not lines:
        return sentence
    name = str(int(sentence.id) + lines)
    if isinstance(sentence, DependencyTree):
        return sentence.named(name)
    return replace(sentence, id=name)


def size(sentence: Any) -> int:
    """The number of words of a parser's input sentence."""
    return len(sentence) if isinstance(sentence, DependencyTree) else len(sentence.tokens)


def _conllu(parser: Parser[Analysis], file: TextIO) -> Iterator[Any]:
    for tree in conllu.read(file, heads="none"):
        yield tree if parser.kind == "dep" else _tagged(tree)


def _tagged(tree: DependencyTree) -> Sentence:
    tags = tuple(word.xpos for word in tree.words)
    return Sentence.of(tree.forms, None if "_" in tags else tags, tree.id or "1")


def _brackets(_: Parser[Analysis], file: TextIO) -> Iterator[Sentence]:
    for number, tree in enumerate(ptb.read(file), start=1):
        leaves = [leaf for leaf in tagged_words(tree) if leaf.label != "-NONE-"]
        yield Sentence(str(number), tuple(Token(leaf.word, leaf.label) for leaf in leaves))


def _auto(_: Parser[Analysis], file: TextIO) -> Iterator[Sentence]:
    return (derivation.sentence for derivation in read_auto(file))


TREEBANKS: dict[str, Callable[[Parser[Analysis], TextIO], Iterator[Any]]] = {
    "conllu": _conllu,
    "brackets": _brackets,
    "auto": _auto,
}
