"""What every model is to its user: a `Parser`, which gives an `Analysis` of each sentence.

All kinds share these names and their meaning. A kind adds what its formalism has: trees, heads,
tags. `docs/formats.md` describes the JSON objects.
"""

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import asdict, replace
from math import exp, isfinite
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, NoReturn, Self, TextIO, TypeVar

from treewright.config import from_dict
from treewright.data.dependency import DependencyTree
from treewright.data.lines import MAX_LINE, Text, as_sentence, read_text
from treewright.data.records import Sentence, Token
from treewright.draw.arcs import Row, draw_arcs
from treewright.draw.svg import Picture, figure, page_frame
from treewright.errors import ConfigError
from treewright.formats.objects import FORMAT, line
from treewright.models.reading import PLAIN, Reading, TextInput, hinted, opened, read_spans
from treewright.storage.bundle import Bundle, made, read_bundle, write_bundle
from treewright.text.read import check_text
from treewright.text.tokeniser import SentenceSpan, Tokeniser
from treewright.text.trees import one_sentence, sentence_of

__all__ = ["FRAMES", "PICTURES", "PLAIN", "Analysis", "Parser", "Reading", "TextInput", "changed"]
PICTURES = ("svg", "html")  # formats of every kind
FRAMES: Mapping[str, tuple[str, str]] = MappingProxyType({"html": page_frame("Parses")})
SHOWN = 60  # characters of a sentence in a warning or a `repr`
S = TypeVar("S")


class Analysis(ABC):
    """The analysis of one sentence; `str()` draws it, and notebooks show it as a picture.

    kind: the name of the kind of model. formats: the names that `format` knows, the default first.
    """

    kind: str
    formats: ClassVar[tuple[str, ...]]

    def __reduce__(self) -> NoReturn:
        raise TypeError("an analysis stays with its model: give other processes its to_json()")

    @property
    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """The words of the sentence."""

    @property
    @abstractmethod
    def score(self) -> float:
        """The model's score: the log weight of the analysis, not normalised; -inf if there is none.

        It means the same whichever decoder chose the analysis, so that scores can be compared; bp
        and dd decode another model, of parser and tagger, and have its scores.
        """

    @property
    def expected_gain(self) -> float | None:
        """What a minimum-risk decoder maximised to choose this analysis; None for Viterbi."""
        return None

    @property
    def log_z(self) -> float | None:
        """The log of the summed weights of all analyses; None for a model without such sums."""
        return None

    @property
    def probability(self) -> float | None:
        """The probability of the analysis under the model, exp(score - log_z), if there is one."""
        return self._share(self.score, self.log_z)

    @property
    def parsed(self) -> bool:
        """Whether this is a full analysis: not fragments, not a fallback, not nothing."""
        return isfinite(self.score)

    @property
    @abstractmethod
    def marginals(self) -> Any:
        """Posterior probabilities under the model; each kind says of what."""

    @abstractmethod
    def kbest(self, k: int) -> "list[Self]":
        """At most k different analyses, those of the highest score first."""

    @abstractmethod
    def __str__(self) -> str: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}({' '.join(self.words)[:SHOWN]!r}, score {self.score:.4f})"

    def format(self, name: str, k: int = 1, marginals: bool = False) -> str:
        """Text in one of the formats: the k best analyses; marginals in JSON and in pictures."""
        if name not in self.formats:
            raise ConfigError(f"unknown format {name!r}: one of {', '.join(self.formats)}")
        if name == "json":
            return line(self.to_json(k, marginals))
        if marginals and name not in PICTURES:
            raise ConfigError(f"the format {name!r} has no marginals: use json, svg or html")
        chosen = self.kbest(k) if k > 1 else [self]
        if name in PICTURES:
            return "".join(each.drawn(name, k > 1, marginals) for each in chosen)
        return "".join(each.written(name, listed=k > 1) for each in chosen)

    def picture(self, marginals: bool = False, width: float | None = None) -> Picture:
        """The drawing, shaded where the model is in doubt, in parts of at most `width` pixels."""
        del marginals
        return draw_arcs(Row(self.words), width)

    def drawn(self, name: str, listed: bool = False, marginals: bool = False) -> str:
        """The drawing as an SVG document on one line, or as a figure of an HTML page."""
        picture = self.picture(marginals)
        if name == "svg":
            return picture.svg().replace("\n", " ") + "\n"
        return figure(picture, " ".join(self.words), f"score {self.score:.4f}" if listed else "")

    def _repr_html_(self) -> str:
        return figure(self.picture(), "", styled=True)

    def _repr_svg_(self) -> str:
        return self.picture().svg()

    def to_json(self, k: int = 1, marginals: bool = False) -> dict[str, object]:
        """The analysis as plain values, ready for JSON; docs/formats.md has the keys."""
        head = {"format": FORMAT, "kind": self.kind}
        return head | self.sentence_values() | self.analysis_values(k, marginals)

    def analysis_values(self, k: int = 1, marginals: bool = False) -> dict[str, object]:
        """The same without the sentence."""
        log_z = self.log_z
        values = {"parsed": self.parsed, **self._scored(self, log_z)}
        values["expected_gain"] = self.expected_gain
        if k > 1:
            listed = (each for each in self.kbest(k) if isfinite(each.score))
            values["kbest"] = [self._scored(each, log_z) for each in listed]
        if marginals:
            values["marginals"] = self.marginal_values()
        return values

    @staticmethod
    def _scored(each: "Analysis", log_z: float | None) -> dict[str, object]:
        score = each.score if isfinite(each.score) else None
        share = Analysis._share(each.score, log_z)
        return {"score": score, "probability": share, **each.choice_values()}

    @staticmethod
    def _share(score: float, log_z: float | None) -> float | None:
        if log_z is None or not isfinite(score) or not isfinite(log_z):
            return None
        return min(1.0, exp(score - log_z))

    @abstractmethod
    def written(self, name: str, listed: bool) -> str:
        """One analysis in a format other than JSON, with line ends; `listed`: one of several."""

    @abstractmethod
    def sentence_values(self) -> dict[str, object]:
        """What all analyses of the sentence share: `formats.objects.sentence_object`."""

    @abstractmethod
    def choice_values(self) -> dict[str, object]:
        """What tells this analysis from others of the sentence, but for its score."""

    @abstractmethod
    def marginal_values(self) -> object:
        """The marginals as plain values, under the name of what they are probabilities of."""


A_co = TypeVar("A_co", bound=Analysis, covariant=True)


class Parser(ABC, Generic[A_co]):
    """A trained model.

    kind: the name of its kind. formats: what its analyses can be written as, the default first.
    treebanks: the formats of treebanks that it takes words from; files of others are refused.
    frames: what a file of some formats has before its first analysis and after its last.
    tokeniser: cuts raw text, where the model has one or was given one.
    max_words: the longest sentence that is parsed; a longer one has an analysis that is not
        `parsed`. Taggers have no limit but that on the length of lines.
    """

    kind: ClassVar[str]
    formats: ClassVar[tuple[str, ...]]
    treebanks: ClassVar[tuple[str, ...]] = ()
    tokeniser: Tokeniser | None = None
    frames: ClassVar[Mapping[str, tuple[str, str]]] = FRAMES
    max_words: int = MAX_LINE

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Self:
        """The model of this class in a directory; `treewright.load` finds the class by itself."""
        return made(cls.from_bundle, read_bundle(directory), directory)

    @classmethod
    @abstractmethod
    def from_bundle(cls, bundle: Bundle) -> Self:
        """The model that `bundle` gave."""

    @abstractmethod
    def bundle(self) -> Bundle:
        """All that `from_bundle` needs to make the same model again."""

    def save(self, directory: str | PathLike[str]) -> None:
        """Writes a model directory, from which `treewright.load` reads the model."""
        write_bundle(self.bundle(), directory)

    def with_tokeniser(self, tokeniser: Tokeniser | None) -> Self:
        """The same model with a tokeniser, so that it takes raw text."""
        other = copy(self)
        other.tokeniser = tokeniser
        return other

    def with_max_words(self, words: int) -> Self:
        """The same model for sentences of up to this number of words."""
        if self.max_words == MAX_LINE:
            raise ConfigError(f"models of kind {self.kind!r} take sentences of any length")
        if words < 1:
            raise ConfigError(f"max_words must be positive, not {words}")
        other = copy(self)
        other.max_words = words
        return other

    def fits(self, sentence: Sentence | DependencyTree) -> bool:
        """Whether a sentence is not longer than `max_words`; a warning names one that is."""
        words = sentence.words if isinstance(sentence, Sentence) else sentence.forms
        if len(words) <= self.max_words:
            return True
        named = f" {sentence.id}" if isinstance(sentence, Sentence) else ""
        begins = " ".join(words[:3])[:SHOWN]
        message = f"sentence{named} ({begins} ...) has {len(words)} words: not parsed, because"
        warnings.warn(f"{message} max_words is {self.max_words}", stacklevel=2)
        return False

    def parse(self, sentence: Text) -> A_co:
        """The analysis of a sentence: text, tokens, or a `Sentence`.

        Text is cut into tokens by the tokeniser, or at blanks where there is none.
        """
        return next(iter(self.parse_many([sentence])))

    @abstractmethod
    def parse_many(self, sentences: Iterable[Text]) -> Iterator[A_co]:
        """The analyses of sentences, in their order; faster than one by one."""

    def parse_text(self, text: str) -> list[A_co]:
        """The analyses of the sentences of a raw text."""
        if self.tokeniser is None:
            message = f"this model of kind {self.kind!r} has no tokeniser, which raw text needs"
            raise ConfigError(f"{message}: give it one by with_tokeniser")
        spans = self.tokeniser.tokenise(check_text(text))
        return list(self.parse_many(self.prepared(each, n) for n, each in enumerate(spans, 1)))

    @abstractmethod
    def with_settings(self, **changes: Any) -> Self:
        """The same model with other settings of parsing, such as `decoder`."""

    def read(self, source: Path, how: Reading = PLAIN) -> Iterator[Any]:
        """The sentences of a file, which may be a pipe: text, or a treebank of the kind's own."""
        text = self.text_input(how)
        with opened(source, how, self.kind, self.treebanks) as (own, file):
            if own:
                yield from self.read_treebank(file, source)
            else:
                yield from self.text_sentences(file, source, text, how)

    def read_treebank(self, file: TextIO, source: Path) -> Iterator[Any]:
        """The sentences of an open file in one of the formats `treebanks`."""
        raise NotImplementedError

    def untagged(self, sentence: Any) -> Any:
        """A sentence that `read` gave, without its tags: the model's own taggers give new ones."""
        return replace(sentence, tokens=tuple(Token(token.word) for token in sentence.tokens))

    def read_tokens(self, file: TextIO, tagged: bool) -> Iterator[Any]:
        """The sentences of a text with one per line, and spaces between tokens."""
        return read_text(file, tagged=tagged)

    def prepared(self, span: SentenceSpan, number: int) -> Any:
        """A sentence of the tokeniser as `parse_many` takes it."""
        return sentence_of(span, str(number))

    def as_sentence(self, given: Text) -> Sentence:
        """A sentence of text, cut by the tokeniser if there is one, or of tokens."""
        if self.tokeniser is None or not isinstance(given, str):
            return as_sentence(given)
        return sentence_of(one_sentence(self.tokeniser, given))

    def text_input(self, how: Reading) -> TextInput:
        """What text in files comes as."""
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
        for number, span in enumerate(spans, start=1):
            yield self.prepared(span, number)


def several(sentences: Iterable[S]) -> Iterable[S]:
    """The sentences themselves; a string, whose letters would be sentences, is an error."""
    if isinstance(sentences, str | bytes):
        raise TypeError("parse_many takes several sentences; for one, call parse")
    return sentences


def changed(settings: S, changes: Mapping[str, object], kind: str) -> S:
    """Settings with some of them changed; unknown names and wrong values are errors."""
    where = f"settings of a {kind} model"
    return from_dict(type(settings), {**asdict(settings), **changes}, where)  # type: ignore[call-overload]
