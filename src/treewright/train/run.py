"""A run: a directory that documents one training run, and from which it can be resumed.

    config.toml     the configuration as given             resolved.toml   with every default
    run.json        seed, threads, versions, SHA-256 of the data files
    records.jsonl   one line per event: stages, iterations, scores; append-only
    stages/NAME/    results of finished stages, as model directories
    checkpoints/NAME.safetensors
    model/          the trained model; a run with a model is finished

All files except the records are written atomically. Training is deterministic, so a run that is
killed and resumed ends in a bit-identical model.
"""

import copy
import fcntl
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import TreewrightError
from treewright.forests import ForestStore
from treewright.forests.features import Example
from treewright.losses.settings import ObjectiveSettings
from treewright.machine import available_threads, ordered_map, peak_rss_mb, trim_heap
from treewright.storage.bundle import Bundle, read_bundle, write_bundle
from treewright.storage.tensors import read_tensors, write_tensors
from treewright.train.cluster import Cluster
from treewright.train.loop import (
    Arrays,
    Learner,
    LoopSettings,
    MinibatchTrainable,
    Score,
    State,
    Trainable,
    Values,
    check_patience,
    train,
)
from treewright.train.minibatch import optimiser_for
from treewright.train.progress import Progress, progress
from treewright.train.settings import OptimiserSettings
from treewright.train.shards import Shard, local_objective, store_shards
from treewright.train.tables import ClusterTables

T = TypeVar("T")
R = TypeVar("R")
RECORDS, MODEL, STAGES, LOCK = "records.jsonl", "model", "stages", "lock"
CHECKPOINTS = "checkpoints"


class Run:
    """A run directory.

    Args:
        directory: created if it does not exist; existing stages and checkpoints are used.
        threads: number of threads; 0: all cores. On a cluster, threads per worker; 0: one per
            worker, with a worker per core.
        seed: random seed.
        ray: address of a Ray cluster, `auto`, or None for this process only.
        quiet: show no progress bars.
    """

    def __init__(
        self,
        directory: Path,
        threads: int = 0,
        seed: int = 0,
        ray: str | None = None,
        quiet: bool = False,
    ) -> None:
        self.directory = Path(directory)
        self.threads, self._worker_threads = threads or available_threads(), threads or 1
        self.seed, self.ray, self.quiet = seed, ray, quiet
        self._began = time.monotonic()
        self.directory.mkdir(parents=True, exist_ok=True)
        self._records_are_whole = False

    def with_seed(self, seed: int) -> "Run":
        """The same run directory with another seed."""
        other = copy.copy(self)
        other.seed = seed
        return other

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Locks the directory; the lock ends with the process."""
        with (self.directory / LOCK).open("wb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                message = f"{self.directory}: another process is using this run"
                raise TreewrightError(message) from None
            yield

    def record(self, **fields: object) -> None:
        """Appends a line to the records, with elapsed seconds and peak memory."""
        seconds = round(time.monotonic() - self._began, 3)
        if not self._records_are_whole:
            _drop_torn_line(self.directory / RECORDS)
            self._records_are_whole = True
        line = fields | {"seconds": seconds, "peak_rss_mb": peak_rss_mb()}
        with (self.directory / RECORDS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def progress(self, description: str, total: int) -> AbstractContextManager[Progress]:
        """A progress bar: `with run.progress("forests", 100) as bar: bar.advance(1)`."""
        return progress(description, total, self.quiet)

    def stage(self, name: str, make: Callable[[], Bundle]) -> Bundle:
        """The result of `make`; a finished stage is saved and not computed again."""
        place = self.directory / STAGES / name
        if place.is_dir():
            return read_bundle(place)
        bundle = make()
        write_bundle(bundle, place)
        trim_heap()
        self.record(stage=name)
        return bundle

    def save_checkpoint(
        self, name: str, arrays: Mapping[str, NDArray[Any]], values: Values | None = None
    ) -> None:
        """Saves a state, replacing the last one of that name; values must be JSON values."""
        (self.directory / CHECKPOINTS).mkdir(exist_ok=True)
        write_tensors(self._checkpoint(name), arrays, values or {})

    def load_checkpoint(self, name: str) -> State | None:
        """The read-only arrays and the values of a checkpoint; None if there is none."""
        path = self._checkpoint(name)
        return read_tensors(path) if path.exists() else None

    def objective(
        self, settings: ObjectiveSettings, shards: Sequence[Shard], features: int
    ) -> MinibatchTrainable:
        """The objective summed over the examples of all shards, here or on the Ray cluster."""
        if self.ray is not None:
            return self._cluster().objective(settings, shards, features, self.record)
        return local_objective(settings, shards, features, self.threads)

    def objective_over(
        self, name: str, settings: ObjectiveSettings, examples: Iterable[Example], features: int
    ) -> MinibatchTrainable:
        """The objective over examples built by this process.

        A cluster reads them from NAME.store.
        """
        if self.ray is None:
            return settings.over(examples, features, self.threads)
        path = self.directory / f"{name}.store"
        if not path.exists():
            with ForestStore.create(path) as store:
                for example in examples:
                    store.add(example)
        return self.objective(settings, store_shards(path, self.shards), features)

    def tables(self, settings: ObjectiveSettings, shards: Sequence[Shard]) -> ClusterTables:
        """The objective over the examples of all shards, as a function of tables of scores.

        Only on a cluster; without one, `treewright.losses.tables` has the same.
        """
        return ClusterTables(self._cluster(), settings, shards, self.record)

    def map(
        self,
        description: str,
        function: Callable[[T], R],
        items: Sequence[T],
        size: Callable[[T], int] = lambda _: 1,
        alone: bool = False,
    ) -> Iterator[R]:
        """Applies a function to all items, in order, in threads or on the Ray cluster.

        Args:
            description: text of the progress bar.
            function: must be picklable and thread-safe.
            items: each should take a tenth of a second or more.
            size: progress of an item.
            alone: process items one by one in this process, for functions that change state.
        """
        if self.ray is None or alone:
            results = ordered_map(function, items, 1 if alone else self.threads)
        else:
            results = self._cluster().map(function, items)
        with self.progress(description, sum(map(size, items))) as bar:
            for item, result in zip(items, results, strict=True):
                yield result
                bar.advance(size(item))

    def connect(self) -> None:
        """Connects to the Ray cluster, if there is one; an error if that fails."""
        if self.ray is not None:
            self._cluster()

    @property
    def shards(self) -> int:
        """The number of shards of the examples: one per worker."""
        return 1 if self.ray is None else self._cluster().workers

    def optimise(
        self,
        name: str,
        objective: Trainable,
        settings: OptimiserSettings,
        score: Callable[[Floats], float] | None = None,
    ) -> Floats:
        """Finds the weights that minimise an objective summed over examples, plus the prior.

        Args:
            name: name in records and checkpoints.
            objective: with `value_and_gradient_on` for optimisers that use minibatches.
            settings: see `OptimiserSettings`.
            score: the dev metric of weights, higher is better. With patience, the best weights are
                returned, otherwise the last.
        """
        check_patience(name, settings, score)
        learner = optimiser_for(objective, settings, self.seed)
        of_arrays: Score | None = None
        if score is not None:
            of_arrays = lambda arrays: {"score": float(score(arrays["weights"]))}  # noqa: E731
        return self.train(name, learner, settings, of_arrays)["weights"]

    def train(
        self, name: str, learner: Learner, settings: LoopSettings, score: Score | None = None
    ) -> Arrays:
        """Trains a learner, from its checkpoint if it has one, and returns the model.

        Args:
            name: name in records and checkpoints.
            learner: see `treewright.train.loop`.
            settings: settings of the training loop.
            score: dev metrics of a model, including `score`, higher is better. With patience, the
                best model is returned, otherwise the last.
        """
        return train(self, name, learner, settings, score)

    def _cluster(self) -> Cluster:
        assert self.ray is not None
        return Cluster.at(self.ray, self._worker_threads)

    def _checkpoint(self, name: str) -> Path:
        return self.directory / CHECKPOINTS / f"{name}.safetensors"


def _drop_torn_line(path: Path) -> None:
    """Removes the incomplete last line that a killed process can leave."""
    if not path.exists():
        return
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        with path.open("r+b") as file:
            file.truncate(whole)
