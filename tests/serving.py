"""A server for tests, in a thread of its own, with small models."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import httpx

from tests.models.dependency.test_parser import train as train_dep
from tests.small_ccg import small_parser
from treewright.errors import TreewrightError
from treewright.serve.links import LocalWorkers, Workers
from treewright.serve.pool import Pool
from treewright.serve.run import Server, address_of, config_of, listen
from treewright.serve.settings import Batching, Limits, ModelSource, ServerSettings

SECONDS = 180.0  # for a server to start on a busy machine
TEXT = "the man saw the dog\nthe dog saw a man"


@cache
def model_sources() -> tuple[ModelSource, ...]:
    """A CCG and a dependency model."""
    place = Path(mkdtemp())
    small_parser().save(place / "ccg")
    train_dep(place).save(place / "dep")
    return tuple(ModelSource(name, place / name) for name in ("ccg", "dep"))


@dataclass(eq=False)
class Running:
    """A server that runs in a thread."""

    url: str
    pool: Pool
    server: Server
    loop: asyncio.AbstractEventLoop
    http: httpx.Client = field(repr=False)

    def post(self, path: str = "/v1/parse", **body: Any) -> httpx.Response:
        return self.http.post(path, json=body)

    def in_loop(self, call: Callable[[], Any]) -> Any:
        """What a call returns that must run in the server's thread."""

        async def made() -> Any:
            return call()

        return asyncio.run_coroutine_threadsafe(made(), self.loop).result(SECONDS)


def settings_with(
    workers: int = 1, token: str | None = None, batching: Batching | None = None, **limits: Any
) -> ServerSettings:
    how = {"workers": workers, "token": token, "batching": batching or Batching()}
    return ServerSettings(model_sources(), port=0, limits=Limits(**limits), **how)  # type: ignore[arg-type]


@contextmanager
def running(settings: ServerSettings, workers: Workers | None = None) -> Iterator[Running]:
    """A server that takes requests."""
    listening = listen("127.0.0.1", 0)
    ready: Future[tuple[Pool, Server, asyncio.AbstractEventLoop]] = Future()

    async def main() -> None:
        pool = Pool(settings, workers or LocalWorkers(settings))
        config = config_of(settings, pool)
        loop = asyncio.get_running_loop()
        server = Server(config, pool, lambda: ready.set_result((pool, server, loop)))
        try:
            await server.serve([listening])
        except TreewrightError as error:
            ready.set_exception(error)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    try:
        pool, server, loop = ready.result(SECONDS)
        url = address_of(listening)
        with httpx.Client(base_url=url, timeout=SECONDS) as http:
            yield Running(url, pool, server, loop, http)
    finally:
        if ready.done() and not ready.exception():
            ready.result()[1].should_exit = True
        thread.join(SECONDS)
        listening.close()
