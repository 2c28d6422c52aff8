"""The part-of-speech tagger as a kind of model (kind "pos")."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.data.records import Derivation
from treewright.data.text import read_text
from treewright.models.bundle import Bundle, read_bundle
from treewright.models.kinds import Kind, ParseOptions
from treewright.models.tagger_bundle import tagger_bundle, tagger_from_bundle
from treewright.models.tagger_templates import POS_TEMPLATES
from treewright.models.tagger_training import (
    Optimise,
    TaggedCorpus,
    TaggerSettings,
    train_tagger,
)
from treewright.scores.tagger import Tagger
from treewright.train.run import Run

T = TypeVar("T")
NAME = "pos"
BATCH = 256  # sentences that are tagged at once
POS_SETTINGS = TaggerSettings(templates=POS_TEMPLATES, dictionary_cutoff=10)


@dataclass(frozen=True)
class PosSettings:
    """All settings of a part-of-speech tagger."""

    train: Path = setting(Path("train.auto"), "derivations whose leaves have parts of speech")
    tagger: TaggerSettings = setting(POS_SETTINGS, "features and training")


class PosTagger:
    """A part-of-speech tagger: `tagger.tag(words)`; see `treewright.scores.tagger`."""

    formats = ("text", "json")

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "PosTagger":
        return cls(tagger_from_bundle(NAME, bundle))

    @classmethod
    def load(cls, directory: Path) -> "PosTagger":
        return cls.from_bundle(read_bundle(directory))

    def bundle(self) -> Bundle:
        return tagger_bundle(NAME, self.tagger)

    def tag(self, words: Sequence[str]) -> list[str]:
        """The part of speech of each word."""
        return self.tag_batch([words])[0]

    def tag_batch(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The parts of speech of many sentences, empty ones included."""
        return tag_all(self.tagger, sentences)

    def parse_file(self, source: Path, format: str, options: ParseOptions) -> Iterator[str]:  # noqa: A002
        """One line a sentence: `word|POS ...`, or a JSON object with `words` and `pos`."""
        options.reject(NAME, "k_best", "decoder", "beam", "schedule")
        for sentences in batches(list(sentence.words) for sentence in read_text(source)):
            for words, pos in zip(sentences, self.tag_batch(sentences), strict=True):
                yield _line(words, pos) if format == "text" else _object(words, pos)


def batches(items: Iterable[T]) -> Iterator[list[T]]:
    """Lists of up to BATCH items."""
    rest = iter(items)
    while some := list(islice(rest, BATCH)):
        yield some


def tag_all(
    tagger: Tagger,
    sentences: Sequence[Sequence[str]],
    pos: Sequence[Sequence[str]] | None = None,
) -> list[list[str]]:
    """Tags of all sentences; an empty one has none."""
    filled = [i for i, words in enumerate(sentences) if words]
    chosen = None if pos is None else [pos[i] for i in filled]
    found = tagger.tag_batch([sentences[i] for i in filled], chosen)
    tags: list[list[str]] = [[] for _ in sentences]
    for i, row in zip(filled, found, strict=True):
        tags[i] = row
    return tags


def _line(words: Sequence[str], pos: Sequence[str]) -> str:
    return " ".join(f"{word}|{tag}" for word, tag in zip(words, pos, strict=True)) + "\n"


def _object(words: Sequence[str], pos: Sequence[str]) -> str:
    return json.dumps({"words": list(words), "pos": list(pos)}, ensure_ascii=False) + "\n"


def pos_corpus(derivations: Sequence[Derivation]) -> TaggedCorpus:
    """Words and parts of speech of derivations."""
    leaves = [derivation.leaves for derivation in derivations]
    return TaggedCorpus(
        [[leaf.word for leaf in row] for row in leaves],
        None,
        [[leaf.pos for leaf in row] for row in leaves],
    )


def train_pos(corpus: TaggedCorpus, settings: TaggerSettings, run: Run, name: str) -> Tagger:
    """A part-of-speech tagger; `name` tells its records from others' of the run."""
    return train_tagger(corpus, settings, None, named(run, name), run.threads, run.seed)


def named(run: Run, name: str) -> Optimise:
    """The run's optimiser, its records under this name."""
    return lambda stage, objective, how: run.optimise(f"{name}-{stage}", objective, how)


def _train(settings: PosSettings, run: Run) -> PosTagger:
    corpus = pos_corpus(list(read_auto(settings.train)))
    return PosTagger(train_pos(corpus, settings.tagger, run, NAME))


KIND = Kind(NAME, PosSettings, _train, PosTagger.from_bundle)
