"""What a trainer of online updates asks of a parser, whatever the parser's algorithm.

The perceptron of Collins (2002) and the augmented-loss training of Hall et al. (2011) need a k-best
list under the current weights, an update towards one parse and away from another, and the average
of the weights over all examples.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from treewright.arrays import Indices
from treewright.scores.dependency.encoder import EncodedSentence


@dataclass(frozen=True)
class Parse:
    """A tree: heads count words from 1, the root is 0; labels are numbers of relations."""

    heads: Indices
    labels: Indices
    score: float = 0.0


class OnlineParser(Protocol):
    """A parser with weights that change."""

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Parse]:
        """At most k parses, the best first, under the current (not the averaged) weights."""
        ...

    def best_with_root(self, sentence: EncodedSentence, root: int) -> Parse:
        """The best parse that a search finds among those with this word, from 1, as the root."""
        ...

    def update(
        self, sentence: EncodedSentence, better: Parse, worse: Parse, rate: float = 1.0
    ) -> None:
        """w += rate * (f(better) - f(worse))."""
        ...

    def tick(self) -> None:
        """Counts one example as seen, for the average."""
        ...

    def averaged(self) -> dict[str, NDArray[Any]]:
        """The weights averaged over all examples seen, as arrays for a bundle."""
        ...


class Resumable(Protocol):
    """A learner that another one can continue, bit for bit."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that learning goes on from."""
        ...

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continues, in a learner without weights, from the state of another."""
        ...


def prefixed(groups: Mapping[str, Mapping[str, NDArray[Any]]]) -> dict[str, NDArray[Any]]:
    """Arrays of several in one: each name begins with its group's and a dot."""
    return {f"{name}.{key}": a for name, arrays in groups.items() for key, a in arrays.items()}


def without_prefix(arrays: Mapping[str, NDArray[Any]], name: str) -> dict[str, NDArray[Any]]:
    """The arrays of one group."""
    start = f"{name}."
    return {key.removeprefix(start): a for key, a in arrays.items() if key.startswith(start)}
