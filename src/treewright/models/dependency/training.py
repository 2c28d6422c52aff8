"""Training of dependency parsers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from treewright.data import conllu, pseudo
from treewright.data.dependency import DependencyTree, Word
from treewright.errors import TreewrightError
from treewright.models.dependency.algorithms import (
    TrainingData,
    TreeParser,
    algorithm_named,
    check_roots,
)
from treewright.models.dependency.parser import TAGS, TOKENS, DependencyParser
from treewright.models.dependency.settings import DependencySettings, saved_config
from treewright.models.dependency.tags import (
    DependencyTagger,
    jackknifed,
    train_dependency_tagger,
    with_tags,
)
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.text.tokeniser import tokeniser_bundle, tokeniser_from_bundle
from treewright.text.training import train_tokeniser
from treewright.train.augmented import DataSet, FullTree, TreeLearner, Update, augmented_learner
from treewright.train.loop import Arrays
from treewright.train.online import Parse, Passes
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings, augmented_set

P = TypeVar("P", bound=TreeParser)
NAME = "trees"  # the name of the training in records and checkpoints


def train_trees(
    settings: DependencySettings,
    data: TrainingData,
    run: Run,
    learner: Passes[Any],
    parser_of: Callable[[Arrays], P],
) -> P:
    """Trains a parser; patience selects the best epoch by LAS on dev."""

    def score(model: Arrays) -> dict[str, float]:
        parses = parser_of(model).parse_batch(data.dev_sentences, run.threads)
        uas, las = data.dev_scores(parses)
        return {"score": las / 100, "dev_uas": uas, "dev_las": las}

    dev = score if data.dev_sentences else None
    return parser_of(run.train(NAME, learner, settings.optimiser, dev))


def perceptron_learner(
    settings: DependencySettings, data: TrainingData, run: Run, parser: TreeLearner
) -> Passes[list[tuple[str, Update]]]:
    """The averaged perceptron, with augmented losses if there are any."""
    pairs = zip(data.sentences, data.gold, strict=True)
    treebank = DataSet("treebank", [FullTree(*pair) for pair in pairs])
    entries = zip(settings.augment, data.augmented, strict=True)
    others = [augmented_set(each, trees, data.encoder) for each, trees in entries]
    return augmented_learner(parser, treebank, others, settings.optimiser.iterations, run.seed)


def read_augmented(augment: Sequence[AugmentSettings]) -> Iterator[list[DependencyTree]]:
    """Reads the sentences of each `[[augment]]` entry."""
    for each in augment:
        yield list(conllu.read(each.data, heads="all" if each.supervision == "trees" else "some"))


def training_data(
    settings: DependencySettings, words: Sequence[Sequence[Word]], dev: Sequence[Sequence[Word]]
) -> TrainingData:
    """Encodes sentences and trees; dev relations unseen in training count as wrong."""
    if settings.lifts:
        words, dev = list(map(_lifted, words)), list(map(_lifted, dev))
    relations = (word.deprel for sentence in words for word in sentence)
    encoder = TreeEncoder.fit(words, relations, settings.form_cutoff)
    return TrainingData(
        encoder,
        *encoded(encoder, words),
        *encoded(encoder, dev),
    )


def _lifted(words: Sequence[Word]) -> list[Word]:
    """The words of a tree made pseudo-projective."""
    heads, names = pseudo.encode([word.head for word in words], [word.deprel for word in words])
    rows = zip(words, heads, names, strict=True)
    return [word._replace(head=head, deprel=name) for word, head, name in rows]


def encoded(
    encoder: TreeEncoder, sentences: Sequence[Sequence[Word]]
) -> tuple[list[EncodedSentence], list[Parse]]:
    """Encoded sentences and their trees; unknown relations are -1."""
    numbers = encoder.relation_number
    gold = [
        Parse(
            np.array([word.head for word in words], np.int32),
            np.array([numbers.get(word.deprel, -1) for word in words], np.int32),
        )
        for words in sentences
    ]
    return encoder.encode_all(sentences), gold


def train_dependency(settings: DependencySettings, run: Run) -> DependencyParser:
    """Trains a parser on a treebank, with taggers and a tokeniser if the settings ask for them."""
    algorithm = algorithm_named(settings.algorithm)
    trees = list(conllu.read(settings.train))
    dev = list(conllu.read(settings.dev)) if settings.dev else []
    if not trees:
        raise TreewrightError(f"{settings.train}: no sentences to train on")
    check_roots(settings, ((word.head for word in tree.words) for tree in trees))
    words: list[Sequence[Word]] = [tree.words for tree in trees]
    dev_words: list[Sequence[Word]] = [tree.words for tree in dev]
    tagger, tokeniser = None, None
    if settings.tokeniser and not str(settings.train).endswith(conllu.CONLLX):
        made = run.stage(
            TOKENS,
            lambda: tokeniser_bundle(train_tokeniser(trees, settings.tokens, run, dev, TOKENS)),
        )
        tokeniser = tokeniser_from_bundle(made)
    if settings.tagger:
        made = run.stage(
            TAGS, lambda: train_dependency_tagger(trees, settings.pos, run, dev).bundle()
        )
        tagger = DependencyTagger.from_bundle(made)
    if settings.retags and tagger is not None:
        dev_words = list(tagger.tag(dev_words))
        words = list(jackknifed(trees, settings.pos, run, settings.pos_folds, dev))
    data = training_data(settings, words, dev_words)
    augmented = [
        with_tags(extra, tagger, settings.retags, f"sentences of {each.data}")
        for each, extra in zip(settings.augment, read_augmented(settings.augment), strict=True)
    ]
    data = replace(data, augmented=augmented)
    parser = algorithm.train(settings, data, run)
    config = saved_config(settings)
    return DependencyParser(config, data.encoder, parser, tagger, tokeniser)
