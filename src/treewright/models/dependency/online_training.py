"""Passes of online training with a dev score after each, for parsers of every algorithm."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar

from numpy.typing import NDArray

from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.models.dependency.algorithms import TrainingData, TreeParser
from treewright.train.augmented import DataSet, FullTree, Pass, TreeLearner, train_augmented
from treewright.train.online import Resumable, prefixed, without_prefix
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings, augmented_set

P = TypeVar("P", bound=TreeParser)
NAME = "trees"  # of the training in the records and of its checkpoint
LEARNER, BEST = "learner", "best"  # its parts
Arrays = dict[str, NDArray[Any]]


class Passes(Protocol):
    """`passes` over the training sentences; `patience`: those without a better score at its end."""

    @property
    def passes(self) -> int: ...
    @property
    def patience(self) -> int: ...


class BestPass(Generic[P]):
    """Keeps the parser of the pass that does best on dev, or of the last one if there is no dev.

    Args:
        how: how many passes, and how long to wait for a better score; 0 is to the end.
        learner: what is trained; after each pass it is kept, with the best parser so far.
        averaged: its averaged weights.
        parser_of: the parser of such weights.
    """

    def __init__(
        self,
        data: TrainingData,
        run: Run,
        how: Passes,
        learner: Resumable,
        averaged: Callable[[], Arrays],
        parser_of: Callable[[Arrays], P],
    ) -> None:
        self.data, self.run, self.how, self.learner = data, run, how, learner
        self.averaged, self.parser_of = averaged, parser_of
        self.best: Arrays = {}
        self.las, self.number = -1.0, 0

    def resume(self) -> int:
        """Continues from the checkpoint, if there is one: the passes that need not be made."""
        if (arrays := self.run.kept(NAME)) is None:
            return 0
        values = self.run.kept_values(NAME)
        self.learner.restore(without_prefix(arrays, LEARNER))
        self.best = without_prefix(arrays, BEST)
        self.las, self.number = values["las"], values["number"]
        return self.how.passes if values["stopped"] else int(values["done"])

    def after(self, number: int, **fields: object) -> bool:
        """Scores and records a finished pass; says whether no further one is worth its time."""
        fields |= {"optimise": NAME, "iteration": number, "number": number}
        if self.data.dev_sentences:
            fields |= self._score(number)
        else:
            self.number = number
        stopped = 0 < self.how.patience <= number - self.number
        self.run.record(**fields)
        arrays = prefixed({LEARNER: self.learner.state(), BEST: self.best})
        values = {"las": self.las, "number": self.number, "done": number, "stopped": stopped}
        self.run.keep(NAME, arrays, **values)
        return stopped

    def _score(self, number: int) -> dict[str, float]:
        weights = self.averaged()
        found = self.parser_of(weights).parse_batch(self.data.dev_sentences, self.run.threads)
        uas, las = self.data.dev_scores(found)
        if las > self.las:
            self.best, self.las, self.number = weights, las, number
        return {"score": las / 100, "dev_uas": uas, "dev_las": las}

    def result(self) -> P:
        """The parser of pass `number`."""
        return self.parser_of(self.best or self.averaged())

    @property
    def scores(self) -> dict[str, float]:
        """Its score, where there is one."""
        return {"dev_las": self.las} if self.data.dev_sentences else {}


def train_online(
    best: BestPass[P], learner: TreeLearner, augment: Sequence[AugmentSettings] = ()
) -> P:
    """The averaged perceptron, with augmented losses where there are any."""
    data, run, passes = best.data, best.run, best.how.passes
    pairs = zip(data.sentences, data.gold, strict=True)
    treebank = DataSet("treebank", [FullTree(*pair) for pair in pairs])
    entries = zip(augment, data.augmented, strict=True)
    others = [augmented_set(each, trees, data.encoder) for each, trees in entries]
    done = best.resume()
    with run.progress("sentences", passes * len(treebank.examples)) as bar:

        def after(each: Pass) -> bool:
            wrong = {name: each.updates[name] / max(1, each.seen[name]) for name in each.seen}
            return best.after(each.number, updates=wrong)

        train_augmented(learner, treebank, others, passes, run.seed, after, bar.advance, done)
    return best.result()


def read_augmented(augment: Sequence[AugmentSettings]) -> Iterator[list[DependencyTree]]:
    """The sentences of each entry of an `[[augment]]` list."""
    for each in augment:
        yield list(conllu.read(each.data, heads="all" if each.supervision == "trees" else "some"))
