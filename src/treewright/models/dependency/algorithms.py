"""The algorithms of dependency parsers, by name: each is trained and loaded by its own module.

A module exports `ALGORITHM`; it is imported when it is asked for. Two names may share a module.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, Self, cast

from numpy.typing import NDArray

from treewright.arrays import Floats, Indices
from treewright.data.dependency import DependencyTree
from treewright.errors import ConfigError
from treewright.models.dependency.settings import Decoder, DependencyConfig, DependencySettings
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.train.online import Parse
from treewright.train.run import Run

MODULES = {
    "arc-eager": "treewright.models.dependency.transition.algorithm",
    "arc-hybrid": "treewright.models.dependency.transition.algorithm",
    "mst": "treewright.models.dependency.graph.algorithm",
    "eisner": "treewright.models.dependency.graph.algorithm",
}

MAX_WORDS = 1000  # of sentences whose arcs are all scored: time and memory are quadratic


class Found(NamedTuple):
    """A tree with the model's score, and what a minimum-risk decoder gains by it."""

    heads: Indices
    labels: Indices
    score: float
    gain: float | None = None


@dataclass(frozen=True)
class TrainingData:
    """Encoded sentences with their gold trees, to train on and to choose a pass by.

    `augmented` has the sentences of each `[[augment]]` entry, with their tags.
    """

    encoder: TreeEncoder
    sentences: Sequence[EncodedSentence]
    gold: Sequence[Parse]
    dev_sentences: Sequence[EncodedSentence]
    dev_gold: Sequence[Parse]
    augmented: Sequence[Sequence[DependencyTree]] = ()

    def dev_scores(self, trees: Sequence[Found]) -> tuple[float, float]:
        """Unlabelled and labelled attachment on the dev sentences, in per cent."""
        words = sum(map(len, self.dev_sentences)) or 1
        right = labelled = 0
        for (heads, labels, *_), gold in zip(trees, self.dev_gold, strict=True):
            same = heads == gold.heads
            right += int(same.sum())
            labelled += int((same & (labels == gold.labels)).sum())
        return 100 * right / words, 100 * labelled / words


class TreeParser(Protocol):
    """A trained parser of encoded sentences, whatever its algorithm.

    max_words: the longest sentence that it should be given, unless the user says otherwise.
    """

    max_words: int

    def parse_batch(self, sentences: Sequence[EncodedSentence], threads: int = 1) -> list[Found]:
        """The tree that the decoder chooses for every sentence, empty ones included."""

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Found]:
        """At most k different trees, the best first."""

    def marginals(self, sentence: EncodedSentence) -> Floats | None:
        """Probabilities of arcs [head, word, label]; None where there are no sums over trees."""

    def log_z(self, sentence: EncodedSentence) -> float | None:
        """The log of the summed weights of all trees; None where there are no such sums."""

    def with_decoder(self, decoder: Decoder) -> Self:
        """The same parser with another decoder."""

    def with_beam(self, beam: int) -> Self:
        """The same parser with another beam."""


@dataclass(frozen=True)
class Algorithm:
    """How an algorithm is trained, kept and loaded.

    `load` gets the arrays that `arrays` gave.
    """

    train: Callable[[DependencySettings, TrainingData, Run], TreeParser]
    arrays: Callable[[Any], dict[str, NDArray[Any]]]
    load: Callable[[DependencyConfig, TreeEncoder, Mapping[str, NDArray[Any]]], TreeParser]


def algorithm_named(name: str) -> Algorithm:
    """The algorithm of that name."""
    known = [each for each, module in MODULES.items() if find_spec(module)]
    if name not in known:
        raise ConfigError(f"unknown algorithm {name!r}: one of {', '.join(known)}")
    return cast(Algorithm, import_module(MODULES[name]).ALGORITHM)
