"""Which labels an arc may have: those that training saw between words of such parts of speech."""

from collections.abc import Iterable
from typing import Self

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Indices
from treewright.scores.dependency.arcs import all_arcs
from treewright.scores.dependency.encoder import ATTRIBUTES, EncodedSentence

UPOS = ATTRIBUTES.index("upos")


class ArcLabels:
    """Labels by the parts of speech of head and word, and the direction.

    A pair that was never seen may have all labels of its word; such a word, all labels.
    """

    def __init__(self, allowed: NDArray[np.bool_]) -> None:
        """`allowed` is indexed by the tags of head and word, head before word, and label."""
        if allowed.ndim != 4 or allowed.shape[2] != 2 or not all(allowed.shape):
            raise ValueError(f"labels of arcs have the shape {allowed.shape}")
        if not allowed.any(axis=3).all():
            raise ValueError("an arc may have no label at all")
        self.allowed = allowed

    @classmethod
    def of_trees(
        cls, trees: Iterable[tuple[EncodedSentence, Indices, Indices]], labels: int
    ) -> Self:
        """Those of trees: sentences, heads and labels."""
        seen: set[tuple[int, int, int, int]] = set()
        for sentence, heads, found in trees:
            tags = _tags(sentence)
            word = np.arange(1, len(heads) + 1)
            columns = (tags[heads], tags[word], (heads < word).astype(np.intp), found)
            seen.update(zip(*(each.tolist() for each in columns), strict=True))
        size = 1 + max((max(h, m) for h, m, _, _ in seen), default=0)
        allowed = np.zeros((size, size, 2, labels), np.bool_)
        for row in seen:
            allowed[row] = True
        of_word = np.asarray(allowed.any(axis=(0, 2)))
        of_word[~of_word.any(axis=1)] = True
        unseen = ~np.asarray(allowed.any(axis=3))
        return cls(np.where(unseen[..., None], of_word[None, :, None, :], allowed))

    def of_arcs(self, sentence: EncodedSentence) -> NDArray[np.bool_]:
        """Which labels the arcs of `all_arcs` may have: bool [arcs, labels]."""
        rows, tags = all_arcs(len(sentence)), np.minimum(_tags(sentence), len(self.allowed) - 1)
        way = (rows.head < rows.word).astype(np.intp)
        found: NDArray[np.bool_] = self.allowed[tags[rows.head], tags[rows.word], way]
        return found


def _tags(sentence: EncodedSentence) -> NDArray[np.intp]:
    """Parts of speech by position; the root's is 0."""
    return np.concatenate(([0], sentence.table[:, UPOS])).astype(np.intp)
