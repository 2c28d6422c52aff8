"""Shards of training examples, each built by a function that any process can call.

A shard is a recipe: the process that owns it builds its examples, and another one can build them
again. A single process builds all shards; a Ray cluster has a worker per shard
(`treewright.train.cluster`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from treewright.forests import ForestStore
from treewright.forests.features import Example
from treewright.losses.settings import ObjectiveSettings, Summed


@dataclass(frozen=True)
class Shard:
    """Examples built by `build(*arguments)`: a module-level function and plain values."""

    build: Callable[..., Iterable[Example]]
    arguments: tuple[Any, ...] = ()

    def examples(self) -> Iterable[Example]:
        """Builds the examples."""
        return self.build(*self.arguments)


def cut(items: Sequence[Any], shards: int) -> Iterator[tuple[int, int]]:
    """The begin and end of slices of nearly equal size; none is empty."""
    shards = max(1, min(shards, len(items)))
    for i in range(shards):
        yield len(items) * i // shards, len(items) * (i + 1) // shards


def store_shards(path: Path, shards: int) -> list[Shard]:
    """The examples of a forest store that all processes can open, divided into shards."""
    with ForestStore(path) as store:
        return [Shard(store_slice, (path, begin, end)) for begin, end in cut(store, shards)]


def store_items(path: Path, numbers: Sequence[int]) -> list[Example]:
    """Some examples of a forest store."""
    store = ForestStore(path)
    return [store[number] for number in numbers]


def dealt(sizes: Sequence[int], shards: int) -> list[list[int]]:
    """The numbers of items of each shard: dealt out in the order of their sizes.

    A minibatch of items of similar size then has a nearly equal number of each shard's.
    """
    order = np.argsort(sizes, kind="stable").tolist()
    return [order[i::shards] for i in range(max(1, min(shards, len(order))))]


def store_slice(path: Path, begin: int, end: int) -> list[Example]:
    """A slice of the examples of a forest store."""
    return ForestStore(path)[begin:end]


def local_objective(
    settings: ObjectiveSettings, shards: Sequence[Shard], features: int, threads: int
) -> Summed:
    """The objective over all shards, in this process."""
    examples = chain.from_iterable(shard.examples() for shard in shards)
    return settings.over(examples, features, threads)
