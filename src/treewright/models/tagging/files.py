"""Text in, tagged text out: what `treewright tag` and `parse` do with a tagger of either kind."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Protocol, TypeVar, cast

from treewright.arrays import Indices
from treewright.data.records import Sentence
from treewright.data.text import read_text
from treewright.errors import ConfigError
from treewright.models.kinds import load
from treewright.scores.tagging.encoder import Words
from treewright.scores.tagging.tagger import Tagger

T = TypeVar("T")
LAYOUTS: tuple[str, ...] = ("text", "json")
BATCH = 256  # sentences that are tagged at once


@dataclass(frozen=True)
class TagOptions:
    """How to tag a file: with `beta`, several tags a word; `tagged` input is word|POS."""

    layout: str = "text"
    tagged: bool = False
    beta: float | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise ConfigError(f"unknown format {self.layout!r}: one of {', '.join(LAYOUTS)}")
        if self.beta is not None and not 0 < self.beta <= 1:
            raise ConfigError(f"beta must be above 0 and at most 1, not {self.beta}")


class TaggerModel(Protocol):
    """A tagger of either kind; `pos` tags parts of speech first, where the tagger needs them."""

    tagger: Tagger
    pos: Tagger | None

    @property
    def printed(self) -> tuple[Sequence[str], Indices]:
        """What may be printed, and which of it is printed for each tag number."""


def as_words(given: str | Words) -> Words:
    """Words, or a text with spaces between them, as words."""
    return given.split() if isinstance(given, str) else given


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """Lists of up to BATCH items."""
    rest = iter(items)
    while some := list(islice(rest, BATCH)):
        yield some


def tag_all(
    tagger: Tagger, sentences: Sequence[Words], pos: Sequence[Words] | None = None
) -> list[list[str]]:
    """Tags of all sentences; an empty one has none."""
    filled = [i for i, words in enumerate(sentences) if words]
    chosen = None if pos is None else [pos[i] for i in filled]
    found = tagger.tag_batch([sentences[i] for i in filled], chosen)
    tags: list[list[str]] = [[] for _ in sentences]
    for i, row in zip(filled, found, strict=True):
        tags[i] = row
    return tags


def tag_file(model: TaggerModel, source: Path, options: TagOptions) -> Iterator[str]:
    """One line for every line of the file."""
    if options.tagged and model.pos is None:
        raise ConfigError("a part-of-speech tagger reads words alone, not word|POS")
    return tagged_lines(model, read_text(source, tagged=options.tagged), options)


def tagged_lines(
    model: TaggerModel, sentences: Iterable[Sentence], options: TagOptions
) -> Iterator[str]:
    """One line for every sentence."""
    write = _text if options.layout == "text" else _json
    for words, pos, row in _tagged(model, sentences, options):
        yield write(words, pos, row, options.beta is not None)


Weighed = list[tuple[str, float]]  # names with probabilities, the best first


def _tagged(
    model: TaggerModel, sentences: Iterable[Sentence], options: TagOptions
) -> Iterator[tuple[list[str], list[str] | None, list[Weighed]]]:
    for sentence in sentences:
        words = list(sentence.words)
        pos = None
        if model.pos is not None:
            given = [token.pos or "" for token in sentence.tokens]
            pos = given if options.tagged else (model.pos.tag(words) if words else [])
        yield words, pos, _weighed(model, words, pos, options) if words else []


def _weighed(
    model: TaggerModel, words: Words, pos: Words | None, options: TagOptions
) -> list[Weighed]:
    """Names of each word's tags, the best first; tags that print alike count as one."""
    names, group = model.printed
    found = model.tagger.posteriors(words, pos, options.k).merged(group)
    kept = found.above(1.0 if options.beta is None else options.beta)
    pairs = list(zip(kept.tag.tolist(), kept.probability.tolist(), strict=True))
    rows = ([(names[tag], p) for tag, p in pairs[a:b]] for a, b in pairwise(kept.first.tolist()))
    return [sorted(row, key=lambda item: -item[1]) for row in rows]


def _text(words: Words, pos: Words | None, rows: Sequence[Weighed], several: bool) -> str:
    tokens = []
    for i, (word, row) in enumerate(zip(words, rows, strict=True)):
        names = [f"{name}={p:.4g}" for name, p in row] if several else [row[0][0]]
        tokens.append("|".join([word, *([pos[i]] if pos is not None else []), *names]))
    return " ".join(tokens) + "\n"


def _json(words: Words, pos: Words | None, rows: Sequence[Weighed], several: bool) -> str:
    content: dict[str, object] = {"words": words}
    if pos is not None:
        content["pos"] = pos
    content["tags"] = [dict(row) if several else row[0][0] for row in rows]
    return json.dumps(content, ensure_ascii=False) + "\n"


def load_tagger(directory: Path) -> TaggerModel:
    """The tagger in a model directory."""
    model = load(directory)
    if not isinstance(getattr(model, "tagger", None), Tagger):
        raise ConfigError(f"{directory}: not a tagger")
    return cast(TaggerModel, model)
