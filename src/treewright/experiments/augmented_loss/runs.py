"""Shared parts of the augmented-loss experiments: trained parsers of both families, and parses.

Parses are stored in the run directories, so a repeated experiment only counts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from treewright.arrays import Indices
from treewright.config import setting
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.experiments.experiment import Context
from treewright.metrics.counts import Counts
from treewright.metrics.sentences import NamedCounts, dep_counts
from treewright.metrics.significance import paired_bootstrap
from treewright.models.dependency.algorithms import TrainingData, TreeParser
from treewright.models.dependency.analysis import parsed_tree
from treewright.models.dependency.graph.algorithm import frozen
from treewright.models.dependency.graph.parser import GraphParser
from treewright.models.dependency.settings import (
    DependencySettings,
    GraphSettings,
    TransitionSettings,
)
from treewright.models.dependency.training import encoded
from treewright.models.dependency.transition.algorithm import TransitionTrees, new_learner
from treewright.scores.dependency.encoder import TreeEncoder
from treewright.storage.bundle import Bundle
from treewright.train.augmented import DataSet, FullTree, TreeLearner, augmented_learner
from treewright.train.loop import finish
from treewright.train.online import Parse
from treewright.train.supervision import AugmentSettings, augmented_set

Family = Literal["transition", "graph"]
EWT = Path("data/dep-ewt")
Trees = Sequence[DependencyTree]
NOTE = (
    "Per cent, ours and the paper's. p: paired bootstrap over sentences against the plain parser. "
    "LAS and UAS as the CoNLL 2018 scorer computes them."
)
Others = Callable[[TreeEncoder], Sequence[DataSet]]


def augmented(settings: AugmentSettings, trees: Sequence[DependencyTree]) -> Others:
    """A data set of these sentences, built when the encoder is known."""
    return lambda encoder: [augmented_set(settings, trees, encoder)]


@dataclass(frozen=True)
class AugmentedSettings:
    """Data and training of both parsers."""

    train: Path = setting(EWT / "train.conllu", "training trees")
    dev: Path = setting(EWT / "dev.conllu", "dev trees")
    sentences: int = setting(0, "maximum number of training sentences; 0: all")
    parsers: tuple[Family, ...] = setting(("transition", "graph"), "parsers to train")
    passes: int = setting(5, "number of epochs")
    k: int = setting(8, "size of k-best lists, and of the beam that produces them")
    beam: int = setting(8, "beam size of the transition parser in treebank updates and in parsing")
    transition_features: str = setting("rich", "feature set of the transition parser")
    graph_features: str = setting("rich", "feature set of the graph parser")
    seeds: tuple[int, ...] = setting((), "seeds to average over; empty: only --seed")

    @cached_property
    def dev_trees(self) -> list[DependencyTree]:
        return list(conllu.read(self.dev))

    def treebank(self, seed: int) -> list[DependencyTree]:
        """The training trees in random order, up to the limit in the settings."""
        return shuffled_trees(self.train, seed, self.sentences)


def shuffled_trees(file: Path, seed: int, most: int = 0) -> list[DependencyTree]:
    """The trees of a file in random order, up to a number of them; 0: all."""
    trees = list(conllu.read(file))
    order = np.random.default_rng(seed).permutation(len(trees))
    return [trees[i] for i in order[: most or len(trees)]]


def stored_parses(parses: Sequence[Parse]) -> dict[str, Indices]:
    """The concatenated heads and labels of all words."""
    return {
        name: np.concatenate([getattr(each, name) for each in parses])
        for name in ("heads", "labels")
    }


def parses_of(made: Bundle, test: Trees, prefix: str = "") -> list[DependencyTree]:
    """Test sentences with the heads and labels in a bundle."""
    relations = made.texts["relations"].split("\n")
    heads, labels = (made.arrays[f"{prefix}{name}"].tolist() for name in ("heads", "labels"))
    trees, begin = [], 0
    for tree in test:
        end = begin + len(tree)
        names = [relations[label] for label in labels[begin:end]]
        trees.append(parsed_tree(tree, heads[begin:end], names))
        begin = end
    return trees


@dataclass(frozen=True, eq=False)
class Task:
    """One training: trees, functions that build other data sets, and sentences to parse.

    `known`: further sentences whose words, but not trees, are in training. `again`: treebank trees
    repeated per tree, as a control with as many examples as an augmented loss. `alone`: the first
    of the other data sets leads, and no tree is learned.
    """

    name: str
    family: Family
    trees: Trees
    test: Trees
    others: Others = lambda _: ()
    known: Trees = ()
    label_variants: bool = False
    again: float = 0.0
    alone: bool = False

    def parses(self, context: Context) -> list[DependencyTree]:
        """The parses of the test sentences, from the run directory if they are there."""
        return parses_of(self._made(context), self.test)

    def updates(self, context: Context) -> int:
        """The number of updates in training."""
        return int(self._made(context).arrays["updates"].sum())

    def _made(self, context: Context) -> Bundle:
        run = context.run(f"{self.family}-{self.name}")
        return run.stage("parses", lambda: self._run(context))

    def _run(self, context: Context) -> Bundle:
        settings: AugmentedSettings = context.settings
        words = [tree.words for tree in (*self.trees, *self.known)]
        encoder = TreeEncoder.fit(words, (word.deprel for t in self.trees for word in t.words))
        data = TrainingData(encoder, *encoded(encoder, [tree.words for tree in self.trees]), [], [])
        learner, freeze = self._learner(settings, data)
        first, *others = self._sets(data)
        with context.progress(f"{self.family} {self.name}", settings.passes) as bar:
            steps = finish(
                augmented_learner(learner, first, others, settings.passes, context.seed),
                bar.move_to,
            )
        tests = [encoder.encode(tree.words) for tree in self.test]
        parses = freeze().parse_batch(tests)
        arrays = stored_parses([Parse(*each[:3]) for each in parses])
        updates = [sum(step.figures["updates"].values()) for step in steps]
        arrays["updates"] = np.array(updates, np.int32)
        return Bundle("parses", {}, arrays, {"relations": "\n".join(encoder.relations)}, {})

    def _sets(self, data: TrainingData) -> list[DataSet]:
        """The data sets, the leading one first."""
        others = list(self.others(data.encoder))
        if self.alone:
            return others
        examples = [FullTree(*pair) for pair in zip(data.sentences, data.gold, strict=True)]
        again = [DataSet("treebank again", examples, self.again)] if self.again else []
        return [DataSet("treebank", examples), *others, *again]

    def _learner(
        self, settings: AugmentedSettings, data: TrainingData
    ) -> tuple[TreeLearner, Callable[[], TreeParser]]:
        """A parser to train, and a function that returns its averaged form."""
        if self.family == "graph":
            how = GraphSettings(
                features=settings.graph_features, label_variants=self.label_variants
            )
            graph = GraphParser(len(data.encoder.relations), how, "spanning")
            return graph, lambda: frozen(graph)
        search = TransitionSettings(features=settings.transition_features, beam=settings.beam)
        learner = new_learner(DependencySettings(transition=search), data)
        return learner, lambda: TransitionTrees.of(learner.shape, learner.averaged(), settings.beam)


def scored(context: Context, tasks: Sequence[Task]) -> Iterator[tuple[Task, NamedCounts, Trees]]:
    """The parses of each task, with counts."""
    for task in tasks:
        parses = task.parses(context)
        yield task, dep_counts(parses, task.test), parses


def per_cent(counts: Counts) -> float:
    """F1, which is accuracy if the number of predicted items is fixed."""
    return 100 * counts.score().f


def p_value(counts: Counts, plain: Counts, seed: int) -> float | None:
    """The p-value of the paired bootstrap against the plain parser; None for that parser itself."""
    return None if counts is plain else paired_bootstrap(counts, plain, "f1", seed=seed).p_value
