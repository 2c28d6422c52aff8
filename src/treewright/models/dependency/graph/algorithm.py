"""Graph-based parsing as algorithms of dependency models: "mst" (all trees) and "eisner"."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from typing import Any

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ConfigError
from treewright.losses.settings import ObjectiveSettings
from treewright.models.dependency.algorithms import (
    MAX_WORDS,
    Algorithm,
    Found,
    TrainingData,
    TreeParser,
)
from treewright.models.dependency.graph.parser import GraphParser, Trees
from treewright.models.dependency.graph.trainer import ForestTrainer, GraphTrainer, SumTrainer
from treewright.models.dependency.settings import Decoder, DependencyConfig, DependencySettings
from treewright.scores.dependency.arcs import ArcLabels
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.train.online import Passes
from treewright.train.run import Run

TREES: Mapping[str, Trees] = {"mst": "spanning", "eisner": "projective"}


class GraphTrees:
    """A trained graph-based parser."""

    max_words = MAX_WORDS

    def __init__(
        self,
        parser: GraphParser,
        arrays: Mapping[str, NDArray[Any]],
        decoder: Decoder = "viterbi",
    ) -> None:
        self.parser, self.arrays, self.decoder = parser.with_weights(arrays), arrays, decoder

    def parse_batch(self, sentences: Sequence[EncodedSentence], threads: int = 1) -> list[Found]:
        if threads == 1:
            return [self._best(sentence) for sentence in sentences]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(self._best, sentences))

    def _best(self, sentence: EncodedSentence) -> Found:
        if self.decoder == "min-risk" and self.parser.scores_all_arcs(sentence):
            best, gain = self.parser.min_risk(sentence)
            return Found(best.heads, best.labels, best.score, gain)
        return self.kbest(sentence, 1)[0]

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Found]:
        return [Found(p.heads, p.labels, p.score) for p in self.parser.kbest(sentence, k)]

    def marginals(self, sentence: EncodedSentence) -> Floats | None:
        usable = self.parser.scores_all_arcs(sentence)
        return self.parser.marginals(sentence) if usable else None

    def log_z(self, sentence: EncodedSentence) -> float | None:
        usable = self.parser.scores_all_arcs(sentence)
        return self.parser.log_z(sentence) if usable else None

    def with_decoder(self, decoder: Decoder) -> "GraphTrees":
        other = copy(self)
        other.decoder = decoder
        return other

    def with_beam(self, beam: int) -> "GraphTrees":
        raise ConfigError(f"a graph-based parser does not support --beam {beam}")


def frozen(parser: GraphParser) -> GraphTrees:
    """The parser with its averaged weights."""
    return GraphTrees(parser, parser.averaged())


def _train(settings: DependencySettings, data: TrainingData, run: Run) -> TreeParser:
    # Here, because a parser does not need it.
    from treewright.models.dependency.training import perceptron_learner, train_trees

    labels, decoder = len(data.encoder.relations), TREES[settings.algorithm]
    learner: Passes[Any]
    if settings.objective.name == "perceptron":
        gold = ((s, g.heads, g.labels) for s, g in zip(data.sentences, data.gold, strict=True))
        roots = ArcLabels.of_roots(gold, labels)
        parser = GraphParser(labels, settings.graph, decoder, allowed=roots)
        learner = perceptron_learner(settings, data, run, parser)
    else:
        parser = GraphParser(labels, settings.graph, decoder, "adagrad")
        trees = list(zip(data.sentences, data.gold, strict=True))
        chosen = trainer(
            parser, settings.objective, settings.optimiser.rate, settings.graph.labelled
        )
        learner = chosen.learner(trees, settings.optimiser.iterations, run.seed)
    make = partial(GraphTrees, parser, decoder=settings.graph.decoding)
    return train_trees(settings, data, run, learner, make)


def trainer(
    parser: GraphParser, objective: ObjectiveSettings, rate: float, labelled: bool = True
) -> GraphTrainer:
    """The trainer for an objective."""
    if objective.name == "likelihood":
        return SumTrainer(parser, 0.0, labelled, rate)
    if objective.name == "softmax-margin" and objective.loss == "hamming":
        return SumTrainer(parser, objective.tau, labelled, rate)
    return ForestTrainer(parser, objective.make(), labelled, rate)


def _arrays(parser: GraphTrees) -> dict[str, NDArray[Any]]:
    return dict(parser.arrays)


def _load(
    config: DependencyConfig, encoder: TreeEncoder, arrays: Mapping[str, NDArray[Any]]
) -> GraphTrees:
    trees = TREES[config.algorithm]
    bare = GraphParser(len(encoder.relations), config.graph, trees, "no")
    return GraphTrees(bare, arrays)


ALGORITHM = Algorithm(_train, _arrays, _load)
