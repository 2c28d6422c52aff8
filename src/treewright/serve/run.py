"""Runs the application on uvicorn until SIGTERM or Ctrl-C, and finishes requests in flight."""

import asyncio
import socket
from collections.abc import Callable
from functools import partial
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from treewright.errors import TreewrightError
from treewright.serve.app import application
from treewright.serve.links import LocalWorkers, Workers
from treewright.serve.pool import Pool
from treewright.serve.settings import ServerSettings

KEEP_ALIVE = 15  # seconds that an idle connection stays open
MAX_HEAD = 1 << 19  # bytes of a request's head; twice the size of a read
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\n\r\n"
BACKLOG = 2048  # connections that wait to be accepted


class Server(uvicorn.Server):
    """A server with a pool that starts before the first request and stops after the last."""

    def __init__(self, config: uvicorn.Config, pool: Pool, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.pool, self.ready = pool, ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await self.pool.begin()
            await super().startup(sockets)
            self.ready()
        except BaseException:
            await self.pool.end()  # otherwise the exit would wait for the keeper process
            raise
        if self.should_exit:  # already told to stop: uvicorn will not call shutdown
            await self.pool.end()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        await super().shutdown(sockets)
        await self.pool.end()


def serve(
    settings: ServerSettings, announce: Callable[[str], None], workers: Workers | None = None
) -> None:
    """Serves until the process is told to stop; `announce` is called with the address."""
    pool = Pool(settings, workers or LocalWorkers(settings))
    with listen(settings.host, settings.port) as listening:
        ready = partial(announce, address_of(listening))
        Server(config_of(settings, pool), pool, ready).run([listening])


def config_of(settings: ServerSettings, pool: Pool) -> uvicorn.Config:
    """The settings of uvicorn."""
    return uvicorn.Config(
        application(settings, pool),
        http=impatient(settings.limits.read_seconds),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=int(settings.limits.seconds) + 5,
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address, family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as error:
        raise TreewrightError(f"cannot listen on {host}, port {port}: {error}") from error


def address_of(listening: socket.socket) -> str:
    """The address of a server as a URL."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def impatient(most: float) -> type[asyncio.Protocol]:
    """The HTTP protocol that closes connections whose request head takes longer than this."""

    class Chosen(Impatient):
        seconds = most

    return Chosen


class Impatient(HttpToolsProtocol):
    """Closes connections whose request head is late or too large."""

    seconds = 10.0
    _late: asyncio.TimerHandle | None = None
    _head = 0  # bytes of an incomplete head

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._late is not None:
            self._head += len(data)
            if self._head > MAX_HEAD:
                self.transport.write(TOO_LARGE)
                self.transport.close()

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._expect_head()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_head()

    def on_headers_complete(self) -> None:
        self._forget()
        super().on_headers_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _expect_head(self) -> None:
        if self._late is None:
            self._late = self.loop.call_later(self.seconds, self.transport.close)

    def _forget(self) -> None:
        self._head = 0
        if self._late is not None:
            self._late.cancel()
            self._late = None
