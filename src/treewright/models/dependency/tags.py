"""Automatic tags for dependency parsers: one tagger for UPOS and XPOS, FEATS by lookup."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from treewright.data.dependency import DependencyTree, Word
from treewright.errors import TreewrightError
from treewright.models.tagging.files import tag_all
from treewright.models.tagging.model import tagger_bundle, tagger_from_bundle
from treewright.models.tagging.pos import train_in_run
from treewright.models.tagging.settings import TaggerSettings
from treewright.models.tagging.training import TaggedCorpus
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle
from treewright.train.run import Run

KIND, FEATS = "pos", "feats"
BETWEEN = "+"  # of the two tags, in the tagger's tags


@dataclass(frozen=True)
class DependencyTagger:
    """A tagger, and the FEATS of a word with its tags, or of the tags alone."""

    tagger: Tagger
    feats: dict[tuple[str, str], str]  # (lower form, or "" for any; the two tags)

    def tag(self, sentences: Sequence[Sequence[Word]]) -> list[list[Word]]:
        """The words with tags in place of those that they have."""
        tags = tag_all(self.tagger, [[word.form for word in words] for words in sentences])
        pairs = zip(sentences, tags, strict=True)
        return [list(map(self._tagged, words, found)) for words, found in pairs]

    def _tagged(self, word: Word, tag: str) -> Word:
        upos, _, xpos = tag.partition(BETWEEN)
        known = self.feats.get((word.form.lower(), tag)) or self.feats.get(("", tag), "_")
        return word._replace(upos=upos, xpos=xpos, feats=known)

    def bundle(self) -> Bundle:
        made = tagger_bundle(KIND, self.tagger)
        rows = sorted((*key, value) for key, value in self.feats.items())
        text = "".join("\t".join(row) + "\n" for row in rows)
        return Bundle(made.kind, made.config, made.arrays, made.texts | {FEATS: text}, made.parts)

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "DependencyTagger":
        rows = [line.split("\t") for line in bundle.texts[FEATS].split("\n")[:-1]]
        texts = {name: text for name, text in bundle.texts.items() if name != FEATS}
        plain = Bundle(bundle.kind, bundle.config, bundle.arrays, texts, bundle.parts)
        feats = {(form, tag): value for form, tag, value in rows}
        return cls(tagger_from_bundle(KIND, plain), feats)


def train_dependency_tagger(
    trees: Sequence[DependencyTree],
    settings: TaggerSettings,
    run: Run,
    dev: Sequence[DependencyTree] = (),
    name: str = "tags",
) -> DependencyTagger:
    """A tagger for the tags of a treebank, scored on those of `dev` on the way."""
    held_out = _corpus(dev) if dev else None
    tagger = train_in_run(_corpus(trees), settings, run, name, held_out)
    return DependencyTagger(tagger, _feats(word for tree in trees for word in tree.words))


def with_tags(
    trees: Sequence[DependencyTree],
    tagger: DependencyTagger | None,
    always: bool,
    what: str = "the sentences",
) -> list[DependencyTree]:
    """The sentences with tags: the tagger's always, or only where they have none of their own."""
    bare = [i for i, tree in enumerate(trees) if always or _lacks_tags(tree)]
    found = list(trees)
    if not bare:
        return found
    if tagger is None:
        raise TreewrightError(f"{what} have no tags, and the model has no tagger")
    for i, words in zip(bare, tagger.tag([trees[i].words for i in bare]), strict=True):
        found[i] = replace(trees[i], words=tuple(words))
    return found


def _lacks_tags(tree: DependencyTree) -> bool:
    return bool(tree.words) and all(word.upos == word.xpos == "_" for word in tree.words)


def _corpus(trees: Sequence[DependencyTree]) -> TaggedCorpus:
    tags = [[_joint(word) for word in tree.words] for tree in trees]
    return TaggedCorpus([list(tree.forms) for tree in trees], None, tags)


def jackknifed(
    trees: Sequence[DependencyTree],
    settings: TaggerSettings,
    run: Run,
    folds: int,
    dev: Sequence[DependencyTree] = (),
) -> list[list[Word]]:
    """The words of a treebank with automatic tags, each sentence's from a tagger without it."""
    tagged: list[list[Word]] = [[] for _ in trees]
    for fold in range(folds):
        rest = [tree for i, tree in enumerate(trees) if i % folds != fold]
        tagger = train_dependency_tagger(rest, settings, run, dev, f"tags-fold{fold + 1}")
        tagged[fold::folds] = tagger.tag([tree.words for tree in trees[fold::folds]])
    return tagged


def _joint(word: Word) -> str:
    return f"{word.upos}{BETWEEN}{word.xpos}"


def _feats(words: Iterable[Word]) -> dict[tuple[str, str], str]:
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for word in words:
        for form in ("", word.form.lower()):
            counts[form, _joint(word)][word.feats] += 1
    usual = {key: min(found, key=lambda f: (-found[f], f)) for key, found in counts.items()}
    return {(form, tag): v for (form, tag), v in usual.items() if not form or v != usual["", tag]}
