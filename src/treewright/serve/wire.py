"""Requests and answers of version 1 of the wire format, as described by OpenAPI.

Analyses are the objects of `treewright parse --format json` (docs/formats.md).
"""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self
from uuid import uuid4

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from treewright.serve.pieces import Content, Task

VERSION = 1
BLOCK = 2000  # length of a text, in characters, above which a blank line ends a piece
NAME = 200  # length of names: models, formats, settings


def plain(text: str) -> str:
    """Text without characters that files cannot contain: NUL and lone surrogates."""
    if "\0" in text:
        raise ValueError("text must not have NUL characters")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("text must not have lone surrogates") from None
    return text


def word(text: str) -> str:
    """A token: not empty, without spaces at its ends."""
    if not text.strip() or text != text.strip() or len(text.splitlines()) > 1:
        raise ValueError("a word must not be empty, or start or end with whitespace")
    return plain(text)


PlainText = Annotated[str, AfterValidator(plain)]
Name = Annotated[str, AfterValidator(plain), Field(min_length=1, max_length=NAME)]
Word = Annotated[str, AfterValidator(word)]


class Wire(BaseModel):
    """An object of the wire format; unknown names are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Tokenised(Wire):
    """A tokenised sentence; `pos`: its POS tags, if known."""

    words: list[Word] = Field(min_length=1)
    pos: list[Word] | None = None
    id: Name = "1"

    @model_validator(mode="after")
    def _as_many(self) -> Self:
        if self.pos is not None and len(self.pos) != len(self.words):
            raise ValueError("words and pos differ in number")
        return self


class Treebank(Wire):
    """Sentences in a treebank format; only their words and tags are used."""

    format: Literal["conllu", "brackets", "auto"]
    content: PlainText = Field(min_length=1)


class How(Wire):
    """Settings of parsing; missing ones are those of the model."""

    model: Name | None = Field(default=None, description="Name of a model; default: the first one.")
    decoder: Name | None = Field(
        default=None, description="viterbi, min-risk, ...: as `parse --decoder`."
    )
    beam: Name | None = Field(default=None, description="As `parse --beam`.")
    schedule: Name | None = Field(default=None, description="ccg: as `parse --schedule`.")

    def task(self, default: str, **more: Any) -> Task:
        given = ((name, getattr(self, name)) for name in ("decoder", "beam", "schedule"))
        settings = tuple((name, value) for name, value in given if value is not None)
        return Task(self.model or default, settings, **more)


class Source(Wire):
    """What to parse: exactly one of text, sentences and treebank."""

    text: PlainText | None = Field(default=None, description="Text as one string.")
    input: Literal["raw", "sentences", "tokens"] | None = Field(
        default=None,
        description="Type of `text`: raw; sentences, one untokenised sentence per line; or tokens, "
        "separated by spaces, one sentence per line. Default: raw for models with a tokeniser.",
    )
    sentences: list[Tokenised] | None = Field(default=None, description="Tokenised sentences.")
    treebank: Treebank | None = Field(default=None, description="Sentences in a treebank format.")

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [each for each in (self.text, self.sentences, self.treebank) if each is not None]
        if len(given) != 1:
            raise ValueError("give exactly one of text, sentences and treebank")
        return self

    def contents(self) -> Iterator[Content]:
        """The pieces of work."""
        if self.text is not None:
            yield from _blocks(self.text, self.input)
        elif self.treebank is not None:
            yield Content(self.treebank.format, self.treebank.content)
        for each in self.sentences or ():
            pos = tuple(each.pos) if each.pos else None
            yield Content("words", words=tuple(each.words), pos=pos, name=each.id)


class ParseRequest(How, Source):
    """A text or sentences, and settings of parsing."""

    formats: list[Name] = Field(
        default=[], max_length=8, description="Output formats in addition to JSON."
    )
    k_best: int = Field(default=1, ge=1, description="Number of analyses per sentence.")
    marginals: bool = Field(default=False, description="Add marginal probabilities.")

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": "The cat sat on the mat. It slept."},
                {"text": "the cat sat on the mat", "input": "tokens", "k_best": 3},
                {"sentences": [{"words": ["It", "slept", "."]}], "formats": ["drawing"]},
            ]
        }
    )


class CompareRequest(Source):
    """One or several sentences, and two ways to parse them."""

    a: How = How()
    b: How = How()

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"text": "It slept .", "input": "tokens", "b": {"decoder": "viterbi"}},
            ]
        }
    )


class ModelInfo(BaseModel):
    """A served model; `text`: the types of text that requests can have."""

    name: str
    kind: str
    formats: list[str]
    text: list[str]


class ModelList(BaseModel):
    """The models, the default first."""

    models: list[ModelInfo]


class ParseResponse(BaseModel):
    """The analyses, in the order of the sentences."""

    version: int
    model: str
    sentences: list[dict[str, Any]]


class Comparison(BaseModel):
    """One sentence parsed in two ways.

    only_a, only_b: the items (arcs, dependencies, constituents, tags) that only one of them has.
    For a sentence of a treebank, gold is its analysis and scores are those of a and b: n items
    correct, d produced, c due, precision, recall, f1, loss.
    """

    a: dict[str, Any]
    b: dict[str, Any]
    same: bool
    shared: int
    only_a: list[Any]
    only_b: list[Any]
    gold: dict[str, Any] | None = None
    scores: dict[str, dict[str, float]] | None = None


class CompareResponse(BaseModel):
    """The comparisons, in the order of the sentences."""

    version: int
    sentences: list[Comparison]


class ProblemReport(BaseModel):
    """A problem report (RFC 9457)."""

    type: str
    title: str
    status: int
    code: str
    detail: str


class Health(BaseModel):
    """The state of the server."""

    status: str


def _blocks(text: str, kind: str | None) -> Iterator[Content]:
    """Parts of a text that end with a blank line, which also ends a sentence."""
    start = size = number = 0
    name, later = "", f"{uuid4().hex}-"
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        lines.append(line)
        size += len(line)
        if size >= BLOCK and not line.strip():
            yield Content(kind, block := "".join(lines), start=start, line=number, name=name)
            start, size, lines = start + size, 0, []
            number, name = number + block.count("\n"), later
    if lines:
        yield Content(kind, "".join(lines), start=start, line=number, name=name)


def numbered(line: bytes, content: Content, before: int) -> bytes:
    """An analysis with the sentence's number in the whole text instead of in its part."""
    if content.kind == "words" or not content.name:
        return line
    own = re.compile(re.escape(content.name.encode()) + rb"(\d+)")
    return own.sub(lambda found: b"%d" % (before + int(found[1])), line)
