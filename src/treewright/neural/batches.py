"""Minibatches of sentences of similar length, shuffled by seed and epoch.

Length is the number of pieces, or of words for encoders of words.
"""

from collections.abc import Sequence

import numpy as np

Batch = list[int]


def batches(lengths: Sequence[int], size: int) -> list[Batch]:
    """Batches of sentence numbers, shortest first, of at most `size` with padding."""
    order = np.argsort(lengths, kind="stable").tolist()
    made = _neighbours([lengths[i] for i in order], size)
    return [[order[i] for i in batch] for batch in made]


def shuffled_batches(lengths: Sequence[int], size: int, seed: int, number: int) -> list[Batch]:
    """The batches of an epoch in random order, each with sentences of similar length."""
    random = np.random.default_rng((seed, number))
    blurred = np.asarray(lengths) + random.uniform(-1.5, 1.5, len(lengths))
    order = np.argsort(blurred, kind="stable")
    made = _neighbours([lengths[i] for i in order], size)
    found = [[int(order[i]) for i in batch] for batch in made]
    return [found[i] for i in random.permutation(len(found))]


def _neighbours(lengths: Sequence[int], size: int) -> list[Batch]:
    """Neighbours together; a batch is up to `size` long with padding."""
    found: list[Batch] = []
    batch: Batch = []
    longest = 0
    for number, length in enumerate(lengths):
        longest = max(longest, length)
        if batch and (len(batch) + 1) * longest > size:
            found.append(batch)
            batch, longest = [], length
        batch.append(number)
    return [*found, batch] if batch else found
