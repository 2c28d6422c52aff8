"""Workers from the pool's point of view: a batch is sent, messages return, until READY or death."""

import asyncio
import json
import os
import signal
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

from treewright.errors import TreewrightError
from treewright.serve.frames import Frame, Kind, read_frame, split_frames
from treewright.serve.pieces import Piece
from treewright.serve.processes import ONE, start_keeper
from treewright.serve.settings import ServerSettings

READ = 1 << 18  # bytes that are read from a worker at once


class WorkerDiedError(TreewrightError):
    """A worker process ended while it was working."""


class Worker(Protocol):
    """A worker; it processes one batch at a time."""

    def run(self, batch: Sequence[Piece]) -> AsyncIterator[Frame]:
        """Yields the worker's messages; raises WorkerDiedError."""

    def kill(self) -> None:
        """Terminates the worker immediately."""


class Workers(Protocol):
    """A source of workers."""

    async def begin(self) -> list[dict[str, Any]]:
        """Loads the models and returns their descriptions."""

    async def worker(self) -> Worker:
        """A new worker."""

    async def end(self) -> None:
        """Terminates all workers."""


def batch_message(batch: Sequence[Piece]) -> bytes:
    """A batch in the form sent to workers."""
    values = {"task": batch[0].task, "pieces": [piece.message() for piece in batch]}
    return json.dumps(values).encode()


class LocalWorker:
    """A worker process on this machine."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, process: int
    ) -> None:
        self._reader, self._writer, self.process = reader, writer, process

    async def run(self, batch: Sequence[Piece]) -> AsyncIterator[Frame]:
        try:
            self._writer.write(Frame(Kind.BATCH, body=batch_message(batch)).encoded())
            await self._writer.drain()
            arrived = bytearray()
            while part := await self._reader.read(READ):
                arrived += part
                for frame in split_frames(arrived):
                    if frame.kind is Kind.READY:
                        return
                    yield frame
        except ConnectionError as error:
            raise WorkerDiedError(f"the worker {self.process} has died") from error
        raise WorkerDiedError(f"the worker {self.process} has died")

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        self._writer.close()


class LocalWorkers:
    """Workers forked by a keeper process; a keeper that dies is replaced."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self._keeper: Any = None
        self._control: socket.socket | None = None
        self._lock = asyncio.Lock()

    async def begin(self) -> list[dict[str, Any]]:
        await self.end()
        self._keeper, self._control = start_keeper(self.settings.models, self.settings.limits)
        self._control.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=self._control.dup())
        try:
            frame = await read_frame(reader)
        except asyncio.IncompleteReadError:
            raise TreewrightError("the process that loads the models has died") from None
        finally:
            writer.close()
        if frame.kind is Kind.FAILED:
            raise TreewrightError(frame.body.decode())
        described: list[dict[str, Any]] = json.loads(frame.body)
        return described

    async def worker(self) -> LocalWorker:
        async with self._lock:
            if self._control is None or not self._keeper.is_alive():
                await self.begin()
            assert self._control is not None
            ours, theirs = socket.socketpair()
            with theirs:
                socket.send_fds(self._control, [ONE], [theirs.fileno()])
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            hello = await read_frame(reader)
        except asyncio.IncompleteReadError as error:
            raise WorkerDiedError("a worker died before it began") from error
        return LocalWorker(reader, writer, int(hello.body))

    async def end(self) -> None:
        if self._control is not None:
            self._control.close()
            await asyncio.to_thread(self._keeper.join, 5)
