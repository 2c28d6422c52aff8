"""Arc-eager and arc-hybrid parsing as algorithms of dependency models."""

from collections.abc import Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import StoreError
from treewright.inference.exact import rounded
from treewright.inference.transition import (
    Arrays,
    LabelTable,
    System,
    TransitionParser,
    TransitionShape,
)
from treewright.models.dependency.algorithms import (
    Algorithm,
    Found,
    TrainingData,
    TreeParser,
    check_roots,
)
from treewright.models.dependency.analysis import LISTED
from treewright.models.dependency.settings import Decoder, DependencyConfig, DependencySettings
from treewright.models.dependency.training import perceptron_learner, train_trees
from treewright.scores.dependency.encoder import FIRST, EncodedSentence, TreeEncoder
from treewright.scores.dependency.state_sets import SETS
from treewright.train.loop import Step
from treewright.train.online import Passes, shuffled
from treewright.train.run import Run
from treewright.train.transition import TransitionLearner

MAX_WORDS = 10_000  # time and memory are linear


class TransitionTrees:
    """A trained transition-based parser.

    The min-risk decoder selects, among the best trees of the beam, the one with the highest
    expected number of correct arcs, where each tree has the weight exp(score).
    """

    max_words = MAX_WORDS

    def __init__(self, parser: TransitionParser, decoder: Decoder = "viterbi") -> None:
        self.parser, self.decoder = parser, decoder

    @classmethod
    def of(cls, shape: TransitionShape, arrays: Arrays, beam: int) -> "TransitionTrees":
        """A parser with trained weights."""
        return cls(TransitionParser(shape, arrays, beam))

    def parse_batch(self, sentences: Sequence[EncodedSentence], threads: int = 1) -> list[Found]:
        if self.decoder == "min-risk":
            return [min_risk(self.kbest(sentence, LISTED)) for sentence in sentences]
        return [Found(*tree) for tree in self.parser.parse_batch(sentences, threads)]

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Found]:
        return [Found(*tree) for tree in self.parser.kbest(sentence, k)]

    def marginals(self, sentence: EncodedSentence) -> Floats | None:  # noqa: ARG002
        return None  # a beam has no sum over all trees

    def log_z(self, sentence: EncodedSentence) -> float | None:  # noqa: ARG002
        return None

    def with_decoder(self, decoder: Decoder) -> "TransitionTrees":
        return TransitionTrees(self.parser, decoder)

    def with_beam(self, beam: int) -> "TransitionTrees":
        other = copy(self.parser)
        other.beam = beam
        return TransitionTrees(other, self.decoder)


def min_risk(trees: Sequence[Found]) -> Found:
    """The tree with the highest expected number of correct labelled arcs.

    Each tree has the weight exp(score).
    """
    heads, labels = (np.array([each[i] for each in trees]) for i in (0, 1))
    scores = np.array([each.score for each in trees])
    weights = np.exp(scores - scores.max())
    same = (heads[:, None] == heads) & (labels[:, None] == labels)  # [tree, tree, word]
    gains = same.sum(axis=2) @ (weights / weights.sum())
    best = int(np.argmax(rounded(gains)))  # ties: the best in the beam
    return trees[best]._replace(gain=float(gains[best]))


TABLE = ("table_first", "table_labels")
ROOT = "table_root"  # older models lack it; their root relation is called root


def transition_shape(
    settings: DependencySettings | DependencyConfig, encoder: TreeEncoder, table: LabelTable
) -> TransitionShape:
    """Actions, templates and labels of a parser with these settings."""
    templates = (*SETS[settings.transition.features], *settings.transition.templates)
    system: System = "arc-eager" if settings.algorithm == "arc-eager" else "arc-hybrid"
    upos = encoder.values["upos"]
    return TransitionShape(system, encoder.relations, upos, templates, table)


def new_learner(settings: DependencySettings, data: TrainingData) -> TransitionLearner:
    """An untrained learner with the labels of the training trees."""
    check_roots(settings, (each.heads.tolist() for each in data.gold))
    trees = ((s, g.heads, g.labels) for s, g in zip(data.sentences, data.gold, strict=True))
    tags = len(data.encoder.values["upos"]) + FIRST
    table = LabelTable.learn(trees, tags, len(data.encoder.relations))
    shape = transition_shape(settings, data.encoder, table)
    s = settings.transition
    exploration = s.exploration if s.oracle == "dynamic" else None
    return TransitionLearner(
        shape, s.beam, s.update, s.aggressiveness, s.reduce_early, exploration, s.threshold
    )


def _train(settings: DependencySettings, data: TrainingData, run: Run) -> TreeParser:
    parser = new_learner(settings, data)
    learner: Passes[Any]
    if settings.augment:
        learner = perceptron_learner(settings, data, run, parser)
    else:
        learner = tree_learner(parser, data, settings.optimiser.iterations, run.seed)
    make = partial(TransitionTrees.of, parser.shape, beam=settings.transition.beam)
    trees = train_trees(settings, data, run, learner, make)
    run.record(features=len(trees.parser.arrays["keys"]))
    return trees


def tree_learner(
    parser: TransitionLearner, data: TrainingData, passes: int, seed: int
) -> Passes[int]:
    """Epochs over the treebank; each reports the proportion of wrong sentences."""
    corpus = parser.corpus(data.sentences, data.gold)
    return Passes(
        parser,
        shuffled(range(len(corpus)), np.random.default_rng(seed)),
        len(corpus),
        lambda some: {"wrong": parser.learn_all(corpus, np.array(some, np.int64))},
        lambda number, sums: Step(number, None, {"wrong": sums["wrong"] / len(corpus)}),
        passes,
    )


def _arrays(trees: TransitionTrees) -> dict[str, NDArray[Any]]:
    table = trees.parser.shape.table
    rows = (table.first, table.labels, np.array([table.root], np.uint16))
    return dict(trees.parser.arrays) | dict(zip((*TABLE, ROOT), rows, strict=True))


def _load(
    config: DependencyConfig, encoder: TreeEncoder, arrays: Mapping[str, NDArray[Any]]
) -> TransitionTrees:
    root = int(arrays[ROOT][0]) if ROOT in arrays else encoder.relation_number.get("root", 0)
    if root >= len(encoder.relations):
        raise StoreError(f"the label of roots is number {root} of {len(encoder.relations)}")
    tags = len(encoder.values["upos"]) + FIRST
    first, labels = (arrays[name] for name in TABLE)
    table = LabelTable(tags, first, labels, root)
    shape = transition_shape(config, encoder, table)
    return TransitionTrees.of(shape, arrays, config.transition.beam)


ALGORITHM = Algorithm(_train, _arrays, _load)
