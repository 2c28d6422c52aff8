"""Passes of online training with a dev score after each, for parsers of every algorithm."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.models.dependency.algorithms import TrainingData, TreeParser
from treewright.models.dependency.settings import DependencySettings
from treewright.train.augmented import DataSet, FullTree, TreeLearner, Update, augmented_learner
from treewright.train.learner import Arrays
from treewright.train.online import Passes
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings, augmented_set

P = TypeVar("P", bound=TreeParser)
NAME = "trees"  # of the training in records and checkpoints


def train_trees(
    settings: DependencySettings,
    data: TrainingData,
    run: Run,
    learner: Passes[Any],
    parser_of: Callable[[Arrays], P],
) -> P:
    """The parser of the pass that patience chooses by LAS on dev, or of the last pass."""

    def score(model: Arrays) -> dict[str, float]:
        parses = parser_of(model).parse_batch(data.dev_sentences, run.threads)
        uas, las = data.dev_scores(parses)
        return {"score": las / 100, "dev_uas": uas, "dev_las": las}

    dev = score if data.dev_sentences else None
    return parser_of(run.train(NAME, learner, settings.optimiser, dev))


def perceptron_learner(
    settings: DependencySettings, data: TrainingData, run: Run, parser: TreeLearner
) -> Passes[list[tuple[str, Update]]]:
    """The averaged perceptron, with augmented losses where there are any."""
    pairs = zip(data.sentences, data.gold, strict=True)
    treebank = DataSet("treebank", [FullTree(*pair) for pair in pairs])
    entries = zip(settings.augment, data.augmented, strict=True)
    others = [augmented_set(each, trees, data.encoder) for each, trees in entries]
    return augmented_learner(parser, treebank, others, settings.optimiser.iterations, run.seed)


def read_augmented(augment: Sequence[AugmentSettings]) -> Iterator[list[DependencyTree]]:
    """The sentences of each entry of an `[[augment]]` list."""
    for each in augment:
        yield list(conllu.read(each.data, heads="all" if each.supervision == "trees" else "some"))
