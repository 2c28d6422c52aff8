"""Workers on a Ray cluster: replicas of a Ray Serve deployment, each with its own copy of models.

Ray Serve starts the replicas, distributes them over machines, and replaces those that die. HTTP,
limits, batches and the retry after a death remain in the server.
"""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any
from uuid import uuid4

from treewright.serve.frames import Frame, Kind
from treewright.serve.links import WorkerDiedError, batch_message
from treewright.serve.models import Models
from treewright.serve.pieces import Piece
from treewright.serve.settings import Limits, ModelSource, ServerSettings
from treewright.serve.work import BatchWork
from treewright.train.cluster import Cluster
from treewright.train.connection import kept_signals

log = logging.getLogger(__name__)
Encoded = tuple[int, int, bytes]  # a frame in transit
HEALTH_SECONDS = 2.0  # seconds between checks whether a replica is alive


class Replica:
    """A replica on the cluster: the models, one batch at a time."""

    def __init__(self, sources: Sequence[ModelSource], limits: Limits) -> None:
        self.models, self.limits = Models.load(sources), limits

    def process(self) -> int:
        """The process id of the replica."""
        return os.getpid()

    def work(self, message: bytes) -> list[Encoded]:
        """Yields the answers to a batch."""
        sent: list[Frame] = []
        BatchWork(self.models, self.limits, message, sent.append).run()
        return [(int(frame.kind), frame.piece, frame.body) for frame in sent]


class RayWorker:
    """A worker in the deployment; Ray chooses the replica."""

    def __init__(self, handle: Any, deaths: tuple[type[Exception], ...]) -> None:
        self.handle, self._deaths = handle, deaths

    async def run(self, batch: Sequence[Piece]) -> AsyncIterator[Frame]:
        answer = self.handle.work.remote(batch_message(batch))
        try:
            frames: list[Encoded] = await answer
        except self._deaths as error:
            raise WorkerDiedError("a replica has died") from error
        except asyncio.CancelledError:
            answer.cancel()
            raise
        for kind, piece, body in frames:
            yield Frame(Kind(kind), piece, body)

    def kill(self) -> None:
        """Leaves a dead replica to Ray, which replaces it."""


class RayWorkers:
    """A deployment on the cluster at an address; `auto`: the local one, or a new one.

    All machines of the cluster must be able to read the models' directories.
    """

    def __init__(self, settings: ServerSettings, address: str) -> None:
        self.settings, self.address = settings, address
        self.name = f"treewright-{uuid4().hex[:8]}"
        self.handle: Any = None
        self._deaths: tuple[type[Exception], ...] = ()

    async def begin(self) -> list[dict[str, Any]]:
        with kept_signals():  # in-flight work is finished on SIGTERM
            self.handle, described = await asyncio.to_thread(self._deployed)
        return described

    def _deployed(self) -> tuple[Any, list[dict[str, Any]]]:
        """The handle of the deployment when all replicas run, and the models' descriptions."""
        sources = [source.resolved for source in self.settings.models]
        # Fails here immediately, rather than in a replica.
        described = Models.load(sources).described()
        cluster = Cluster.at(self.address)
        from ray import serve

        errors = cluster.ray.exceptions
        self._deaths = (
            errors.RayActorError,
            errors.WorkerCrashedError,
            errors.NodeDiedError,
            errors.OutOfMemoryError,
        )
        serve.start(proxy_location="Disabled", logging_config={"log_level": "ERROR"})
        logging.getLogger("ray.serve").setLevel(
            logging.ERROR
        )  # this server reports deaths of replicas
        workers = self.settings.workers
        if cluster.workers < workers:
            log.warning("waiting for %d cores; the cluster has %d", workers, cluster.workers)
        deployment: Any = serve.deployment(
            name="parsers",
            num_replicas=workers,
            max_ongoing_requests=1,
            ray_actor_options={"num_cpus": 1},
            health_check_period_s=HEALTH_SECONDS,
        )(Replica)
        made = deployment.bind(sources, self.settings.limits)
        return serve.run(made, name=self.name, route_prefix=None), described

    async def worker(self) -> RayWorker:
        return RayWorker(self.handle, self._deaths)

    async def end(self) -> None:
        if self.handle is not None:
            from ray import serve

            with suppress(Exception):  # the cluster can be gone already
                await asyncio.to_thread(serve.delete, self.name)
