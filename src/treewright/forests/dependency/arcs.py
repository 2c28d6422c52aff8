"""Forests of the projective dependency trees of a sentence (docs/theory.md, section 9).

O(n^2) arc parts, one per label, are shared by O(n^3) edges; second-order forests have an additional
part for each pair of adjacent siblings. Losses count arcs: n is 1 for a correct arc, d is 1 for
every arc, and c is 1 for all arcs between a word and its gold head, whatever their label.
"""

import atexit
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.arrays import Indices
from treewright.errors import ForestError
from treewright.forests.build import MAX_EDGES
from treewright.forests.forest import Forest, frozen, integers

LONGEST_KEPT = 60  # forests of longer sentences are large and rarely reused


@dataclass(frozen=True, eq=False)
class Arcs:
    """A forest of trees. Parts 0 .. arcs-1 are arcs: head, word and label, int32 [arcs].

    The next parts are siblings [siblings, 3]: head, word and the next dependent between them, or
    -1. The last part has the score 0.
    """

    forest: Forest
    words: int
    head: Indices
    word: Indices
    label: Indices
    siblings: Indices

    def __len__(self) -> int:
        return len(self.head)

    def arcs_of(self, edges: Indices) -> Indices:
        """The arc of each word in a derivation: parts, int32 [words]."""
        parts = self.forest.part[edges]
        parts = parts[parts < len(self)]
        arcs: Indices = parts[np.argsort(self.word[parts])]
        return arcs

    def heads_of(self, edges: Indices) -> Indices:
        """The head of each word in a derivation: int32 [words]."""
        heads: Indices = self.head[self.arcs_of(edges)]
        return heads

    def correct(self, heads: ArrayLike, labels: ArrayLike | None = None) -> NDArray[np.bool_]:
        """A mask of the arcs in a tree.

        Without labels, arcs with the correct head and any label.
        """
        gold = np.asarray(heads)
        right = gold[self.word - 1] == self.head
        if labels is not None:
            right &= np.asarray(labels)[self.word - 1] == self.label
        return np.asarray(right, dtype=np.bool_)

    def gold(self, heads: ArrayLike, labels: ArrayLike | None = None) -> Forest:
        """The derivations of one tree, with the given labels or with any."""
        allowed = np.ones(self.forest.parts, dtype=np.bool_)
        allowed[: len(self)] = self.correct(heads, labels)
        return self.forest.restrict(allowed[self.forest.part])

    def counted(self, heads: ArrayLike, labels: ArrayLike | None = None) -> "Arcs":
        """The same forest with counts of arcs against a tree, labelled or unlabelled."""
        counts = np.zeros((3, self.forest.parts), np.int16)
        counts[0, : len(self)] = self.correct(heads, labels)
        counts[1, : len(self)] = 1
        counts[2, : len(self)] = self.correct(heads)
        forest = self.forest.with_counts(counts, self.words)
        return Arcs(forest, self.words, self.head, self.word, self.label, self.siblings)


def arc_forest(
    words: int,
    head: ArrayLike,
    word: ArrayLike,
    label: ArrayLike | None = None,
    siblings: bool = False,
    single_root: bool = True,
    max_edges: int = MAX_EDGES,
) -> Arcs:
    """All projective trees over the given arcs; raises a ForestError if there is none.

    Args:
        words: the length of the sentence.
        head: [arcs], positions; the root is 0.
        word: [arcs], positions.
        label: [arcs], distinguishes arcs between the same words.
        siblings: whether to add second-order parts.
        single_root: whether trees have only one root.
        max_edges: a larger forest is an error.
    """
    heads, dependents = integers(head, np.int32, "head"), integers(word, np.int32, "word")
    labels = np.zeros(len(heads), np.int32) if label is None else label
    numbers = integers(labels, np.int32, "label")
    built = _core.build_arc_forest(words, heads, dependents, siblings, single_root, max_edges)
    if len(built[0]) < 2:
        raise ForestError("these arcs do not form a projective tree")
    return Arcs(Forest(*frozen(built[:5])), words, heads, dependents, numbers, built[5])


def complete_arcs(words: int, single_root: bool = True, siblings: bool = False) -> Arcs:
    """All unlabelled projective trees of a sentence, cached by its length."""
    make = _kept_arcs if words <= LONGEST_KEPT else _kept_arcs.__wrapped__
    return make(words, single_root, siblings)


@lru_cache(maxsize=4 * LONGEST_KEPT)
def _kept_arcs(words: int, single_root: bool, siblings: bool) -> Arcs:
    head, word = np.divmod(np.arange((words + 1) ** 2, dtype=np.int32), words + 1)
    valid = (word > 0) & (head != word)
    return arc_forest(words, head[valid], word[valid], None, siblings, single_root)


atexit.register(_kept_arcs.cache_clear)  # other libraries may keep modules beyond the core's end
