"""Training of dependency parsers, from the treebank to the weights."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from treewright.data import conllu, pseudo
from treewright.data.dependency import Word
from treewright.errors import TreewrightError
from treewright.models.dependency.algorithms import TrainingData, algorithm_named
from treewright.models.dependency.config import saved_config
from treewright.models.dependency.online_training import read_augmented
from treewright.models.dependency.parser import TAGS, TOKENS, DependencyParser
from treewright.models.dependency.settings import DependencySettings
from treewright.models.dependency.tags import (
    DependencyTagger,
    jackknifed,
    train_dependency_tagger,
    with_tags,
)
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.text.bundle import tokeniser_bundle, tokeniser_from_bundle
from treewright.text.fit import train_tokeniser
from treewright.train.online import Parse
from treewright.train.run import Run


def training_data(
    settings: DependencySettings, words: Sequence[Sequence[Word]], dev: Sequence[Sequence[Word]]
) -> TrainingData:
    """Encoded sentences and trees; a dev relation that training lacks counts as wrong."""
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
    """The words of a pseudo-projective tree."""
    heads, names = pseudo.encode([word.head for word in words], [word.deprel for word in words])
    found = zip(words, heads, names, strict=True)
    return [word._replace(head=head, deprel=name) for word, head, name in found]


def encoded(
    encoder: TreeEncoder, sentences: Sequence[Sequence[Word]]
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
        with_tags(found, tagger, settings.retags, f"sentences of {each.data}")
        for each, found in zip(settings.augment, read_augmented(settings.augment), strict=True)
    ]
    data = replace(data, augmented=augmented)
    parser = algorithm.train(settings, data, run)
    config = saved_config(settings)
    return DependencyParser(config, data.encoder, parser, tagger, tokeniser)
