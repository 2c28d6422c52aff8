"""The part-of-speech tagger as a kind of model (kind "pos")."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path

import numpy as np

from treewright.arrays import Indices
from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.data.records import Derivation, Sentence
from treewright.data.text import read_text
from treewright.machine import trim_heap
from treewright.models.kinds import NO_FRAMES, Kind, ParseOptions
from treewright.models.tagging.files import LAYOUTS, TagOptions, as_words, tag_all, tagged_lines
from treewright.models.tagging.model import tagger_bundle, tagger_from_bundle
from treewright.models.tagging.settings import PosTaggerSettings, TaggerSettings
from treewright.models.tagging.training import TaggedCorpus, train_tagger
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle, read_bundle
from treewright.train.run import Run

NAME = "pos"


@dataclass(frozen=True)
class PosSettings:
    """All settings of a part-of-speech tagger."""

    train: Path = setting(Path("train.auto"), "derivations whose leaves have parts of speech")
    dev: Path | None = setting(None, "the same to score on while training")
    tagger: PosTaggerSettings = setting(PosTaggerSettings(), "features and training")

    def __post_init__(self) -> None:
        self.tagger.chain.check_dev(self.dev)


class PosTagger:
    """A part-of-speech tagger: `model.tag(words)`; see `treewright.scores.tagging.tagger`."""

    formats = LAYOUTS
    frames = NO_FRAMES

    def __init__(self, tagger: Tagger) -> None:
        self.tagger = tagger
        self.pos: Tagger | None = None

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "PosTagger":
        return cls(tagger_from_bundle(NAME, bundle))

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> "PosTagger":
        return cls.from_bundle(read_bundle(directory))

    def bundle(self) -> Bundle:
        return tagger_bundle(NAME, self.tagger)

    @cached_property
    def printed(self) -> tuple[Sequence[str], Indices]:
        return self.tagger.tags, np.arange(len(self.tagger.tags), dtype=np.int32)

    def tag(self, words: str | Sequence[str]) -> list[str]:
        """The part of speech of each word, of a text with spaces between them too."""
        return self.tag_batch([as_words(words)])[0]

    def tag_batch(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The parts of speech of many sentences, empty ones included."""
        return tag_all(self.tagger, sentences)

    def read(self, source: Path, options: ParseOptions) -> Iterator[Sentence]:
        """Text, one sentence a line."""
        options.reject(NAME, "k_best", "decoder", "beam", "schedule", "tagged")
        return read_text(source, tagged=options.tagged)

    def blocks(
        self, sentences: Iterable[Sentence], form: str, options: ParseOptions
    ) -> Iterator[str]:
        """One line a sentence: `word|POS ...`, or a JSON object with `words` and `tags`."""
        return tagged_lines(self, sentences, TagOptions(form, options.tagged))


def pos_corpus(derivations: Sequence[Derivation]) -> TaggedCorpus:
    """Words and parts of speech of derivations."""
    leaves = [derivation.leaves for derivation in derivations]
    return TaggedCorpus(
        [[leaf.word for leaf in row] for row in leaves],
        None,
        [[leaf.pos for leaf in row] for row in leaves],
    )


def train_in_run(
    corpus: TaggedCorpus,
    settings: TaggerSettings,
    run: Run,
    name: str,
    dev: TaggedCorpus | None = None,
) -> Tagger:
    """A tagger of either kind; `name` tells its records from those of others in the run."""
    with run.progress(f"{name}-local", settings.local_passes) as bar:

        def on_pass(number: int, value: float) -> None:
            run.record(optimise=f"{name}-local", iteration=number, objective=value)
            bar.advance(1, objective=value)

        tagger = train_tagger(corpus, settings, run, f"{name}-chain", run.seed, on_pass, dev)
    trim_heap()
    return tagger


def _train(settings: PosSettings, run: Run) -> PosTagger:
    corpus = pos_corpus(list(read_auto(settings.train)))
    dev = pos_corpus(list(read_auto(settings.dev))) if settings.dev else None
    return PosTagger(train_in_run(corpus, settings.tagger, run, NAME, dev))


KIND = Kind(NAME, PosSettings, _train, PosTagger.from_bundle, ray=True)
