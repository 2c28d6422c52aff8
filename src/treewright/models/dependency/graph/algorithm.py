"""Graph-based parsers as algorithms of dependency models: "mst" (all trees), "eisner"."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from numpy.typing import NDArray

from treewright.errors import ConfigError
from treewright.inference.transition import Tree
from treewright.losses.settings import ObjectiveSettings
from treewright.models.dependency.algorithms import Algorithm, TrainingData, TreeParser
from treewright.models.dependency.graph.forest import ForestTrainer
from treewright.models.dependency.graph.parser import Decoder, GraphParser
from treewright.models.dependency.graph.sums import SumTrainer
from treewright.models.dependency.graph.trainer import GraphTrainer
from treewright.models.dependency.online_training import perceptron_learner, train_trees
from treewright.models.dependency.settings import DependencySettings
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.train.online import Passes
from treewright.train.run import Run

DECODERS: Mapping[str, Decoder] = {"mst": "spanning", "eisner": "projective"}


class GraphTrees:
    """A trained graph-based parser as dependency models use it."""

    def __init__(self, parser: GraphParser, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.parser, self.arrays = parser.with_weights(arrays), arrays

    def parse_batch(
        self, sentences: Sequence[EncodedSentence], threads: int = 1, beam: int | None = None
    ) -> list[Tree]:
        """The best tree of every sentence, empty ones included."""
        _reject_beam(beam)
        if threads == 1:
            return [self._best(sentence) for sentence in sentences]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self._best, sentences))

    def _best(self, sentence: EncodedSentence) -> Tree:
        found = self.parser.parse(sentence)
        return found.heads, found.labels, found.score

    def kbest(self, sentence: EncodedSentence, k: int, beam: int | None = None) -> list[Tree]:
        """At most k different trees, the best first."""
        _reject_beam(beam)
        if self.parser.settings.decoding == "min-risk":
            raise ConfigError("a model with graph.decoding = min-risk gives one tree a sentence")
        return [(each.heads, each.labels, each.score) for each in self.parser.kbest(sentence, k)]


def _reject_beam(beam: int | None) -> None:
    if beam is not None:
        raise ConfigError("a graph-based parser has no beam")


def frozen(parser: GraphParser) -> GraphTrees:
    """A parser of the averaged weights of another."""
    return GraphTrees(parser, parser.averaged())


def _train(settings: DependencySettings, data: TrainingData, run: Run) -> TreeParser:
    labels, decoder = len(data.encoder.relations), DECODERS[settings.algorithm]
    learner: Passes[Any]
    if settings.objective.name == "perceptron":
        parser = GraphParser(labels, settings.graph, decoder)
        learner = perceptron_learner(settings, data, run, parser)
    else:
        parser = GraphParser(labels, settings.graph, decoder, "adagrad")
        trees = list(zip(data.sentences, data.gold, strict=True))
        by = trainer(parser, settings.objective, settings.optimiser.rate)
        learner = by.learner(trees, settings.optimiser.iterations, run.seed)
    return train_trees(settings, data, run, learner, partial(GraphTrees, parser))


def trainer(parser: GraphParser, objective: ObjectiveSettings, rate: float) -> GraphTrainer:
    """The trainer of a parser by an objective."""
    labelled = parser.settings.labelled
    if objective.name == "likelihood":
        return SumTrainer(parser, 0.0, labelled, rate)
    if objective.name == "softmax-margin" and objective.loss == "hamming":
        return SumTrainer(parser, objective.tau, labelled, rate)
    return ForestTrainer(parser, objective.make(), labelled, rate)


def _arrays(parser: GraphTrees) -> dict[str, NDArray[Any]]:
    return dict(parser.arrays)


def _load(
    settings: DependencySettings, encoder: TreeEncoder, arrays: Mapping[str, NDArray[Any]]
) -> GraphTrees:
    decoder = DECODERS[settings.algorithm]
    bare = GraphParser(len(encoder.relations), settings.graph, decoder, "no")
    return GraphTrees(bare, arrays)


ALGORITHM = Algorithm(_train, _arrays, _load)
