"""The part-of-speech tagger as a kind of model (kind "pos")."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.data.records import Derivation
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
from treewright.models.tagging import LAYOUTS, TagOptions, tag_all, tag_file
from treewright.scores.tagger import Tagger
from treewright.train.run import Run

NAME = "pos"
POS_SETTINGS = TaggerSettings(templates=POS_TEMPLATES, dictionary_cutoff=10)


@dataclass(frozen=True)
class PosSettings:
    """All settings of a part-of-speech tagger."""

    train: Path = setting(Path("train.auto"), "derivations whose leaves have parts of speech")
    tagger: TaggerSettings = setting(POS_SETTINGS, "features and training")


class PosTagger:
    """A part-of-speech tagger: `model.tag(words)`; see `treewright.scores.tagger`."""

    formats = LAYOUTS

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

    @property
    def names(self) -> Sequence[str]:
        return self.tagger.tags

    def tag(self, words: Sequence[str]) -> list[str]:
        """The part of speech of each word."""
        return self.tag_batch([words])[0]

    def tag_batch(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The parts of speech of many sentences, empty ones included."""
        return tag_all(self.tagger, sentences)

    def parse_file(self, source: Path, format: str, options: ParseOptions) -> Iterator[str]:  # noqa: A002
        """One line a sentence: `word|POS ...`, or a JSON object with `words` and `tags`."""
        options.reject(NAME, "k_best", "decoder", "beam", "schedule")
        return tag_file(self, source, TagOptions(format))


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
