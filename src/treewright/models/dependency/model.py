"""Dependency parsers as a kind of model (kind "dep"): train, load, parse sentences and files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np

from treewright.config import from_dict, setting
from treewright.data import conllu, pseudo
from treewright.data.dependency import DependencyTree, Word
from treewright.errors import ConfigError, TreewrightError
from treewright.inference.transition import Tree
from treewright.models.dependency.algorithms import TrainingData, TreeParser, algorithm_named
from treewright.models.dependency.analysis import DependencyAnalysis, parsed_tree, plain_word
from treewright.models.dependency.files import format_analysis, read_input
from treewright.models.dependency.graph.parser import GraphSettings
from treewright.models.dependency.online_training import read_augmented
from treewright.models.dependency.tags import (
    DependencyTagger,
    jackknifed,
    train_dependency_tagger,
    with_tags,
)
from treewright.models.dependency.transition.algorithm import MOST_BEAM, TransitionSettings
from treewright.models.kinds import NO_FRAMES, Kind, ParseOptions, TextInput
from treewright.models.tagging.files import batches
from treewright.models.tagging.settings import PosTaggerSettings
from treewright.scores.dependency.encoder import ATTRIBUTES, EncodedSentence, Encoder
from treewright.storage.bundle import Bundle, read_bundle
from treewright.text.bundle import tokeniser_bundle, tokeniser_from_bundle
from treewright.text.fit import train_tokeniser
from treewright.text.settings import TokeniserSettings
from treewright.text.tokeniser import Tokeniser
from treewright.text.trees import tree_of
from treewright.train.online import Parse
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings

NAME = "dep"
TAGS, RELATIONS, TOKENS = "tags", "relations", "tok"


@dataclass(frozen=True)
class DependencySettings:
    """All settings of a dependency parser."""

    train: Path = setting(Path("train.conllu"), "trees to learn from")
    dev: Path | None = setting(None, "trees to choose the best pass by")
    algorithm: Literal["arc-eager", "arc-hybrid", "mst", "eisner"] = setting(
        "arc-eager", "transition-based or graph-based"
    )
    tags: Literal["gold", "automatic"] = setting(
        "gold",
        "those of the files, or those of the model's own tagger: always in parsing, on dev and in"
        " augment data; in training as folds says",
    )
    tagger: bool = setting(True, "with tags = gold: train one too, for text without tags")
    folds: int = setting(
        0,
        "with tags = automatic: train on tags of as many taggers, each blind to its part; 0: on"
        " those of the file",
    )
    tokeniser: bool = setting(True, "train one too, for raw text; CoNLL-X files have none to learn")
    form_cutoff: int = setting(1, "forms and affixes seen at most so often count as unknown")
    transition: TransitionSettings = setting(TransitionSettings(), "arc-eager and arc-hybrid")
    graph: GraphSettings = setting(GraphSettings(), "mst and eisner")
    augment: list[AugmentSettings] = setting([], "further data sets, each with its loss")
    tagging: PosTaggerSettings = setting(PosTaggerSettings(), "of the tagger")
    tokens: TokeniserSettings = setting(TokeniserSettings(), "of the tokeniser")

    def __post_init__(self) -> None:
        if self.form_cutoff < 0:
            raise ValueError(f"form_cutoff must not be negative, not {self.form_cutoff}")
        if self.folds < 0 or self.folds == 1:
            raise ValueError(f"folds must be 0 or at least 2, not {self.folds}")
        if self.trains_tagger:
            self.tagging.chain.check_dev(self.dev)
        if self.transition.oracle == "dynamic" and self.algorithm != "arc-hybrid":
            raise ValueError("only algorithm = arc-hybrid has a dynamic oracle")
        if self.algorithm == "eisner" and self.graph.second_order and self.graph.label_variants:
            raise ValueError("graph.label_variants goes with no graph.second_order in eisner")
        if self.lifts and self.augment:
            raise ValueError("transition.pseudo_projective goes with no [[augment]]")

    @property
    def trains_tagger(self) -> bool:
        return self.tagger or self.tags == "automatic"

    @property
    def lifts(self) -> bool:
        """Whether trees are pseudo-projective."""
        return self.transition.pseudo_projective and self.algorithm in ("arc-eager", "arc-hybrid")


class DependencyParser:
    """A trained parser: `parser.parse("She reads.")`, `parser.parse(["She", "reads", "."])`."""

    formats = ("conllu", "drawing", "json")
    frames = NO_FRAMES

    def __init__(
        self,
        settings: DependencySettings,
        encoder: Encoder,
        trees: TreeParser,
        tagger: DependencyTagger | None,
        tokeniser: Tokeniser | None = None,
    ) -> None:
        self.settings, self.encoder, self.trees, self.tagger = settings, encoder, trees, tagger
        self.tokeniser = tokeniser

    @classmethod
    def load(cls, directory: str | PathLike[str]) -> "DependencyParser":
        return cls.from_bundle(read_bundle(directory))

    @classmethod
    def from_bundle(cls, bundle: Bundle) -> "DependencyParser":
        settings = from_dict(DependencySettings, bundle.config, "config.toml")
        values = {name: bundle.texts[name].split("\n")[:-1] for name in ATTRIBUTES}
        encoder = Encoder(values, bundle.texts[RELATIONS].split("\n")[:-1])
        trees = algorithm_named(settings.algorithm).load(settings, encoder, bundle.arrays)
        part = bundle.parts.get(TAGS)
        tagger = DependencyTagger.from_bundle(part) if part else None
        part = bundle.parts.get(TOKENS)
        return cls(settings, encoder, trees, tagger, tokeniser_from_bundle(part) if part else None)

    def bundle(self) -> Bundle:
        config = asdict(self.settings)
        files = {name: str(config.pop(name)) for name in ("train", "dev")}
        config |= {name: file for name, file in files.items() if file != "None"}
        config["augment"] = [
            vars(each) | {"data": str(each.data)} for each in self.settings.augment
        ]
        arrays = algorithm_named(self.settings.algorithm).arrays(self.trees)
        texts = {name: _lines(values) for name, values in self.encoder.values.items()}
        parts = {TAGS: self.tagger.bundle()} if self.tagger else {}
        if self.tokeniser:
            parts[TOKENS] = tokeniser_bundle(self.tokeniser)
        return Bundle(
            NAME, config, arrays, texts | {RELATIONS: _lines(self.encoder.relations)}, parts
        )

    def parse(
        self, sentence: str | Sequence[str] | DependencyTree, k: int = 1
    ) -> DependencyAnalysis:
        """The best tree of a sentence: text, tokens, or tagged words.

        Text is cut into tokens by the model's tokeniser, or at spaces where it has none.
        """
        return self.parse_batch([sentence], k)[0]

    def parse_batch(
        self,
        sentences: Sequence[str | Sequence[str] | DependencyTree],
        k: int = 1,
        threads: int = 1,
        beam: int | None = None,
    ) -> list[DependencyAnalysis]:
        """The best trees of many sentences, each with its k best."""
        given = [self._as_tree(sentence) for sentence in sentences]
        trees = with_tags(given, self.tagger, self.settings.tags == "automatic")
        encoded = [self.encoder.encode(tree.words) for tree in trees]
        if k > 1:
            lists = [self.trees.kbest(sentence, k, beam) for sentence in encoded]
        else:
            lists = [[best] for best in self.trees.parse_batch(encoded, threads, beam)]
        return [self._analysis(*pair) for pair in zip(trees, lists, strict=True)]

    def parse_text(self, text: str, threads: int = 1) -> list[DependencyAnalysis]:
        """The best trees of the sentences of a raw text."""
        if self.tokeniser is None:
            raise TreewrightError("this model has no tokeniser, which raw text needs")
        sentences = [tree_of(sentence) for sentence in self.tokeniser.tokenise(text)]
        return self.parse_batch(sentences, threads=threads)

    def read(self, source: Path, options: ParseOptions) -> Iterator[DependencyTree]:
        """CoNLL-U, with or without heads, or text: raw, sentences on lines, or tokens."""
        options.reject(NAME, "decoder", "schedule", "tagged")
        possible: tuple[TextInput, ...] = ("raw", "sentences", "tokens")
        how = options.input(NAME, possible if self.tokeniser else ("tokens",))
        tokeniser = self.tokeniser if how != "tokens" else None
        return read_input(source, tokeniser, how == "sentences")

    def blocks(
        self, sentences: Iterable[DependencyTree], form: str, options: ParseOptions
    ) -> Iterator[str]:
        """The analysis of each sentence, or its k best."""
        beam = _beam(options.beam)
        for some in batches(sentences):
            for analysis in self.parse_batch(some, options.k_best, beam=beam):
                yield format_analysis(analysis, form, options.k_best)

    def _analysis(self, tree: DependencyTree, found: Sequence[Tree]) -> DependencyAnalysis:
        made, relations = [], self.encoder.relations
        for arcs, labels, score in found:
            heads, names = arcs.tolist(), [relations[label] for label in labels.tolist()]
            if self.settings.lifts:
                heads, names = pseudo.decode(heads, names)
            made.append(DependencyAnalysis(parsed_tree(tree, heads, names), float(score)))
        return DependencyAnalysis(made[0].tree, made[0].score, tuple(made))

    def _as_tree(self, sentence: str | Sequence[str] | DependencyTree) -> DependencyTree:
        if isinstance(sentence, DependencyTree):
            return sentence
        if isinstance(sentence, str) and self.tokeniser is not None:
            found = self.tokeniser.tokenise(" ".join(sentence.split()), by_line=True)
            return tree_of(found[0]) if found else DependencyTree(())
        forms = sentence.split() if isinstance(sentence, str) else sentence
        return DependencyTree(tuple(plain_word(form) for form in forms))


def _lines(items: Sequence[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def _beam(text: str | None) -> int | None:
    if text is None:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= MOST_BEAM:
        raise ConfigError(f"--beam must be a whole number from 1 to {MOST_BEAM}, not {text!r}")
    return int(text)


def training_data(
    settings: DependencySettings, words: Sequence[Sequence[Word]], dev: Sequence[Sequence[Word]]
) -> TrainingData:
    """Encoded sentences and trees; a dev relation that training lacks counts as wrong."""
    if settings.lifts:
        words, dev = list(map(_lifted, words)), list(map(_lifted, dev))
    relations = (word.deprel for sentence in words for word in sentence)
    encoder = Encoder.fit(words, relations, settings.form_cutoff)
    return TrainingData(
        encoder,
        *encoded(encoder, words),
        *encoded(encoder, dev),
    )


def _lifted(words: Sequence[Word]) -> list[Word]:
    """The words of a pseudo-projective tree."""
    heads, names = pseudo.encode([word.head for word in words], [word.deprel for word in words])
    found = zip(words, heads, names, strict=True)
    return [word._replace(head=head, deprel=name) for word, head, name in found]


def encoded(
    encoder: Encoder, sentences: Sequence[Sequence[Word]]
) -> tuple[list[EncodedSentence], list[Parse]]:
    """Sentences as the core sees them, and their trees; unknown relations are -1."""
    numbers = encoder.relation_number
    gold = [
        Parse(
            np.array([word.head for word in words], np.int32),
            np.array([numbers.get(word.deprel, -1) for word in words], np.int32),
        )
        for words in sentences
    ]
    return [encoder.encode(words) for words in sentences], gold


def train_dependency(settings: DependencySettings, run: Run) -> DependencyParser:
    """A parser, and where asked for its tagger, from the files that the settings name."""
    algorithm = algorithm_named(settings.algorithm)
    trees = list(conllu.read(settings.train))
    dev = list(conllu.read(settings.dev)) if settings.dev else []
    if not trees:
        raise TreewrightError(f"{settings.train}: no sentences to train on")
    words: list[Sequence[Word]] = [tree.words for tree in trees]
    dev_words: list[Sequence[Word]] = [tree.words for tree in dev]
    tagger, tokeniser = None, None
    if settings.tokeniser and not str(settings.train).endswith(conllu.CONLLX):
        made = run.stage(
            TOKENS,
            lambda: tokeniser_bundle(train_tokeniser(trees, settings.tokens, run, dev, TOKENS)),
        )
        tokeniser = tokeniser_from_bundle(made)
    if settings.trains_tagger:
        made = run.stage(
            TAGS, lambda: train_dependency_tagger(trees, settings.tagging, run, dev).bundle()
        )
        tagger = DependencyTagger.from_bundle(made)
    if settings.tags == "automatic" and tagger is not None:
        dev_words = list(tagger.tag(dev_words))
        if settings.folds:
            words = list(jackknifed(trees, settings.tagging, run, settings.folds, dev))
    data = training_data(settings, words, dev_words)
    augmented = [
        with_tags(found, tagger, settings.tags == "automatic", f"sentences of {each.data}")
        for each, found in zip(settings.augment, read_augmented(settings.augment), strict=True)
    ]
    data = replace(data, augmented=augmented)
    parser = algorithm.train(settings, data, run)
    return DependencyParser(settings, data.encoder, parser, tagger, tokeniser)


KIND = Kind(NAME, DependencySettings, train_dependency, DependencyParser.from_bundle)
