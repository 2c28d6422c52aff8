"""Online learning: the interface of parsers, and epochs over examples.

The perceptron of Collins (2002) and the augmented-loss training of Hall et al. (2011) need a k-best
list under the current weights, an update towards one parse and away from another, and the average
of the weights over all examples.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Indices
from treewright.scores.dependency.encoder import EncodedSentence
from treewright.train.loop import Arrays, State, Step, Tick, Values, silent

T = TypeVar("T")
CHUNK = 100  # examples between two points at which the state can be saved


@dataclass(frozen=True)
class Parse:
    """A tree: heads count words from 1, the root is 0; labels are relation numbers."""

    heads: Indices
    labels: Indices
    score: float = 0.0


class Weights(Protocol):
    """Weights of online learning; training can continue bit-identically from a saved state."""

    def averaged(self) -> Arrays:
        """The weights averaged over all examples seen, as arrays for a bundle."""
        ...

    def state(self) -> Arrays:
        """The state for a checkpoint."""
        ...

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores a state; nothing may have been learned before."""
        ...


class OnlineParser(Weights, Protocol):
    """A parser with trainable weights."""

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Parse]:
        """At most k parses under the current (not averaged) weights, best score first."""
        ...

    def best_with_root(self, sentence: EncodedSentence, root: int) -> Parse:
        """The best parse found whose root is the given word, counted from 1."""
        ...

    def update(
        self, sentence: EncodedSentence, better: Parse, worse: Parse, rate: float = 1.0
    ) -> None:
        """w += rate * (f(better) - f(worse))."""
        ...

    def tick(self) -> None:
        """Counts one example, for averaging."""
        ...


class Passes(Generic[T]):
    """A learner that runs epochs over examples, a few examples at a time.

    Args:
        weights: the weights to train.
        examples: an infinite, reproducible stream of examples.
        size: the number of examples per epoch.
        learn: learns from some examples; its figures are summed over the epoch.
        step: the record of an epoch, given its number and the sums.
        iterations: the number of epochs.
    """

    def __init__(
        self,
        weights: Weights,
        examples: Iterator[T],
        size: int,
        learn: Callable[[list[T]], Mapping[str, float]],
        step: Callable[[int, Mapping[str, float]], Step],
        iterations: int,
    ) -> None:
        self.weights, self.examples, self.size = weights, examples, size
        self.learn, self.step, self.iterations = learn, step, iterations
        self.passes = self.place = 0
        self.sums: Counter[str] = Counter()

    @property
    def done(self) -> bool:
        return self.passes >= self.iterations

    def model(self) -> Arrays:
        return self.weights.averaged()

    def advance(self, tick: Tick = silent) -> Step:
        """Runs one epoch."""
        while self.place < self.size:
            if self.place:
                tick(self.passes + self.place / self.size)
            some = list(islice(self.examples, min(CHUNK, self.size - self.place)))
            self.sums.update(self.learn(some))
            self.place += len(some)
        self.passes += 1
        step = self.step(self.passes, self.sums)
        self.place, self.sums = 0, Counter()
        return step

    def state(self) -> State:
        values = {"passes": self.passes, "place": self.place, "sums": dict(self.sums)}
        return self.weights.state(), values

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        self.weights.restore(arrays)
        self.passes, self.place = values["passes"], values["place"]
        if not (0 <= self.passes <= self.iterations and 0 <= self.place <= self.size):
            raise ValueError(f"pass {self.passes} of {self.iterations}, place {self.place}")
        self.sums = Counter(values["sums"])
        seen = self.passes * self.size + self.place
        next(islice(self.examples, seen, seen), None)


def shuffled(items: Sequence[T], rng: np.random.Generator) -> Iterator[T]:
    """The items over and over, shuffled anew each time."""
    while True:
        for i in rng.permutation(len(items)):
            yield items[i]
