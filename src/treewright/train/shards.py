"""Training examples in shards, each made by a function that any process can call.

A shard is a recipe: the process that owns it makes its examples, and another can make them again.
One process makes all of them; a Ray cluster has one worker for each (`treewright.train.cluster`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from treewright.forests import ForestStore
from treewright.forests.features import Example
from treewright.losses.settings import ObjectiveSettings, Summed


@dataclass(frozen=True)
class Shard:
    """Examples that `build(*arguments)` makes: a function of a module, and plain values."""

    build: Callable[..., Iterable[Example]]
    arguments: tuple[Any, ...] = ()

    def examples(self) -> Iterable[Example]:
        """The examples, made anew."""
        return self.build(*self.arguments)


def cut(items: Sequence[Any], shards: int) -> Iterator[tuple[int, int]]:
    """Begin and end of each of a number of slices of nearly equal size; none is empty."""
    shards = max(1, min(shards, len(items)))
    for i in range(shards):
        yield len(items) * i // shards, len(items) * (i + 1) // shards


def store_shards(path: Path, shards: int) -> list[Shard]:
    """The examples of a forest store that every process can open, cut into shards."""
    with ForestStore(path) as store:
        return [Shard(store_slice, (path, begin, end)) for begin, end in cut(store, shards)]


def store_slice(path: Path, begin: int, end: int) -> list[Example]:
    """Some of the examples of a forest store."""
    return ForestStore(path)[begin:end]


def local_objective(
    settings: ObjectiveSettings, shards: Sequence[Shard], features: int, threads: int
) -> Summed:
    """The objective over all shards, in this process."""
    examples = chain.from_iterable(shard.examples() for shard in shards)
    return settings.over(examples, features, threads)
