"""A linear model of arcs: hashed features, with a weight per label in one table.

The core composes features from the numbers of `treewright.scores.dependency.encoder`
(cpp/dependency/arcs.cpp); this module holds the weights and selects the rows of a sentence.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arrays import Floats, Floats32, Indices, Keys
from treewright.scores.dependency.encoder import ATTRIBUTES, EncodedSentence

Learning = Literal["no", "perceptron", "adagrad"]
FIRST_SQUARE = 1.0  # the initial sums of AdaGrad; limits the first steps to the rate


@dataclass(frozen=True, eq=False)
class Rows:
    """The scored positions of a sentence: arcs, or pairs of siblings (-1 for none).

    Position 0 is the root. All arrays are int32 [rows].
    """

    head: Indices
    word: Indices
    sibling: Indices

    @classmethod
    def of_arcs(cls, head: Indices, word: Indices) -> Self:
        return cls(head, word, np.full(len(head), -1, np.int32))

    def __len__(self) -> int:
        return len(self.head)


@lru_cache(maxsize=256)
def all_arcs(words: int) -> Rows:
    """All arcs of a sentence, by head, then by word."""
    head, word = np.divmod(np.arange((words + 1) ** 2, dtype=np.int32), words + 1)
    valid = (word > 0) & (head != word)
    return Rows.of_arcs(head[valid].astype(np.int32), word[valid].astype(np.int32))


def columns(sentence: EncodedSentence) -> Keys:
    """The attributes for the core: [(words + 1) * attributes]; those of the root are 0."""
    root = np.zeros((1, sentence.table.shape[1]), np.uint64)
    return np.concatenate((root, sentence.table)).ravel()


@dataclass(eq=False)
class LinearRows:
    """Weights for the features of rows.

    `weights` has 2^bits + labels entries, and so have, in a trainable model, `totals`, for
    averages, and, with AdaGrad, `squares`. `time` is the number of steps so far.
    """

    templates: _core.ArcTemplates
    labels: int
    weights: Floats32
    totals: Floats
    squares: Floats32
    time: float = 0.0

    @classmethod
    def new(
        cls, templates: _core.ArcTemplates, labels: int, bits: int, learns: Learning = "no"
    ) -> Self:
        """Zero weights."""
        size = 2**bits + labels
        totals = np.zeros(0 if learns == "no" else size)
        squares = np.full(size if learns == "adagrad" else 0, FIRST_SQUARE, np.float32)
        return cls(templates, labels, np.zeros(size, np.float32), totals, squares)

    def scores(self, attributes: Keys, rows: Rows) -> Floats32:
        """The score of each row with each label: float32 [rows, labels]."""
        scores = self.templates.scores(
            attributes, rows.head, rows.word, rows.sibling, self.labels, self.weights
        )
        return scores.reshape(len(rows), self.labels)

    def update(self, attributes: Keys, rows: Rows, change: Floats32) -> None:
        """Adds `change` [rows, labels] to the weights of the rows' features."""
        places, by = (rows.head, rows.word, rows.sibling), change.ravel()
        learned = self.weights, self.totals, self.time
        self.templates.update(attributes, *places, self.labels, by, *learned)

    def descend(self, attributes: Keys, rows: Rows, gradient: Floats32, rate: float) -> None:
        """Takes a step of AdaGrad against a gradient over scores [rows, labels]."""
        places, by = (rows.head, rows.word, rows.sibling), gradient.ravel()
        learned = self.weights, self.totals, self.time
        self.templates.descend(attributes, *places, self.labels, by, *learned, self.squares, rate)

    def state(self) -> dict[str, NDArray[Any]]:
        """The state for a checkpoint; entries that never changed are left out."""
        changed = (self.weights != 0) | (self.totals != 0)
        if len(self.squares):
            changed |= self.squares != FIRST_SQUARE
        index = np.flatnonzero(changed).astype(np.uint32)
        squares = self.squares[index] if len(self.squares) else self.squares
        return {
            "index": index,
            "weights": self.weights[index],
            "totals": self.totals[index],
            "squares": squares,
            "time": np.array(self.time),
        }

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Restores the state of another model; this one must be untrained."""
        index = arrays["index"]
        self.weights[index], self.totals[index] = arrays["weights"], arrays["totals"]
        if len(self.squares):
            self.squares[index] = arrays["squares"]
        self.time = float(arrays["time"])

    def averaged(self) -> Floats32:
        """The mean of the weights over all steps."""
        if not len(self.totals) or not self.time:
            return self.weights.copy()
        return (self.weights - self.totals / self.time).astype(np.float32)


UPOS = ATTRIBUTES.index("upos")


Labelled = tuple[EncodedSentence, Indices, Indices]  # a sentence, its heads and their labels


class ArcLabels:
    """The labels allowed by the POS tags of head and word, and the direction.

    For a pair that was not seen in training, all labels of the word's tag are allowed; for an
    unseen tag, all labels. The root has a tag of its own; its arcs only get the labels seen at the
    root.
    """

    def __init__(self, allowed: NDArray[np.bool_]) -> None:
        """`allowed` is indexed by the tags of head and word, head before word, and label."""
        if allowed.ndim != 4 or allowed.shape[2] != 2 or not all(allowed.shape):
            raise ValueError(f"labels of arcs have the shape {allowed.shape}")
        if not allowed.any(axis=3).all():
            raise ValueError("an arc may have no label at all")
        self.allowed = allowed

    @classmethod
    def of_trees(cls, trees: Iterable[Labelled], labels: int) -> Self:
        """The labels in training trees, given sentences, heads and labels."""
        seen: set[tuple[int, int, int, int]] = set()
        for sentence, heads, relations in trees:
            tags = _tags(sentence)
            word = np.arange(1, len(heads) + 1)
            columns = (tags[heads], tags[word], (heads < word).astype(np.intp), relations)
            seen.update(zip(*(each.tolist() for each in columns), strict=True))
        size = 1 + max((max(h, m) for h, m, _, _ in seen), default=0)
        allowed = np.zeros((size, size, 2, labels), np.bool_)
        for row in seen:
            allowed[row] = True
        return cls(np.concatenate((_filled(allowed[:1]), _filled(allowed[1:]))))

    @classmethod
    def of_roots(cls, trees: Iterable[Labelled], labels: int) -> Self:
        """Restricts only labels of arcs from the root, and root labels of other arcs."""
        allowed = np.zeros((2, 2, 2, labels), np.bool_)
        for _, heads, relations in trees:
            allowed[np.minimum(heads, 1), :, :, relations] = True
        return cls(np.concatenate((_filled(allowed[:1]), _filled(allowed[1:]))))

    def of_arcs(self, sentence: EncodedSentence, rows: Rows) -> NDArray[np.bool_]:
        """A mask of the allowed labels: bool [arcs, labels]."""
        tags = np.minimum(_tags(sentence), len(self.allowed) - 1)
        way = (rows.head < rows.word).astype(np.intp)
        allowed: NDArray[np.bool_] = self.allowed[tags[rows.head], tags[rows.word], way]
        return allowed


def _filled(allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Completes unseen pairs with the labels of the word's tag, or with all labels."""
    of_word = np.asarray(allowed.any(axis=(0, 2)))
    of_word[~of_word.any(axis=1)] = of_word.any(axis=0)
    of_word[~of_word.any(axis=1)] = True
    unseen = ~np.asarray(allowed.any(axis=3))
    return np.where(unseen[..., None], of_word[None, :, None, :], allowed)


def _tags(sentence: EncodedSentence) -> NDArray[np.intp]:
    """POS tags by position; the root's is 0."""
    return np.concatenate(([0], sentence.table[:, UPOS])).astype(np.intp)
