"""Tagging of words with UPOS, XPOS, FEATS and lemmas, by three taggers in sequence.

The first predicts UPOS and XPOS together, the second FEATS given these, and the third lemmas, as
edit scripts (`treewright.text.lemmas`), given UPOS and FEATS. If a treebank has no features or no
lemmas, there is no tagger for them.
"""

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, islice
from pathlib import Path

from treewright.data.dependency import DependencyTree, Word
from treewright.errors import TreewrightError
from treewright.grammar.words import plain
from treewright.models.tagging.model import log_linear, tagger_bundle, tagger_from_bundle
from treewright.models.tagging.parser import tag_all
from treewright.models.tagging.pos import train_in_run
from treewright.models.tagging.settings import MorphologySettings, TaggerSettings
from treewright.models.tagging.training import TaggedCorpus
from treewright.scores.tagging.base import SequenceTagger
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle
from treewright.text.lemmas import apply, script
from treewright.train.folds import held_out
from treewright.train.run import Run

KIND, FEATS, LEMMAS = "pos", "feats", "lemmas"
COLUMNS = ("upos", "xpos", "feats", "lemma")  # the columns that taggers predict
TAGS = {"upos", "xpos"}
SOME = 64  # sentences that determine which columns of a file are empty
BETWEEN = "+"  # separates two columns in a combined tag
Sentences = Sequence[Sequence[Word]]


@dataclass(frozen=True)
class DependencyTagger:
    """The three taggers."""

    tagger: SequenceTagger
    feats: SequenceTagger | None = None
    lemmas: SequenceTagger | None = None

    def tag(self, sentences: Sentences) -> list[list[Word]]:
        """The words with predicted tags, features and lemmas."""
        forms = [[word.form for word in words] for words in sentences]
        tags = tag_all(self.tagger, forms)
        blank = [["_"] * len(words) for words in sentences]
        feats = tag_all(self.feats, forms, tags) if self.feats else blank
        lemmas = self._lemmas(forms, tags, feats) if self.lemmas else blank
        rows = zip(sentences, tags, feats, lemmas, strict=True)
        return [list(map(_tagged, *row)) for row in rows]

    def _lemmas(
        self, forms: list[list[str]], tags: list[list[str]], feats: list[list[str]]
    ) -> list[list[str]]:
        assert self.lemmas is not None
        pairs = zip(tags, feats, strict=True)
        given = [[_upos_feats(*pair) for pair in zip(*row, strict=True)] for row in pairs]
        scripts = tag_all(self.lemmas, forms, given)
        rows = zip(scripts, forms, strict=True)
        return [list(map(apply, edits, map(plain, words))) for edits, words in rows]

    def columns(self) -> list[str]:
        """The columns other than UPOS that the taggers can predict."""
        xpos = any(tag.partition(BETWEEN)[2] != "_" for tag in self.tagger.tags)
        has = {"xpos": xpos, "feats": self.feats, "lemma": self.lemmas}
        return [name for name, present in has.items() if present]

    def bundle(self) -> Bundle:
        made = tagger_bundle(KIND, log_linear(self.tagger))
        others = {FEATS: self.feats, LEMMAS: self.lemmas}
        parts = {
            name: tagger_bundle(KIND, log_linear(each)) for name, each in others.items() if each
        }
        return replace(made, parts=parts)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "DependencyTagger":
        taggers = {name: tagger_from_bundle(KIND, part) for name, part in bundle.parts.items()}
        tagger = tagger_from_bundle(KIND, bundle)
        return cls(tagger, taggers.get(FEATS), taggers.get(LEMMAS))


def _tagged(word: Word, tag: str, feats: str, lemma: str) -> Word:
    upos, _, xpos = tag.partition(BETWEEN)
    return Word(word[0], lemma, upos, xpos, feats, *word[5:])


def both_tags(word: Word) -> str:
    """UPOS and XPOS of a word as one tag."""
    return f"{word.upos}{BETWEEN}{word.xpos}"


def tag_and_feats(word: Word) -> str:
    """UPOS and FEATS of a word as one tag."""
    return f"{word.upos}{BETWEEN}{word.feats}"


def _upos_feats(tag: str, feats: str) -> str:
    return f"{tag.partition(BETWEEN)[0]}{BETWEEN}{feats}"


def train_dependency_tagger(
    trees: Sequence[DependencyTree],
    settings: MorphologySettings,
    run: Run,
    dev: Sequence[DependencyTree] = (),
    name: str = "tags",
    lemmas: bool = True,
) -> DependencyTagger:
    """Trains taggers for the columns of a treebank; dev scores are recorded."""

    def train(
        what: str,
        how: TaggerSettings,
        tag: Callable[[Word], str],
        given: Callable[[Word], str] | None = None,
    ) -> Tagger:
        held_out = _corpus(dev, tag, given) if dev else None
        return train_in_run(_corpus(trees, tag, given), how, run, what, held_out)

    def has(column: str) -> bool:
        return any(getattr(word, column) != "_" for tree in trees for word in tree.words)

    return DependencyTagger(
        train(name, settings, both_tags),
        train(f"{name}-{FEATS}", settings.feats, _feats, both_tags) if has("feats") else None,
        train(f"{name}-{LEMMAS}", settings.lemmas, _script, tag_and_feats)
        if lemmas and has("lemma")
        else None,
    )


def _feats(word: Word) -> str:
    return word.feats


def _script(word: Word) -> str:
    return script(plain(word.form), word.lemma)


def _corpus(
    trees: Sequence[DependencyTree],
    tag: Callable[[Word], str],
    given: Callable[[Word], str] | None,
) -> TaggedCorpus:
    pos = [list(map(given, tree.words)) for tree in trees] if given else None
    tags = [list(map(tag, tree.words)) for tree in trees]
    return TaggedCorpus([list(tree.forms) for tree in trees], pos, tags)


def with_tags(
    trees: Sequence[DependencyTree],
    tagger: DependencyTagger | None,
    always: bool = False,
    what: str = "the sentences",
) -> list[DependencyTree]:
    """The sentences with predicted tags: in all columns if `always`, otherwise in empty ones.

    UPOS and XPOS are checked in each sentence. FEATS and LEMMA, which words can lack, count as
    empty if no sentence has any, or if a sentence has neither these nor tags.
    """
    empty = [_empty(tree.words) if tree.words else set() for tree in trees]
    if tagger is None:
        if any(columns >= TAGS for columns in empty):
            raise TreewrightError(f"{what} have no tags, and the model has no tagger")
        return list(trees)
    nowhere = {*COLUMNS}.intersection(*compress(empty, trees))
    filled = list(trees)
    wanted = {
        i: {*COLUMNS} if always or columns.issuperset(COLUMNS) else columns & (nowhere | TAGS)
        for i, columns in enumerate(empty)
        if trees[i].words
    }
    known = {"upos", *tagger.columns()}
    chosen = [i for i, columns in wanted.items() if columns & known]
    for i, tagged in zip(chosen, tagger.tag([trees[i].words for i in chosen]), strict=True):
        filled[i] = replace(trees[i], words=_filled(trees[i].words, tagged, wanted[i]))
    return filled


def _empty(words: Sequence[Word]) -> set[str]:
    """The columns that are empty in all words."""
    columns = dict(zip(Word._fields, zip(*words, strict=True), strict=False))
    return {name for name in COLUMNS if columns.get(name, ()).count("_") == len(words)}


def _filled(own: Sequence[Word], tagged: Sequence[Word], columns: set[str]) -> tuple[Word, ...]:
    if len(columns) == len(COLUMNS):
        return tuple(tagged)
    pairs = zip(own, tagged, strict=True)
    return tuple(a._replace(**{name: getattr(b, name) for name in columns}) for a, b in pairs)


def hinted(
    trees: Iterable[DependencyTree],
    tagger: DependencyTagger | None,
    source: Path,
    learned: Iterable[str] = (),
) -> Iterator[DependencyTree]:
    """The sentences of a file, with a warning about its empty columns.

    learned: the columns that the parser learned from. Those without a tagger stay empty.
    """
    trees = iter(trees)
    first = list(islice(trees, 1 if source.is_char_device() else SOME))
    empty = _empty([word for tree in first for word in tree.words]) if any(first) else set()
    known = {"upos", *tagger.columns()} if tagger else set()
    lacking = empty & {*learned} - known
    _warn(source, empty & known, "predicted by the model")
    _warn(source, lacking, "used by the model, which has no tagger")
    yield from chain(first, trees)


def _warn(source: Path, columns: set[str], consequence: str) -> None:
    if columns:
        missing = ", ".join(name.upper() for name in COLUMNS if name in columns)
        warnings.warn(f"{source}: no {missing}: {consequence}", stacklevel=3)


def jackknifed(
    trees: Sequence[DependencyTree],
    settings: MorphologySettings,
    run: Run,
    folds: int,
    dev: Sequence[DependencyTree] = (),
) -> list[list[Word]]:
    """The words of a treebank with tags predicted by jackknifing.

    Lemmas are not changed, because parsers do not use them.
    """

    def train(fold: int, rest: list[DependencyTree]) -> DependencyTagger:
        return train_dependency_tagger(rest, settings, run, dev, f"tags-fold{fold + 1}", False)

    tagged: list[list[Word]] = [[] for _ in trees]
    for fold, tagger in enumerate(held_out(trees, folds, train, "pos_folds")):
        tagged[fold::folds] = tagger.tag([tree.words for tree in trees[fold::folds]])
    return tagged
