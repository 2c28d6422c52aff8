r"""The supertagger as a kind of model (kind "super").

Its tags are lexical entries, categories with their markup (`treewright.grammar.markup`), in the
notation of `str(entry)`; `categories` has the plain category of each. It contains a POS tagger for
text without tags.

    model = Supertagger.load(directory)
    model.tagger.posteriors_batch(sentences, pos, k)     arrays, for parsers
    model.tagger.chain(posteriors)                       the chain as a forest
    model.entries[tag], model.categories[tag]            the entry of a tag number
    model.parse("she sleeps").tags                       categories; tags parts of speech itself
    model.multitag(words, beta=0.01)                     several entries for each word
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.data.records import Derivation, Sentence
from treewright.grammar.category import Category
from treewright.grammar.defaults import check_entries
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markup import Entry, read_entry
from treewright.models.tagging.analysis import TagNames
from treewright.models.tagging.evaluation import CATEGORIES, tagger_kind
from treewright.models.tagging.model import (
    log_linear,
    stored_decoder,
    tagger_bundle,
    tagger_from_bundle,
)
from treewright.models.tagging.parser import TaggerModel, TaggingSettings, tag_all
from treewright.models.tagging.pos import NAME as POS
from treewright.models.tagging.pos import pos_corpus, train_in_run
from treewright.models.tagging.settings import (
    POS_FOLDS,
    PosTaggerSettings,
    SuperTaggerSettings,
    TaggerSettings,
)
from treewright.models.tagging.training import TaggedCorpus
from treewright.scores.tagging.base import SequenceTagger
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle
from treewright.train.folds import check_folds, held_out
from treewright.train.run import Run

NAME = "super"


@dataclass(frozen=True)
class SuperSettings:
    """All settings of a supertagger."""

    train: Path = setting(Path("train.auto"), "training derivations (AUTO)")
    dev: Path | None = setting(None, "dev derivations (AUTO), scored during training")
    tags: Literal["entries", "categories"] = setting(
        "entries", "tag set: lexical entries (categories with markup) or plain categories"
    )
    pos_folds: int = setting(0, POS_FOLDS)
    tagger: SuperTaggerSettings = setting(SuperTaggerSettings(), "supertagger")
    pos: PosTaggerSettings = setting(PosTaggerSettings(), "POS tagger")

    def __post_init__(self) -> None:
        for each in (self.tagger, self.pos):
            each.chain.check_dev(self.dev)
        check_folds("pos_folds", self.pos_folds)


class Supertagger(TaggerModel):
    """A supertagger with its POS tagger; analyses show plain categories."""

    kind = NAME

    def __init__(
        self,
        tagger: SequenceTagger,
        pos: SequenceTagger,
        settings: TaggingSettings | None = None,
    ) -> None:
        self.tagger, self.pos, self.settings = tagger, pos, settings or TaggingSettings()

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "Supertagger":
        pos = tagger_from_bundle(POS, bundle.parts[POS])
        settings = TaggingSettings(stored_decoder(bundle))
        supertagger = cls(tagger_from_bundle(NAME, bundle), pos, settings)
        supertagger.entries  # noqa: B018 - raises an error if a tag is not a category
        return supertagger

    def bundle(self) -> Bundle:
        own = tagger_bundle(NAME, log_linear(self.tagger), self.settings.decoder)
        parts = {POS: tagger_bundle(POS, log_linear(self.pos))}
        return Bundle(NAME, own.config, own.arrays, own.texts, parts)

    def _with(self, settings: TaggingSettings) -> "Supertagger":
        return Supertagger(self.tagger, self.pos, settings)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The lexical entry of each tag number."""
        return tuple(read_entry(tag) for tag in self.tagger.tags)

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        """The plain category of each tag number."""
        return tuple(entry.category for entry in self.entries)

    @cached_property
    def shown(self) -> TagNames:
        """The distinct plain categories, and the category number of each tag."""
        names = [category.text for category in self.categories]
        number = {name: i for i, name in enumerate(dict.fromkeys(names))}
        group = np.array([number[name] for name in names], dtype=np.int32)
        return TagNames(tuple(number), group, "supertags")

    def _parts_of_speech(self, sentences: Sequence[Sentence]) -> list[list[str]]:
        """The given POS tags; those of the tagger for tokens without one."""
        tags = self.pos.tag_batch([sentence.words for sentence in sentences])
        pairs = zip(sentences, tags, strict=True)
        return [[t.pos or tag for t, tag in zip(s.tokens, row, strict=True)] for s, row in pairs]

    def multitag(
        self,
        words: Sequence[str],
        pos: Sequence[str] | None = None,
        beta: float = 0.01,
        k: int | None = None,
    ) -> list[list[tuple[str, float]]]:
        """Entries of each word with at least beta times the probability of the best one."""
        return self.tagger.multitag(words, self.pos.tag(words) if pos is None else pos, beta, k)


def super_corpus(
    derivations: Sequence[Derivation],
    lexicon: Lexicon | None,
    pos: Sequence[Sequence[str]] | None = None,
) -> TaggedCorpus:
    """Words, POS tags (gold, or `pos`) and supertags; without a lexicon, plain categories."""
    leaves = [derivation.leaves for derivation in derivations]
    if lexicon is None:
        tags = [[leaf.category for leaf in row] for row in leaves]
    else:
        tags = [[str(entry) for entry in lexicon.closest(row)] for row in leaves]
    gold = [[leaf.pos for leaf in row] for row in leaves]
    return TaggedCorpus([[leaf.word for leaf in row] for row in leaves], pos or gold, tags)


def jackknife(
    corpus: TaggedCorpus,
    folds: int,
    settings: TaggerSettings,
    run: Run,
    dev: TaggedCorpus | None = None,
) -> list[list[str]]:
    """POS tags for a corpus, each sentence's from a tagger trained without it."""

    def train(fold: int, rest: list[int]) -> Tagger:
        part = TaggedCorpus([corpus.words[i] for i in rest], None, [corpus.tags[i] for i in rest])
        return train_in_run(part, settings, run, f"pos-{fold}", dev)

    tags: list[list[str]] = [[] for _ in corpus.words]
    taggers = held_out(range(len(corpus.words)), folds, train, "pos_folds")
    for fold, tagger in enumerate(taggers):
        tags[fold::folds] = tag_all(tagger, corpus.words[fold::folds])
    return tags


def train_supertagger(
    derivations: Sequence[Derivation],
    settings: SuperSettings,
    run: Run,
    lexicon: Lexicon | None,
    guessed: Sequence[Sequence[str]] | None = None,
) -> Supertagger:
    """Trains a supertagger; the lexicon determines the entries.

    guessed: predicted POS tags to train on, if they exist already.
    """
    words = pos_corpus(derivations)
    dev = list(read_auto(settings.dev, check_entries)) if settings.dev else []
    dev_words = pos_corpus(dev) if dev else None
    pos = train_in_run(words, settings.pos, run, POS, dev_words)
    folds = settings.pos_folds
    if guessed is None and folds:
        guessed = jackknife(words, folds, settings.pos, run, dev_words)
    corpus = super_corpus(derivations, lexicon, guessed)
    held_out = super_corpus(dev, lexicon) if dev else None
    return Supertagger(train_in_run(corpus, settings.tagger, run, NAME, held_out), pos)


def _train(settings: SuperSettings, run: Run) -> Supertagger:
    derivations = list(read_auto(settings.train, check_entries))
    lexicon = Lexicon().learn(derivations) if settings.tags == "entries" else None
    return train_supertagger(derivations, settings, run, lexicon)


KIND = tagger_kind(NAME, SuperSettings, _train, Supertagger.from_bundle, CATEGORIES, "SUPERTAGS")
