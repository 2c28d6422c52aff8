"""The POS tagger as a kind of model (kind "pos")."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.data.records import Derivation, Sentence
from treewright.errors import ConfigError
from treewright.machine import trim_heap
from treewright.models.contract import PLAIN, Reading
from treewright.models.tagging.analysis import TagNames
from treewright.models.tagging.evaluation import POS as POS_COLUMNS
from treewright.models.tagging.evaluation import tagger_kind
from treewright.models.tagging.model import (
    log_linear,
    stored_decoder,
    tagger_bundle,
    tagger_from_bundle,
)
from treewright.models.tagging.parser import TaggerModel, TaggingSettings
from treewright.models.tagging.settings import PosTaggerSettings, TaggerSettings
from treewright.models.tagging.training import TaggedCorpus, train_tagger
from treewright.scores.tagging.base import SequenceTagger
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle
from treewright.train.run import Run

NAME = "pos"


@dataclass(frozen=True)
class PosSettings:
    """All settings of a POS tagger."""

    train: Path = setting(Path("train.auto"), "training derivations (AUTO)")
    dev: Path | None = setting(None, "dev derivations (AUTO), scored during training")
    pos: PosTaggerSettings = setting(PosTaggerSettings(), "POS tagger")

    def __post_init__(self) -> None:
        self.pos.chain.check_dev(self.dev)


class PosTagger(TaggerModel):
    """A POS tagger."""

    kind = NAME

    def __init__(self, tagger: SequenceTagger, settings: TaggingSettings | None = None) -> None:
        self.tagger, self.settings = tagger, settings or TaggingSettings()

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "PosTagger":
        return cls(tagger_from_bundle(NAME, bundle), TaggingSettings(stored_decoder(bundle)))

    def bundle(self) -> Bundle:
        return tagger_bundle(NAME, log_linear(self.tagger), self.settings.decoder)

    def _with(self, settings: TaggingSettings) -> "PosTagger":
        return PosTagger(self.tagger, settings)

    @cached_property
    def shown(self) -> TagNames:
        return TagNames(self.tagger.tags, np.arange(len(self.tagger.tags), dtype=np.int32))

    def _parts_of_speech(self, sentences: Sequence[Sentence]) -> None:  # noqa: ARG002
        return None

    def read(self, source: Path, how: Reading = PLAIN) -> Iterator[Sentence]:
        if how.tagged:
            raise ConfigError("a POS tagger reads words, not word|POS")
        return super().read(source, how)


def pos_corpus(derivations: Sequence[Derivation]) -> TaggedCorpus:
    """The words and POS tags of derivations."""
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
    """Trains a tagger of either kind; `name` identifies its records in the run."""
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
    return PosTagger(train_in_run(corpus, settings.pos, run, NAME, dev))


KIND = tagger_kind(NAME, PosSettings, _train, PosTagger.from_bundle, POS_COLUMNS, "POS")
