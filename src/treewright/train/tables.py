"""Objectives on tables of scores, over forests that the workers of a Ray cluster hold.

A network's tables go to the workers that hold the forests of their sentences; values and gradients
come back. What a worker computes for a sentence does not depend on its other sentences, so results
are bit-identical to those of one process, for any number of workers.
"""

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Integers
from treewright.losses.settings import ObjectiveSettings
from treewright.losses.tables import offsets, table_objective
from treewright.train.cluster import Cluster, ShardWorkers
from treewright.train.shards import Shard

Tables = NDArray[np.floating]  # float32 or float64
ValuesAndGradient = tuple[Floats, Tables]  # values [sentences], gradient [entries] like the tables


class TableWorker:
    """The objective over tables for the forests of one shard, in a worker process."""

    def __init__(self, settings: ObjectiveSettings, shard: Shard, threads: int) -> None:
        self.objective, self.threads = settings.make(), threads
        found = shard.examples()
        self.examples = found if isinstance(found, Sequence) else list(found)

    def size(self) -> int:
        return len(self.examples)

    def process(self) -> int:
        return os.getpid()

    def values_and_gradient(
        self, examples: Sequence[int], tables: Tables, first: Integers
    ) -> ValuesAndGradient:
        """Computed in float64; the gradient has the type of the tables, to send less."""
        chosen = [self.examples[i] for i in examples]
        function = table_objective(self.objective, chosen, self.threads)
        values, gradient = function(tables.astype(np.float64), first)
        return values, gradient.astype(tables.dtype)


class ClusterTables(ShardWorkers):
    """An objective over shards of forests, each in a worker, as a function of tables.

    Examples are numbered in the order of the shards.
    """

    worker: type = TableWorker

    def __init__(
        self,
        cluster: Cluster,
        settings: ObjectiveSettings,
        shards: Sequence[Shard],
        record: Callable[..., None] = lambda **_: None,
    ) -> None:
        arguments = [(settings, shard, cluster.threads) for shard in shards]
        super().__init__(cluster, self.worker, arguments, record)

    def __call__(
        self, examples: Sequence[int], tables: Tables, first: Integers
    ) -> ValuesAndGradient:
        """The value on each example, and the gradient over all tables.

        Args:
            examples: numbers of examples.
            tables: float32 or float64; that of example i is `tables[first[i] : first[i + 1]]`.
            first: [examples + 1].
        """
        numbers = np.asarray(examples, np.int64)
        owner, sizes = self._owners(numbers), np.diff(first)
        asked: list[tuple[Any, ...] | None] = [None] * len(self._workers)
        places = []
        for i in np.unique(owner).tolist():
            rows = np.flatnonzero(owner == i)
            entries = np.concatenate([np.arange(*first[row : row + 2]) for row in rows])
            places.append((rows, entries))
            own = (numbers[rows] - self._ends[i]).tolist()
            asked[i] = own, tables[entries], offsets(sizes[rows].tolist())
        values, gradient = np.zeros(len(numbers)), np.zeros_like(tables)
        answers = self._ask("values_and_gradient", asked)
        for (rows, entries), found in zip(places, answers, strict=True):
            values[rows], gradient[entries] = found
        return values, gradient

    def _fits(self, method: str, arguments: tuple[Any, ...], found: Any) -> bool:
        match method, arguments, found:
            case (
                "values_and_gradient",
                (examples, tables, _),
                (np.ndarray() as values, np.ndarray() as gradient),
            ):
                due = (np.float64, (len(examples),)), (tables.dtype, tables.shape)
                return ((values.dtype, values.shape), (gradient.dtype, gradient.shape)) == due
        return False
