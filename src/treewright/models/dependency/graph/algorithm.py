"""Graph-based parsers as algorithms of dependency models: "mst" (all trees), "eisner"."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Protocol

from numpy.typing import NDArray

from treewright.errors import ConfigError
from treewright.inference.transition import Tree
from treewright.losses import objective_named
from treewright.models.dependency.algorithms import Algorithm, TrainingData, TreeParser
from treewright.models.dependency.graph.forest import ForestTrainer
from treewright.models.dependency.graph.parser import Decoder, GraphParser, GraphSettings
from treewright.models.dependency.graph.sums import SumTrainer
from treewright.models.dependency.graph.trainer import GraphPass, GraphTrainer
from treewright.models.dependency.online_training import BestPass, train_online
from treewright.scores.dependency.encoder import EncodedSentence, Encoder
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings

DECODERS: Mapping[str, Decoder] = {"mst": "spanning", "eisner": "projective"}


class _Settings(Protocol):
    @property
    def algorithm(self) -> str: ...
    @property
    def graph(self) -> GraphSettings: ...
    @property
    def augment(self) -> list[AugmentSettings]: ...


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


def _train(settings: _Settings, data: TrainingData, run: Run) -> TreeParser:
    """The averaged weights after the pass that does best on dev, or after the last one."""
    how, decoder = settings.graph, DECODERS[settings.algorithm]
    labels = len(data.encoder.relations)
    if how.objective == "perceptron":
        parser = GraphParser(labels, how, decoder)
        return train_online(_best_pass(parser, data, run), parser, settings.augment)
    if settings.augment:
        raise ConfigError(f"the objective {how.objective!r} goes with no [[augment]]")
    return _train_sums(trainer(GraphParser(labels, how, decoder, "adagrad")), data, run)


def trainer(parser: GraphParser) -> GraphTrainer:
    """Of the objective that the parser's settings name."""
    how = parser.settings
    taus = {"likelihood": 0.0, "softmax-margin": how.tau}
    if how.objective in taus and how.loss == "hamming":
        return SumTrainer(parser, taus[how.objective], how.labelled, how.rate)
    if parser.decoder != "projective":
        raise ConfigError(
            f"the objective {how.objective!r} with the loss {how.loss!r} needs the algorithm eisner"
        )
    objective = objective_named(how.objective, how.loss, how.tau)
    return ForestTrainer(parser, objective, how.labelled, how.rate)


def _train_sums(learner: GraphTrainer, data: TrainingData, run: Run) -> TreeParser:
    parser = learner.parser
    how = parser.settings
    best = _best_pass(parser, data, run)
    trees, done = list(zip(data.sentences, data.gold, strict=True)), best.resume()
    with run.progress("sentences", how.passes * len(trees)) as bar:

        def after(each: GraphPass) -> bool:
            return best.after(each.number, objective=each.value, left_out=each.left_out)

        learner.train(trees, how.passes, run.seed, after, lambda: bar.advance(1), done)
    return best.result()


def _best_pass(parser: GraphParser, data: TrainingData, run: Run) -> BestPass[GraphTrees]:
    make = partial(GraphTrees, parser)
    return BestPass(data, run, parser.settings, parser, parser.averaged, make)


def _arrays(parser: GraphTrees) -> dict[str, NDArray[Any]]:
    return dict(parser.arrays)


def _load(settings: _Settings, encoder: Encoder, arrays: Mapping[str, NDArray[Any]]) -> GraphTrees:
    decoder = DECODERS[settings.algorithm]
    bare = GraphParser(len(encoder.relations), settings.graph, decoder, "no")
    return GraphTrees(bare, arrays)


ALGORITHM = Algorithm(_train, _arrays, _load)
