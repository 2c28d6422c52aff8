"""Augmented-loss training: a perceptron that learns from several data sets, each with its own loss.

Algorithms 1 to 3 of Hall et al. (2011), "Training dependency parsers by jointly optimizing multiple
objectives". One data set leads: a pass goes through it once. The schedule says how many examples of
each other data set are taken for each of the leading one; they come round as often as needed.
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
    """An online parser with its own way to learn a tree: a beam's updates differ from a chart's."""

    def learn(self, sentence: EncodedSentence, gold: Parse) -> bool:
        """Algorithm 1: towards the gold tree, away from the prediction, if they differ."""
        ...


class Update(Protocol):
    """Learns from one example; says whether the weights changed."""

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
    """Algorithm 3, the inline ranker: towards the k-best list's parse of the lowest loss.

    It needs a loss for each candidate, and no gold tree. Nothing changes unless some parse has a
    strictly lower loss than the first.
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
    """Towards the best parse with the known root, found by a search among such parses alone.

    The k-best list may hold no tree with that root; this search always does (the paper's footnote
    2, and the forced decoding of Yu et al. 2013). A beam may find a better tree with the root than
    without the constraint: an error of the search, from which nothing is learned.
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
    """The structured perceptron's way to learn a tree (Collins 2002)."""
    best = parser.kbest(sentence, 1)[0]
    if np.array_equal(best.heads, gold.heads) and np.array_equal(best.labels, gold.labels):
        return False
    parser.update(sentence, gold, best)
    return True


@dataclass(frozen=True, eq=False)
class DataSet:
    """Examples that are learned from in one way.

    `schedule` is the number of examples taken for each of the leading data set: 0.5 is one for two.
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
    """Algorithm 2: passes over the treebank, with examples of the other data sets in between.

    The figures of a pass are the examples seen and the updates made, by data set.
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
    """An example of the first set, and those of the others that are due with it."""
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
