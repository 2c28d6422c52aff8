"""Training on a Ray cluster (extra `treewright[ray]`): gradients of shards, and maps over items.

A worker builds a shard of the examples and returns values and gradients. The driver adds them in
the order of the shards, so results only differ from those of one process by rounding, and not
between two runs with the same number of workers. A worker that dies is replaced; the new one builds
the shard again.
"""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, TypeVar

import numpy as np

from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ConfigError, TreewrightError
from treewright.losses import BatchObjective
from treewright.losses.batch import SparseGradient
from treewright.losses.settings import ObjectiveSettings
from treewright.train.connection import connected, head_of, kept_signals, knock
from treewright.train.shards import Shard

T = TypeVar("T")
R = TypeVar("R")
REPLACEMENTS = 5  # of the worker of one shard, before the run fails
SECONDS_TO_WAIT = 5.0  # waiting for results, before the cluster is checked


class Cluster:
    """A connection to Ray; `Cluster.at(address)` returns the existing one."""

    def __init__(self, address: str, threads: int) -> None:
        with kept_signals():
            self.ray, self.threads = connected(address), threads
        self.head = head_of(self.ray, address)
        self.workers = max(1, int(self.ray.cluster_resources().get("CPU", 1)) // threads)

    @classmethod
    def at(cls, address: str, threads: int = 1) -> "Cluster":
        """The cluster at an address; `auto`: the one on this machine, or a new local one."""
        return _cluster(address, threads)

    def objective(
        self,
        settings: ObjectiveSettings,
        shards: Sequence[Shard],
        features: int,
        record: Callable[..., None] = lambda **_: None,
    ) -> "ClusterObjective":
        """The objective over all shards, with a worker for each."""
        if settings.level == "corpus":
            raise ConfigError("level = corpus does not support --ray")
        return ClusterObjective(self, settings, shards, features, record)

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """The function's value on each item, in order; Ray retries items of workers that die."""
        remote = self.ray.remote(num_cpus=self.threads)(_call)
        # In a list: Ray would unpickle a bare reference for each item.
        shared = [self.ray.put(function)]
        waiting: deque[Any] = deque()
        for item in items:
            waiting.append(remote.remote(shared, item))
            if len(waiting) > 2 * self.workers:
                yield self.result(waiting.popleft())
        while waiting:
            yield self.result(waiting.popleft())

    def result(self, reference: Any) -> Any:
        """The result of a worker; its exceptions are raised here.

        Raises:
            TreewrightError: the worker and all its replacements died, or the head of the cluster is
                lost.
        """
        try:
            while not self.ray.wait([reference], timeout=SECONDS_TO_WAIT)[0]:
                self._check_head()
            return self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, TreewrightError):
                raise error.cause from None
            raise
        except (
            self.ray.exceptions.WorkerCrashedError,
            self.ray.exceptions.OutOfMemoryError,
        ) as error:
            raise TreewrightError(f"every worker that tried died: {error}") from error

    def _check_head(self) -> None:
        try:
            if self.head is not None:
                knock(self.head)
        except ConfigError as error:
            message = "lost the head node of the Ray cluster"
            hint = "train --resume continues a run, with or without --ray"
            raise TreewrightError(f"{message} ({error}); {hint}") from error


class Worker:
    """The objective over one shard, in a worker process."""

    def __init__(
        self, settings: ObjectiveSettings, shard: Shard, features: int, threads: int
    ) -> None:
        self.objective = BatchObjective(settings.make(), shard.examples(), features, threads)

    def size(self) -> int:
        return len(self.objective)

    def process(self) -> int:
        return os.getpid()

    def uses(self) -> Indices:
        return self.objective.uses()

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        return self.objective.value_and_gradient(weights)

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient:
        return self.objective.value_and_gradient_on(examples, weights)


class ShardWorkers:
    """A worker for each shard, made with its arguments; one that dies is replaced."""

    def __init__(
        self,
        cluster: Cluster,
        kind: type,
        arguments: Sequence[tuple[Any, ...]],
        record: Callable[..., None],
    ) -> None:
        self.cluster, self.record = cluster, record
        # Workers that wait leave their cores to maps, so Ray reserves no CPU for them.
        maker = cluster.ray.remote(scheduling_strategy="SPREAD")(kind)
        self._make: Callable[[int], Any] = lambda i: maker.remote(*arguments[i])
        self._replaced = [0] * len(arguments)
        self._workers = [self._make(i) for i in range(len(arguments))]
        sizes = self._ask("size", [()] * len(arguments))
        self._ends = np.cumsum([0, *sizes])

    def __len__(self) -> int:
        """The number of examples of all shards; they are numbered in the order of the shards."""
        return int(self._ends[-1])

    def processes(self) -> list[int]:
        """The process ids of the workers."""
        return self._ask("process", [()] * len(self._workers))

    def _owners(self, examples: Integers) -> Integers:
        """The shard of each example."""
        return np.searchsorted(self._ends, examples, side="right") - 1

    def _fits(self, method: str, arguments: tuple[Any, ...], found: Any) -> bool:
        """Whether a worker's answer has the expected types and shapes."""
        raise NotImplementedError

    def _ask(self, method: str, arguments: Sequence[tuple[Any, ...] | None]) -> list[Any]:
        """Answers of all shards in order; shards whose arguments are None are skipped."""
        asked = {i: each for i, each in enumerate(arguments) if each is not None}
        answers = {i: self._send(i, method, each) for i, each in asked.items()}
        return [self._answer(i, method, asked[i], answer) for i, answer in answers.items()]

    def _send(self, i: int, method: str, arguments: tuple[Any, ...]) -> Any:
        return getattr(self._workers[i], method).remote(*arguments)

    def _answer(self, i: int, method: str, arguments: tuple[Any, ...], answer: Any) -> Any:
        while True:
            try:
                found = self.cluster.result(answer)
            except self.cluster.ray.exceptions.RayActorError as error:
                self._replace(i, error)
                answer = self._send(i, method, arguments)
                continue
            if not (_is_number(method, found) or self._fits(method, arguments, found)):
                raise TreewrightError(f"the worker of shard {i} sent no valid answer to {method}")
            return found

    def _replace(self, i: int, error: Exception) -> None:
        self._replaced[i] += 1
        if self._replaced[i] > REPLACEMENTS:
            raise TreewrightError(
                f"the worker of shard {i} died {REPLACEMENTS + 1} times"
            ) from error
        self.record(event="worker replaced", shard=i)
        self._workers[i] = self._make(i)


class ClusterObjective(ShardWorkers):
    """An objective over shards, each in a worker, for optimisers."""

    def __init__(
        self,
        cluster: Cluster,
        settings: ObjectiveSettings,
        shards: Sequence[Shard],
        features: int,
        record: Callable[..., None],
    ) -> None:
        self.features = features
        arguments = [(settings, shard, features, cluster.threads) for shard in shards]
        super().__init__(cluster, Worker, arguments, record)

    def uses(self) -> Indices:
        """The number of examples with each feature: [features]."""
        found = self._ask("uses", [()] * len(self._workers))
        return np.asarray(np.sum(found, axis=0), dtype=np.int32)

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        """The summed value, and its gradient over the weights [features]."""
        shared = self.cluster.ray.put(weights)
        found = self._ask("value_and_gradient", [(shared,)] * len(self._workers))
        gradient = np.zeros(self.features)
        for _, each in found:
            gradient += each
        return float(sum(value for value, _ in found)), gradient

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient:
        """The value and gradient over some of the examples, by number."""
        shared = self.cluster.ray.put(weights)
        owner = self._owners(examples)
        asked = [
            (examples[owner == i] - self._ends[i], shared) if (owner == i).any() else None
            for i in range(len(self._workers))
        ]
        return _sum(self._ask("value_and_gradient_on", asked))

    def _fits(self, method: str, _: tuple[Any, ...], found: Any) -> bool:
        match method, found:
            case "uses", np.ndarray():
                return bool(found.dtype == np.int32 and found.shape == (self.features,))
            case "value_and_gradient", (float(), np.ndarray() as gradient):
                return bool(gradient.dtype == np.float64 and gradient.shape == (self.features,))
            case "value_and_gradient_on", SparseGradient(float(), places, gradient, uses):
                shape = np.shape(places)
                same = len(shape) == 1 and np.shape(gradient) == np.shape(uses) == shape
                return same and bool(np.all((places >= 0) & (places < self.features)))
        return False


def _call(shared: Sequence[Any], item: Any) -> Any:
    """Calls the shared function on an item, in a worker."""
    return _fetched(shared[0])(item)


@lru_cache(maxsize=1)
def _fetched(reference: Any) -> Callable[[Any], Any]:
    import ray

    function: Callable[[Any], Any] = ray.get(reference)
    return function


def _is_number(method: str, found: Any) -> bool:
    """Whether it is a valid answer to a question for a number."""
    return method in ("size", "process") and isinstance(found, int) and found >= 0


def _sum(parts: Sequence[SparseGradient]) -> SparseGradient:
    """The sum of gradients over different features, in order."""
    features, place = np.unique(np.concatenate([p.features for p in parts]), return_inverse=True)
    gradient, uses = np.zeros(len(features)), np.zeros(len(features), dtype=np.int32)
    np.add.at(gradient, place, np.concatenate([part.gradient for part in parts]))
    np.add.at(uses, place, np.concatenate([part.uses for part in parts]))
    return SparseGradient(float(sum(part.value for part in parts)), features, gradient, uses)


@cache
def _cluster(address: str, threads: int) -> Cluster:
    return Cluster(address, threads)
