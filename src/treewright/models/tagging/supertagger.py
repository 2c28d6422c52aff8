r"""The supertagger as a kind of model (kind "super").

Its tags are lexical entries, categories with their markup (`treewright.grammar.markup`), in the
notation of `str(entry)`; `categories` has the plain category of each. It has a part-of-speech
tagger of its own for text that comes without.

    model = Supertagger.load(directory)
    model.tagger.posteriors_batch(sentences, pos, k)     arrays, for parsers
    model.tagger.chain(posteriors)                       the chain as a forest
    model.entries[tag], model.categories[tag]            what a tag number stands for
    model.multitag(words, beta=0.01)                     for people; tags parts of speech itself
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from treewright.arrays import Indices
from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.data.records import Derivation, Sentence
from treewright.data.text import read_text
from treewright.grammar.category import Category
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markup import Entry, read_entry
from treewright.models.kinds import NO_FRAMES, Kind, ParseOptions
from treewright.models.tagging.files import LAYOUTS, TagOptions, as_words, tag_all, tagged_lines
from treewright.models.tagging.model import tagger_bundle, tagger_from_bundle
from treewright.models.tagging.pos import NAME as POS
from treewright.models.tagging.pos import pos_corpus, train_in_run
from treewright.models.tagging.settings import (
    PosTaggerSettings,
    SuperTaggerSettings,
    TaggerSettings,
)
from treewright.models.tagging.training import TaggedCorpus
from treewright.scores.tagging.posteriors import Posteriors
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle, read_bundle
from treewright.train.folds import held_out
from treewright.train.run import Run

NAME = "super"


@dataclass(frozen=True)
class SuperSettings:
    """All settings of a supertagger."""

    train: Path = setting(Path("train.auto"), "derivations with annotated leaves")
    dev: Path | None = setting(None, "the same to score on while training")
    tags: Literal["entries", "categories"] = setting(
        "entries", "categories with their markup, or without"
    )
    pos_folds: int = setting(
        0,
        "0 trains on gold parts of speech; n trains on those of n taggers, each of which\n"
        "has not seen what it tags",
    )
    tagger: SuperTaggerSettings = setting(SuperTaggerSettings(), "features and training")
    pos: PosTaggerSettings = setting(PosTaggerSettings(), "the same of the part-of-speech tagger")

    def __post_init__(self) -> None:
        for each in (self.tagger, self.pos):
            each.chain.check_dev(self.dev)
        if self.pos_folds < 0 or self.pos_folds == 1:
            raise ValueError(f"pos_folds must be 0 or at least 2, not {self.pos_folds}")


class Supertagger:
    """A supertagger with its part-of-speech tagger."""

    formats = LAYOUTS
    frames = NO_FRAMES

    def __init__(self, tagger: Tagger, pos: Tagger) -> None:
        self.tagger = tagger
        self.pos: Tagger | None = pos

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "Supertagger":
        pos = tagger_from_bundle(POS, bundle.parts[POS])
        return cls(tagger_from_bundle(NAME, bundle), pos)

    @classmethod
    def load(cls, directory: Path) -> "Supertagger":
        return cls.from_bundle(read_bundle(directory))

    def bundle(self) -> Bundle:
        own = tagger_bundle(NAME, self.tagger)
        assert self.pos is not None
        parts = {POS: tagger_bundle(POS, self.pos)}
        return Bundle(NAME, own.config, own.arrays, own.texts, parts)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The lexical entry of each tag number."""
        return tuple(read_entry(tag) for tag in self.tagger.tags)

    @cached_property
    def categories(self) -> tuple[Category, ...]:
        """The plain category of each tag number."""
        return tuple(entry.category for entry in self.entries)

    @cached_property
    def printed(self) -> tuple[Sequence[str], Indices]:
        """The distinct plain categories, and the number among them of each tag's category."""
        names = [category.text for category in self.categories]
        number = {name: i for i, name in enumerate(dict.fromkeys(names))}
        return tuple(number), np.array([number[name] for name in names], dtype=np.int32)

    def tag(self, words: str | Sequence[str], pos: Sequence[str] | None = None) -> list[str]:
        """The most probable plain category of each word, over all its entries."""
        names, group = self.printed
        best = self.posteriors(as_words(words), pos).merged(group).best()
        return [names[category] for category in best.tolist()]

    def _pos(self, words: Sequence[str]) -> list[str]:
        assert self.pos is not None
        return self.pos.tag(words)

    def posteriors(
        self, words: Sequence[str], pos: Sequence[str] | None = None, k: int | None = None
    ) -> Posteriors:
        """Probabilities of entries; parts of speech are tagged where they are not given."""
        return self.tagger.posteriors(words, self._pos(words) if pos is None else pos, k)

    def multitag(
        self,
        words: Sequence[str],
        pos: Sequence[str] | None = None,
        beta: float = 0.01,
        k: int | None = None,
    ) -> list[list[tuple[str, float]]]:
        """Entries of each word with at least beta times the best one's probability."""
        return self.tagger.multitag(words, self._pos(words) if pos is None else pos, beta, k)

    def read(self, source: Path, options: ParseOptions) -> Iterator[Sentence]:
        """Text, one sentence a line; `word|POS` if options say so."""
        options.reject(NAME, "k_best", "decoder", "beam", "schedule")
        return read_text(source, tagged=options.tagged)

    def blocks(
        self, sentences: Iterable[Sentence], form: str, options: ParseOptions
    ) -> Iterator[str]:
        """One line a sentence: `word|POS|category ...`, or a JSON object."""
        return tagged_lines(self, sentences, TagOptions(form, options.tagged))


def super_corpus(
    derivations: Sequence[Derivation],
    lexicon: Lexicon | None,
    pos: Sequence[Sequence[str]] | None = None,
) -> TaggedCorpus:
    """Words, parts of speech (gold, or those given) and tags; without a lexicon, categories."""
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
    """Parts of speech of a corpus by taggers that have not seen the sentence."""

    def train(fold: int, rest: list[int]) -> Tagger:
        part = TaggedCorpus([corpus.words[i] for i in rest], None, [corpus.tags[i] for i in rest])
        return train_in_run(part, settings, run, f"pos-{fold}", dev)

    found: list[list[str]] = [[] for _ in corpus.words]
    for fold, tagger in enumerate(held_out(range(len(corpus.words)), folds, train)):
        found[fold::folds] = tag_all(tagger, corpus.words[fold::folds])
    return found


def train_supertagger(
    derivations: Sequence[Derivation], settings: SuperSettings, run: Run, lexicon: Lexicon | None
) -> Supertagger:
    """A supertagger for derivations; the lexicon says which entries there are."""
    words = pos_corpus(derivations)
    dev = list(read_auto(settings.dev)) if settings.dev else []
    dev_words = pos_corpus(dev) if dev else None
    pos = train_in_run(words, settings.pos, run, POS, dev_words)
    folds = settings.pos_folds
    guessed = jackknife(words, folds, settings.pos, run, dev_words) if folds else None
    corpus = super_corpus(derivations, lexicon, guessed)
    held_out = super_corpus(dev, lexicon) if dev else None
    return Supertagger(train_in_run(corpus, settings.tagger, run, NAME, held_out), pos)


def _train(settings: SuperSettings, run: Run) -> Supertagger:
    derivations = list(read_auto(settings.train))
    lexicon = Lexicon().learn(derivations) if settings.tags == "entries" else None
    return train_supertagger(derivations, settings, run, lexicon)


KIND = Kind(NAME, SuperSettings, _train, Supertagger.from_bundle, ray=True)
