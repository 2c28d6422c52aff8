"""The interface of all models: a `Parser` computes an `Analysis` of each sentence.

All kinds share these methods.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import asdict, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NoReturn, Self, TextIO, TypeVar

from treewright.config import from_dict
from treewright.data.dependency import DependencyTree
from treewright.data.lines import MAX_LINE, Text, as_sentence, check_text, read_text
from treewright.data.records import Sentence, Token
from treewright.draw.svg import page_frame
from treewright.errors import ConfigError
from treewright.models.analysis import PICTURES, Analysis
from treewright.models.reading import (
    PLAIN,
    WORDS,
    Reading,
    TextInput,
    hinted,
    opened,
    read_spans,
    unescaped,
)
from treewright.storage.bundle import Bundle, made, read_bundle, write_bundle
from treewright.text.tokeniser import SentenceSpan, Tokeniser, numbered
from treewright.text.trees import one_sentence, sentence_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["FRAMES", "PICTURES", "PLAIN", "Analysis", "Parser", "Reading", "TextInput", "changed"]
FRAMES: Mapping[str, tuple[str, str]] = MappingProxyType({"html": page_frame("Parses")})
SHOWN = 60  # characters of a sentence in a warning
S = TypeVar("S")
D = TypeVar("D", bound="DataclassInstance")

A_co = TypeVar("A_co", bound=Analysis, covariant=True)


class Parser(ABC, Generic[A_co]):
    """A trained model.

    kind: the kind of model. formats: output formats, the default first.
    treebanks: the treebank formats of its formalism. A parser that has one takes words and tags
        from the others, too; one that has none only reads text.
    frames: headers and footers of output files, by format.
    tokeniser: the tokeniser for raw text, if there is one.
    max_words: the maximum sentence length; longer sentences have an analysis that is not
        `parsed`. Taggers only limit the length of lines.
    """

    kind: ClassVar[str]
    formats: ClassVar[tuple[str, ...]]
    treebanks: ClassVar[tuple[str, ...]] = ()
    tokeniser: Tokeniser | None = None
    frames: ClassVar[Mapping[str, tuple[str, str]]] = FRAMES
    max_words: int = MAX_LINE

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self, _: object) -> Self:
        return self.__copy__()  # what models have in common never changes

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "a model is not pickled: give other processes its name or directory, or use"
            " treewright.Pipeline(...).pipe(texts, jobs=2)"
        )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of kind {self.kind!r}>"

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Self:
        """Loads a model of this class; `treewright.load` finds the class itself."""
        return made(cls.from_bundle, read_bundle(directory), directory)

    @classmethod
    @abstractmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        """Creates the model from a bundle."""

    @abstractmethod
    def bundle(self) -> Bundle:
        """The contents of the model, for `from_bundle`."""

    def save(self, directory: str | PathLike[str]) -> None:
        """Writes a model directory for `treewright.load`."""
        write_bundle(self.bundle(), directory)

    def with_tokeniser(self, tokeniser: Tokeniser | None) -> Self:
        """The same model with a tokeniser for raw text."""
        other = copy(self)
        other.tokeniser = tokeniser
        return other

    def with_max_words(self, words: int) -> Self:
        """The same model with another maximum sentence length."""
        if self.max_words == MAX_LINE:
            raise ConfigError(f"models of kind {self.kind!r} have no limit on sentence length")
        if words < 1:
            raise ConfigError(f"max_words must be positive, not {words}")
        other = copy(self)
        other.max_words = words
        return other

    def fits(self, sentence: Sentence | DependencyTree) -> bool:
        """Whether a sentence has at most `max_words` words; warns if it is longer."""
        words = sentence.words if isinstance(sentence, Sentence) else sentence.forms
        if len(words) <= self.max_words:
            return True
        named = f" {sentence.id}" if sentence.id else ""
        begins = " ".join(words[:3])[:SHOWN]
        message = f"sentence{named} ({begins} ...) has {len(words)} words and was not parsed:"
        warnings.warn(f"{message} max_words is {self.max_words}", stacklevel=2)
        return False

    def parse(self, sentence: Text) -> A_co:
        """The analysis of a sentence: text, tokens, or a `Sentence`.

        Text is tokenised by the tokeniser, or at whitespace if there is none.
        """
        return next(iter(self.parse_many([sentence])))

    @abstractmethod
    def parse_many(self, sentences: Iterable[Text]) -> Iterator[A_co]:
        """Yields the analyses of sentences in order; faster than one call each."""

    def parse_text(self, text: str) -> list[A_co]:
        """The analyses of the sentences of a raw text."""
        if self.tokeniser is None:
            message = f"this model of kind {self.kind!r} has no tokeniser, which raw text needs"
            raise ConfigError(f"{message}: add one with with_tokeniser")
        spans = self.tokeniser.tokenise(check_text(text))
        return list(self.parse_many(map(self.prepared, numbered(spans))))

    @abstractmethod
    def with_settings(self, **changes: Any) -> Self:
        """The same model with other parsing settings, such as `decoder`."""

    def read(self, source: Path, how: Reading = PLAIN) -> Iterator[Any]:
        """Reads the sentences of a file or pipe: text or a treebank."""
        text = self.text_input(how)
        known = tuple(WORDS) if self.treebanks else ()
        with opened(source, how, self.kind, known) as (form, file):
            if form in self.treebanks:
                yield from self.read_treebank(file, source)
            elif form:
                yield from map(self.from_words, map(unescaped, WORDS[form](file)))
            else:
                yield from self.text_sentences(file, source, text, how)

    def read_treebank(self, file: TextIO, source: Path) -> Iterator[Any]:
        """Reads sentences from an open file in a format of the parser's own formalism."""
        raise NotImplementedError

    def from_words(self, sentence: Sentence) -> Any:
        """Words and tags of another formalism's treebank as input for `parse_many`."""
        return sentence

    def untagged(self, sentence: Any) -> Any:
        """A sentence without its tags, so that the model's taggers predict them."""
        return replace(sentence, tokens=tuple(Token(token.word) for token in sentence.tokens))

    def read_tokens(self, file: TextIO, tagged: bool) -> Iterator[Any]:
        """Reads text with one sentence per line and spaces between tokens."""
        return read_text(file, tagged=tagged)

    def prepared(self, span: SentenceSpan) -> Any:
        """A sentence from the tokeniser as input for `parse_many`."""
        return sentence_of(span)

    def as_sentence(self, given: Text) -> Sentence:
        """A sentence from text, tokenised if there is a tokeniser, or from tokens."""
        if self.tokeniser is None or not isinstance(given, str):
            return as_sentence(given)
        return sentence_of(one_sentence(self.tokeniser, given))

    def text_input(self, how: Reading) -> TextInput:
        """The type of text in files."""
        cut: tuple[TextInput, ...] = ("raw", "sentences", "tokens")
        return how.text_as(self.kind, cut if self.tokeniser else ("tokens",))

    def text_sentences(
        self, file: TextIO, source: Path, text: TextInput, how: Reading
    ) -> Iterator[Any]:
        """The sentences of an open text."""
        if text == "tokens" or self.tokeniser is None:
            sentences = self.read_tokens(file, how.tagged)
            yield from sentences if how.text or how.tagged else hinted(sentences)
            return
        spans = read_spans(file, source, self.tokeniser, text == "sentences")
        yield from map(self.prepared, spans)


def several(sentences: Iterable[S]) -> Iterable[S]:
    """The sentences themselves; a string, whose letters would be sentences, is an error."""
    if isinstance(sentences, str | bytes):
        raise TypeError("parse_many takes several sentences; for one, call parse")
    return sentences


def changed(settings: D, changes: Mapping[str, object], kind: str) -> D:
    """Settings with changes; unknown names and invalid values are errors."""
    where = f"settings of a {kind} model"
    return from_dict(type(settings), {**asdict(settings), **changes}, where)
