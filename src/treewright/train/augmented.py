"""Augmented-loss training: a perceptron that learns from several data sets with different losses.

Algorithms 1 to 3 of Hall et al. (2011), "Training dependency parsers by jointly optimizing multiple
objectives". An epoch is one pass over the leading data set. The schedule is the number of examples
of another data set per example of the leading one; they are repeated as often as needed.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Protocol

import numpy as np

from treewright.errors import ConfigError
from treewright.losses.trees import TreeLoss
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.loop import Step
from treewright.train.online import OnlineParser, Parse, Passes, shuffled

K_BEST = 8  # as in the paper, for both parsers


class TreeLearner(OnlineParser, Protocol):
    """An online parser that learns trees: beam search updates differently from a chart."""

    def learn(self, sentence: EncodedSentence, gold: Parse) -> bool:
        """Algorithm 1: updates towards the gold tree and away from a different prediction."""
        ...


class Update(Protocol):
    """Learns from one example; returns whether the weights changed."""

    def __call__(self, parser: TreeLearner) -> bool: ...


@dataclass(frozen=True, eq=False)
class FullTree:
    """A sentence of the treebank."""

    sentence: EncodedSentence
    gold: Parse

    def __call__(self, parser: TreeLearner) -> bool:
        return parser.learn(self.sentence, self.gold)


@dataclass(frozen=True, eq=False)
class Ranked:
    """Algorithm 3, the inline ranker: updates towards the parse in the k-best list of lowest loss.

    It needs a loss for each candidate, but no gold tree. The weights only change if some parse has
    a strictly lower loss than the first.
    """

    sentence: EncodedSentence
    loss: TreeLoss
    k: int = K_BEST
    rate: float = 1.0

    def __call__(self, parser: TreeLearner) -> bool:
        listed = parser.kbest(self.sentence, self.k)
        losses = [self.loss(parse.heads, parse.labels) for parse in listed]
        best = int(np.argmin(losses))
        if losses[best] >= losses[0]:
            return False
        parser.update(self.sentence, listed[best], listed[0], self.rate)
        return True


@dataclass(frozen=True, eq=False)
class Rooted:
    """Updates towards the best parse with the gold root, found by a constrained search.

    The k-best list can lack trees with this root; the constrained search always finds one (the
    paper's footnote 2, and the forced decoding of Yu et al. 2013). A beam can find a better tree
    with the constraint than without: this is a search error, from which nothing is learned.
    """

    sentence: EncodedSentence
    root: int
    rate: float = 1.0

    def __call__(self, parser: TreeLearner) -> bool:
        best = parser.kbest(self.sentence, 1)[0]
        if best.heads[self.root - 1] == 0:
            return False
        better = parser.best_with_root(self.sentence, self.root)
        if better.score > best.score:
            return False
        parser.update(self.sentence, better, best, self.rate)
        return True


def perceptron(parser: OnlineParser, sentence: EncodedSentence, gold: Parse) -> bool:
    """The update of the structured perceptron for a tree (Collins 2002)."""
    best = parser.kbest(sentence, 1)[0]
    if np.array_equal(best.heads, gold.heads) and np.array_equal(best.labels, gold.labels):
        return False
    parser.update(sentence, gold, best)
    return True


@dataclass(frozen=True, eq=False)
class DataSet:
    """Examples with a common kind of update.

    `schedule` is the number of examples per example of the leading data set: 0.5 is one per two.
    """

    name: str
    examples: Sequence[Update]
    schedule: float = 1.0

    def __post_init__(self) -> None:
        if not self.examples:
            raise ConfigError(f"the data set {self.name!r} has no examples")
        if not self.schedule > 0:
            raise ConfigError(f"{self.name}: the schedule must be positive, not {self.schedule}")


def augmented_learner(
    parser: TreeLearner,
    treebank: DataSet,
    others: Sequence[DataSet] = (),
    passes: int = 10,
    seed: int = 0,
) -> Passes[list[tuple[str, Update]]]:
    """Algorithm 2: epochs over the treebank, interleaved with examples of the other data sets.

    The figures of an epoch are the number of examples and updates of each data set.
    """
    names = [each.name for each in (treebank, *others)]

    def learn(turns: list[list[tuple[str, Update]]]) -> Mapping[str, float]:
        sums: Counter[str] = Counter()
        for name, example in chain.from_iterable(turns):
            sums.update({f"seen {name}": 1, f"updates {name}": example(parser)})
            parser.tick()
        return sums

    def step(number: int, sums: Mapping[str, float]) -> Step:
        kinds = ("seen", "updates")
        figures = {kind: {name: sums.get(f"{kind} {name}", 0) for name in names} for kind in kinds}
        return Step(number, None, figures)

    turns = _turns([treebank, *others], seed)
    return Passes(parser, turns, len(treebank.examples), learn, step, passes)


def _turns(sets: Sequence[DataSet], seed: int) -> Iterator[list[tuple[str, Update]]]:
    """An example of the first set, followed by those of the others that are due."""
    seeds = np.random.SeedSequence(seed).spawn(len(sets))
    streams = [
        shuffled(each.examples, np.random.default_rng(s))
        for each, s in zip(sets, seeds, strict=True)
    ]
    due = [0.0] * len(sets)
    while True:
        turn = [0]
        for i, other in enumerate(sets[1:], start=1):
            due[i] += other.schedule
            while due[i] >= 1:
                due[i] -= 1
                turn.append(i)
        yield [(sets[i].name, next(streams[i])) for i in turn]
