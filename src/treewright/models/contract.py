"""What every model is to its user: a `Parser`, which gives an `Analysis` of each sentence.

All kinds share these names and their meaning. A kind adds what its formalism has: trees, heads,
tags. `docs/formats.md` describes the JSON objects.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, Self, TypeVar

from treewright.config import from_dict
from treewright.data.text import Text
from treewright.errors import ConfigError
from treewright.storage.bundle import Bundle, read_bundle, write_bundle

NO_FRAMES: Mapping[str, tuple[str, str]] = MappingProxyType({})
S = TypeVar("S")


TextInput = Literal["raw", "sentences", "tokens"]


@dataclass(frozen=True)
class Reading:
    """How files are read: `tagged` tokens are word|POS; `text` says what text comes as."""

    tagged: bool = False
    text: TextInput | None = None

    def text_as(self, kind: str, possible: Sequence[TextInput]) -> TextInput:
        """What text comes as: raw, sentences on lines, or tokens with spaces between them.

        The first that is possible unless another one is asked for.
        """
        wanted = self.text or possible[0]
        if wanted not in possible:
            why = "has no tokeniser" if "raw" not in possible else "cuts text into tokens itself"
            raise ConfigError(f"this model of kind {kind!r} {why}: it cannot take --{wanted}")
        return wanted


PLAIN = Reading()


class Analysis(ABC):
    """The analysis of one sentence; `str()` draws it.

    formats: the names that `format` knows, the default first.
    """

    formats: ClassVar[tuple[str, ...]]

    @property
    @abstractmethod
    def words(self) -> tuple[str, ...]:
        """The words of the sentence."""

    @property
    @abstractmethod
    def score(self) -> float:
        """The model's score: the log weight of the analysis, not normalised; -inf if there is none.

        It means the same whichever decoder chose the analysis, so that scores can be compared.
        """

    @property
    def expected_gain(self) -> float | None:
        """What a minimum-risk decoder maximised to choose this analysis; None for Viterbi."""
        return None

    @property
    @abstractmethod
    def marginals(self) -> Any:
        """Posterior probabilities under the model; each kind says of what."""

    @abstractmethod
    def kbest(self, k: int) -> "list[Self]":
        """At most k different analyses, those of the highest score first."""

    @abstractmethod
    def __str__(self) -> str: ...

    def format(self, name: str, k: int = 1, marginals: bool = False) -> str:
        """Text in one of the formats: the k best analyses; with marginals, in JSON alone."""
        if name not in self.formats:
            raise ConfigError(f"unknown format {name!r}: one of {', '.join(self.formats)}")
        if name == "json":
            return json.dumps(self.to_json(k, marginals), ensure_ascii=False) + "\n"
        if marginals:
            raise ConfigError(f"the format {name!r} has no marginals: use json")
        chosen = self.kbest(k) if k > 1 else [self]
        return "".join(each.written(name, listed=k > 1) for each in chosen)

    def to_json(self, k: int = 1, marginals: bool = False) -> dict[str, object]:
        """The analysis as plain values, ready for JSON."""
        values = self.sentence_values() | self.choice_values()
        values["score"] = self.score if isfinite(self.score) else None
        if self.expected_gain is not None:
            values["expected_gain"] = self.expected_gain
        if k > 1:
            found = ((each.score, each.choice_values()) for each in self.kbest(k))
            values["kbest"] = [{**each, "score": score} for score, each in found if isfinite(score)]
        if marginals:
            values["marginals"] = self.marginal_values()
        return values

    @abstractmethod
    def written(self, name: str, listed: bool) -> str:
        """One analysis in a format other than JSON, with line ends; `listed`: one of several."""

    @abstractmethod
    def sentence_values(self) -> dict[str, object]:
        """What all analyses of the sentence share, `words` among it."""

    @abstractmethod
    def choice_values(self) -> dict[str, object]:
        """What tells this analysis from others of the sentence, but for its score."""

    @abstractmethod
    def marginal_values(self) -> object:
        """The marginals as plain values."""


A_co = TypeVar("A_co", bound=Analysis, covariant=True)


class Parser(ABC, Generic[A_co]):
    """A trained model.

    kind: the name of its kind. formats: what its analyses can be written as, the default first.
    frames: what a file of some formats has before its first analysis and after its last.
    """

    kind: ClassVar[str]
    formats: ClassVar[tuple[str, ...]]
    frames: ClassVar[Mapping[str, tuple[str, str]]] = NO_FRAMES

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> Self:
        """The model of this class in a directory; `treewright.load` finds the class by itself."""
        return cls.from_bundle(read_bundle(directory))

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

    def parse(self, sentence: Text) -> A_co:
        """The analysis of a sentence: text with spaces between tokens, tokens, or a `Sentence`."""
        return next(iter(self.parse_many([sentence])))

    @abstractmethod
    def parse_many(self, sentences: Iterable[Text]) -> Iterator[A_co]:
        """The analyses of sentences, in their order; faster than one by one."""

    @abstractmethod
    def with_settings(self, **changes: Any) -> Self:
        """The same model with other settings of parsing, such as `decoder`."""

    @abstractmethod
    def read(self, source: Path, how: Reading = PLAIN) -> Iterator[Any]:
        """The sentences of a file, which may be a pipe."""


def changed(settings: S, changes: Mapping[str, object], kind: str) -> S:
    """Settings with some of them changed; unknown names and wrong values are errors."""
    where = f"settings of a {kind} model"
    return from_dict(type(settings), {**asdict(settings), **changes}, where)  # type: ignore[call-overload]
