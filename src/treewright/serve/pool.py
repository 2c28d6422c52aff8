"""The pool: sends batches to workers, replaces workers that die, and shuts down."""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

from treewright.errors import TreewrightError
from treewright.serve.frames import Frame, Kind
from treewright.serve.links import Worker, WorkerDiedError, Workers
from treewright.serve.pieces import Content, Flow, Piece, Task
from treewright.serve.problems import WORKER_DIED, Problem, ProblemError, refused, too_late
from treewright.serve.queue import PieceQueue
from treewright.serve.settings import ServerSettings

log = logging.getLogger(__name__)
GRACE = 2.0  # seconds after a deadline until an unresponsive worker is killed
PAUSE = 0.5  # seconds between attempts to start a worker


class Pool:
    """Workers and their queue; `counts` are for the metrics."""

    def __init__(self, settings: ServerSettings, workers: Workers) -> None:
        self.settings, self._workers = settings, workers
        self.queue = PieceQueue(settings.batching, max(1, settings.workers - 1))
        self.models: list[dict[str, Any]] = []
        self.alive = 0
        self.counts: Counter[str] = Counter()
        self._loops: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        """Loads the models and starts the workers."""
        self.models = await self._workers.begin()
        first = [await self._workers.worker() for _ in range(self.settings.workers)]
        self._loops = [asyncio.create_task(self._serve(worker)) for worker in first]

    async def end(self) -> None:
        """Stops the workers; waiting requests get a problem."""
        for loop in self._loops:
            loop.cancel()
        await asyncio.gather(*self._loops, return_exceptions=True)
        await self._workers.end()

    @property
    def is_full(self) -> bool:
        """Whether new requests are refused."""
        return len(self.queue) >= self.settings.limits.queue

    async def answers(
        self, task: Task, contents: Iterable[Content], seconds: float
    ) -> AsyncIterator[list[bytes]]:
        """Yields the analyses of each piece of a request, in order; few pieces wait at a time."""
        if self.is_full:
            raise refused(503, "queue-full", "the queue is full; try again later", 1)
        flow, deadline, left = Flow(), time.monotonic() + seconds, iter(contents)
        waiting: list[Piece] = []
        try:
            while True:
                room = self.settings.batching.ahead - len(waiting)
                for content in islice(left, room):
                    done = asyncio.get_running_loop().create_future()
                    waiting.append(piece := Piece(task, content, deadline, flow, done))
                    await self.queue.put(piece)
                if not waiting:
                    return
                yield await self._result(waiting.pop(0), seconds)
        finally:
            for piece in waiting:
                if not piece.done.cancel():
                    piece.done.exception()  # retrieved, so that asyncio does not report it

    async def _result(self, piece: Piece, seconds: float) -> list[bytes]:
        try:
            async with asyncio.timeout(max(0.0, piece.seconds_left) + GRACE / 2):
                return await piece.done
        except TimeoutError:
            raise ProblemError(too_late(seconds)) from None

    async def _serve(self, worker: Worker) -> None:
        """The loop of one worker; a worker that dies or hangs is replaced."""
        while True:
            self.alive += 1
            try:
                while True:
                    batch = await self.queue.take()
                    try:
                        await self._run(worker, batch)
                    finally:
                        await self.queue.finish(batch)
            except (WorkerDiedError, TimeoutError):
                log.warning("a worker died or hung and is replaced")
            finally:
                self.alive -= 1
                worker.kill()
            worker = await self._replacement()

    async def _run(self, worker: Worker, batch: Sequence[Piece]) -> None:
        self.counts["batches"] += 1
        self.counts["pieces"] += len(batch)
        longest = max(piece.seconds_left for piece in batch) + GRACE
        try:
            async with asyncio.timeout(longest):
                async for frame in worker.run(batch):
                    self._note(batch[frame.piece], frame)
        except (WorkerDiedError, TimeoutError):
            for piece in batch:
                await self._retry(piece)
            raise

    def _note(self, piece: Piece, frame: Frame) -> None:
        if frame.kind is not Kind.FAILED and frame.body:
            piece.answers.append(frame.body)
            self.counts["sentences"] += 1
        if not piece.done.done():
            if frame.kind is Kind.DONE:
                piece.done.set_result(piece.answers)
            elif frame.kind is Kind.FAILED:
                piece.done.set_exception(ProblemError(Problem(**json.loads(frame.body))))

    async def _retry(self, piece: Piece) -> None:
        """Puts a piece that was lost with its worker back once, to be processed alone."""
        if piece.done.done():
            return
        piece.attempts += 1
        if piece.seconds_left <= 0:
            piece.done.set_exception(ProblemError(too_late(self.settings.limits.seconds)))
        elif piece.attempts > 1:
            piece.done.set_exception(ProblemError(WORKER_DIED))
        else:
            piece.answers = []
            self.counts["retries"] += 1
            await self.queue.put(piece)

    async def _replacement(self) -> Worker:
        self.counts["replacements"] += 1
        while True:
            with suppress(WorkerDiedError, TreewrightError, OSError):
                return await self._workers.worker()
            await asyncio.sleep(PAUSE)
