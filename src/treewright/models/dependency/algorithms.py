"""The registry of dependency parsing algorithms.

The module of an algorithm is imported on first use; it exports `ALGORITHM`. Several names can share
a module.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple, Protocol, Self, cast

from numpy.typing import NDArray

from treewright.arrays import Floats, Indices
from treewright.data.dependency import DependencyTree
from treewright.errors import ConfigError
from treewright.models.dependency.settings import (
    TRANSITIONS,
    Decoder,
    DependencyConfig,
    DependencySettings,
)
from treewright.scores.dependency.encoder import EncodedSentence, TreeEncoder
from treewright.train.online import Parse
from treewright.train.run import Run

MODULES = {
    "arc-eager": "treewright.models.dependency.transition.algorithm",
    "arc-hybrid": "treewright.models.dependency.transition.algorithm",
    "mst": "treewright.models.dependency.graph.algorithm",
    "eisner": "treewright.models.dependency.graph.algorithm",
}

MAX_WORDS = 1000  # limit for parsers that score all arcs: time and memory are quadratic


class Found(NamedTuple):
    """A tree with its score, and the expected gain of a minimum-risk decoder."""

    heads: Indices
    labels: Indices
    score: float
    gain: float | None = None


def check_roots(settings: DependencySettings, heads: Iterable[Iterable[int]]) -> None:
    """Raises an error if trees have more roots than a parser's trees."""
    if settings.algorithm not in TRANSITIONS and not settings.graph.single_root:
        return
    if several := sum(sum(head == 0 for head in tree) > 1 for tree in heads):
        raise ConfigError(
            f"{several} trees have several roots: only mst and eisner with"
            " graph.single_root = false learn from such"
        )


@dataclass(frozen=True)
class TrainingData:
    """Encoded sentences with their gold trees, for training and for early stopping.

    `augmented` has the tagged sentences of each `[[augment]]` entry.
    """

    encoder: TreeEncoder
    sentences: Sequence[EncodedSentence]
    gold: Sequence[Parse]
    dev_sentences: Sequence[EncodedSentence]
    dev_gold: Sequence[Parse]
    augmented: Sequence[Sequence[DependencyTree]] = ()

    def dev_scores(self, trees: Sequence[Found]) -> tuple[float, float]:
        """UAS and LAS on the dev sentences, in per cent."""
        words = sum(map(len, self.dev_sentences)) or 1
        right = labelled = 0
        for (heads, labels, *_), gold in zip(trees, self.dev_gold, strict=True):
            same = heads == gold.heads
            right += int(same.sum())
            labelled += int((same & (labels == gold.labels)).sum())
        return 100 * right / words, 100 * labelled / words


class TreeParser(Protocol):
    """The interface of parsers that find trees for encoded sentences.

    max_words: the default maximum sentence length.
    """

    max_words: int

    def parse_batch(self, sentences: Sequence[EncodedSentence], threads: int = 1) -> list[Found]:
        """The decoder's tree for each sentence, including empty ones."""

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Found]:
        """At most k different trees, best score first."""

    def marginals(self, sentence: EncodedSentence) -> Floats | None:
        """Probabilities of arcs [head, word, label]; None if they cannot be computed."""

    def log_z(self, sentence: EncodedSentence) -> float | None:
        """The log of the total weight of all trees; None if it cannot be computed."""

    def with_decoder(self, decoder: Decoder) -> Self:
        """The same parser with another decoder."""

    def with_beam(self, beam: int) -> Self:
        """The same parser with another beam size."""


@dataclass(frozen=True)
class Algorithm:
    """How parsers of an algorithm are trained, saved and loaded.

    `load` receives the arrays that `arrays` returned.
    """

    train: Callable[[DependencySettings, TrainingData, Run], TreeParser]
    arrays: Callable[[Any], dict[str, NDArray[Any]]]
    load: Callable[[DependencyConfig, TreeEncoder, Mapping[str, NDArray[Any]]], TreeParser]


def algorithm_named(name: str) -> Algorithm:
    """The algorithm with this name."""
    known = [each for each, module in MODULES.items() if find_spec(module)]
    if name not in known:
        raise ConfigError(f"unknown algorithm {name!r}: one of {', '.join(known)}")
    return cast(Algorithm, import_module(MODULES[name]).ALGORITHM)
