"""Passes of online training with a dev score after each, for parsers of every algorithm."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from treewright.data import conllu
from treewright.models.dependency_algorithms import TrainingData, TreeParser
from treewright.scores.encoding import Encoder
from treewright.train.augmented import DataSet, FullTree, Pass, TreeLearner, train_augmented
from treewright.train.run import Run
from treewright.train.supervision import AugmentSettings, augmented_set

P = TypeVar("P", bound=TreeParser)
NAME = "trees"  # of the training in the records


class BestPass(Generic[P]):
    """Keeps the parser of the pass that does best on dev, or of the last one if there is no dev.

    Args:
        freeze: the parser of a learner's averaged weights.
        patience: passes without a better score before training stops; 0 is never.
    """

    def __init__(
        self, data: TrainingData, run: Run, freeze: Callable[[], P], patience: int
    ) -> None:
        self.data, self.run, self.freeze, self.patience = data, run, freeze, patience
        self.parser: P | None = None
        self.las, self.number = -1.0, 0

    def after(self, number: int, **fields: object) -> bool:
        """Scores and records a finished pass; says whether no further one is worth its time."""
        fields |= {"optimise": NAME, "iteration": number, "number": number}
        if not self.data.dev_sentences:
            self.number = number
            self.run.record(**fields)
            return False
        found = self.freeze()
        uas, las = self.data.dev_scores(
            found.parse_batch(self.data.dev_sentences, self.run.threads)
        )
        self.run.record(**fields, score=las / 100, dev_uas=uas, dev_las=las)
        if las > self.las:
            self.parser, self.las, self.number = found, las, number
        return 0 < self.patience <= number - self.number

    def result(self) -> P:
        """The parser of pass `number`."""
        return self.parser or self.freeze()

    @property
    def scores(self) -> dict[str, float]:
        """Its score, where there is one."""
        return {"dev_las": self.las} if self.data.dev_sentences else {}


def train_online(
    learner: TreeLearner,
    freeze: Callable[[], TreeParser],
    data: TrainingData,
    run: Run,
    passes: int,
    patience: int,
    augment: Sequence[AugmentSettings] = (),
) -> TreeParser:
    """The averaged perceptron, with augmented losses where there are any."""
    pairs = zip(data.sentences, data.gold, strict=True)
    treebank = DataSet("treebank", [FullTree(*pair) for pair in pairs])
    others = augmented_sets(augment, data.encoder)
    best = BestPass(data, run, freeze, patience)
    with run.progress("sentences", passes * len(treebank.examples)) as bar:

        def after(done: Pass) -> bool:
            wrong = {name: done.updates[name] / max(1, done.seen[name]) for name in done.seen}
            return best.after(done.number, updates=wrong)

        train_augmented(learner, treebank, others, passes, run.seed, after, lambda: bar.advance(1))
    return best.result()


def augmented_sets(augment: Sequence[AugmentSettings], encoder: Encoder) -> list[DataSet]:
    """The data sets of an `[[augment]]` list, read from their files."""
    return [
        augmented_set(
            each,
            conllu.read(each.data, heads="all" if each.supervision == "trees" else "some"),
            encoder,
        )
        for each in augment
    ]
