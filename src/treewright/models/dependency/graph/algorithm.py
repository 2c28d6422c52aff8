"""Graph-based parsers as algorithms of dependency models: "mst" (all trees), "eisner"."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from functools import partial
from typing import Any, Protocol

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ConfigError
from treewright.losses import objective_named
from treewright.models.dependency.algorithms import (
    Algorithm,
    Decoder,
    Found,
    TrainingData,
    TreeParser,
)
from treewright.models.dependency.graph.forest import ForestTrainer
from treewright.models.dependency.graph.parser import (
    GraphModelSettings,
    GraphParser,
    GraphSettings,
    Trees,
)
from treewright.models.dependency.graph.sums import SumTrainer
from treewright.models.dependency.graph.trainer import GraphPass, GraphTrainer
from treewright.models.dependency.online_training import BestPass, train_online
from treewright.scores.dependency.encoder import EncodedSentence, Encoder
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings

TREES: Mapping[str, Trees] = {"mst": "spanning", "eisner": "projective"}


class _Settings(Protocol):
    @property
    def algorithm(self) -> str: ...
    @property
    def graph(self) -> GraphSettings: ...
    @property
    def augment(self) -> list[AugmentSettings]: ...


class GraphTrees:
    """A trained graph-based parser as dependency models use it."""

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

    def with_decoder(self, decoder: Decoder) -> "GraphTrees":
        other = copy(self)
        other.decoder = decoder
        return other

    def with_beam(self, beam: int) -> "GraphTrees":
        raise ConfigError(f"a graph-based parser has no beam, of {beam} or another size")


def frozen(parser: GraphParser) -> GraphTrees:
    """A parser of the averaged weights of another."""
    return GraphTrees(parser, parser.averaged())


def _train(settings: _Settings, data: TrainingData, run: Run) -> TreeParser:
    """The averaged weights after the pass that does best on dev, or after the last one."""
    how, decoder = settings.graph, TREES[settings.algorithm]
    labels = len(data.encoder.relations)
    if how.objective == "perceptron":
        parser = GraphParser(labels, how, decoder)
        return train_online(_best_pass(parser, how, data, run), parser, settings.augment)
    if settings.augment:
        raise ConfigError(f"the objective {how.objective!r} goes with no [[augment]]")
    learner = trainer(GraphParser(labels, how, decoder, "adagrad"), how)
    return _train_sums(learner, how, data, run)


def trainer(parser: GraphParser, how: GraphSettings) -> GraphTrainer:
    """Of the objective that the settings name."""
    taus = {"likelihood": 0.0, "softmax-margin": how.tau}
    if how.objective in taus and how.loss == "hamming":
        return SumTrainer(parser, taus[how.objective], how.labelled, how.rate)
    if parser.decoder != "projective":
        raise ConfigError(
            f"the objective {how.objective!r} with the loss {how.loss!r} needs the algorithm eisner"
        )
    objective = objective_named(how.objective, how.loss, how.tau)
    return ForestTrainer(parser, objective, how.labelled, how.rate)


def _train_sums(
    learner: GraphTrainer, how: GraphSettings, data: TrainingData, run: Run
) -> TreeParser:
    best = _best_pass(learner.parser, how, data, run)
    trees, done = list(zip(data.sentences, data.gold, strict=True)), best.resume()
    with run.progress("sentences", how.passes * len(trees)) as bar:

        def after(each: GraphPass) -> bool:
            return best.after(each.number, objective=each.value, left_out=each.left_out)

        learner.train(trees, how.passes, run.seed, after, lambda: bar.advance(1), done)
    return best.result()


def _best_pass(
    parser: GraphParser, how: GraphSettings, data: TrainingData, run: Run
) -> BestPass[GraphTrees]:
    make = partial(GraphTrees, parser, decoder=how.decoding)
    return BestPass(data, run, how, parser, parser.averaged, make)


def _arrays(parser: GraphTrees) -> dict[str, NDArray[Any]]:
    return dict(parser.arrays)


class _Config(Protocol):
    @property
    def algorithm(self) -> str: ...
    @property
    def graph(self) -> GraphModelSettings: ...


def _load(config: _Config, encoder: Encoder, arrays: Mapping[str, NDArray[Any]]) -> GraphTrees:
    trees = TREES[config.algorithm]
    bare = GraphParser(len(encoder.relations), config.graph, trees, "no")
    return GraphTrees(bare, arrays)


ALGORITHM = Algorithm(_train, _arrays, _load)
