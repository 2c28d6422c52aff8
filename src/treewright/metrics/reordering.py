"""The similarity of a word order to a reference order: METEOR's chunk penalty as a score.

    score = 1 - (chunks - 1) / (matched words - 1)

Chunks are the longest runs of words that are consecutive in both orders (Banerjee and Lavie 2005;
Talbot et al. 2011; Hall et al. 2011, section 4.1). Both orders have the same words, so all match.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from treewright.metrics.counts import Counts


def chunks(order: Sequence[int], reference: Sequence[int]) -> int:
    """The number of runs of `order` that are consecutive in `reference`; 0 for no words.

    Both are permutations of the same words.
    """
    if sorted(order) != sorted(reference):
        raise ValueError("the two orders have different words")
    place = {word: i for i, word in enumerate(reference)}
    places = [place[word] for word in order]
    breaks = sum(b != a + 1 for a, b in pairwise(places))
    return breaks + 1 if places else 0


def reordering_score(order: Sequence[int], reference: Sequence[int]) -> float:
    """The score, from 0 (no two adjacent words are adjacent in the reference) to 1 (equal)."""
    matched = chunks(order, reference)
    return 1.0 - (matched - 1) / (len(order) - 1) if len(order) > 1 else 1.0


def reordering_counts(
    orders: Sequence[Sequence[int]], references: Sequence[Sequence[int]]
) -> Counts:
    """Correct, produced and due neighbours of each sentence.

    Correct / due is the reordering score.
    """
    due = np.array([max(0, len(order) - 1) for order in references], np.int64)
    pairs = zip(orders, references, strict=True)
    wrong = np.array([max(0, chunks(order, wanted) - 1) for order, wanted in pairs], np.int64)
    return Counts(due - wrong, due, due)
