"""Sentences for a parser, from the text, tokens or treebank in a request."""

from collections.abc import Iterable
from dataclasses import replace
from io import StringIO
from typing import Any, TextIO

from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.data.records import Sentence
from treewright.errors import ConfigError
from treewright.models.contract import Analysis, Parser
from treewright.models.reading import WORDS, unescaped
from treewright.serve.pieces import Content
from treewright.text.tokeniser import numbered

TREEBANKS = {"conllu": "CoNLL-U", "brackets": "bracket", "auto": "AUTO"}


def sentences_of(parser: Parser[Analysis], content: Content) -> list[Any]:
    """The sentences of a piece as input for the parser."""
    if content.kind == "words":
        return [Sentence.of(content.words, content.pos, content.name)]
    if content.kind in TREEBANKS:
        return list(_words_of(parser, TREEBANKS[content.kind], StringIO(content.text)))
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


def _words_of(parser: Parser[Analysis], form: str, file: TextIO) -> Iterable[Any]:
    if form == "CoNLL-U" and form in parser.treebanks:
        return conllu.read(file, heads="none")
    words = WORDS[form](file)
    return words if form in parser.treebanks else map(unescaped, words)
