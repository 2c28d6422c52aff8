"""A real server under faults: killed workers, slow and large clients, deadlines, SIGTERM."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest

from tests.serving import SECONDS, TEXT, Running, model_sources, running, settings_with
from tests.small_ccg import bank
from treewright.client import Client
from treewright.errors import TreewrightError
from treewright.serve.settings import ModelSource, ServerSettings

WORDS = [token.word for derivation in bank() for token in derivation.sentence.tokens]
HARD = {"sentences": [{"words": WORDS[:250]}] * 400, "beam": "0.000001:0", "model": "ccg"}


def children() -> set[int]:
    """The workers: children of the keepers of this process."""
    own = _parents(os.getpid())
    return {worker for keeper in own for worker in _parents(keeper)}


def _parents(process: int) -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == process and fields[0] != "Z":
            found.add(int(path.parent.name))
    return found


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")


@needs_proc
def test_nothing_is_lost_when_a_worker_is_killed(server: Running) -> None:
    def ask(number: int) -> int:
        if number == 10:
            os.kill(min(children()), signal.SIGKILL)
        answer = server.post(text=TEXT, model="ccg")
        assert len(answer.json()["sentences"]) == 2
        return answer.status_code

    before = server.pool.counts["replacements"]
    with ThreadPoolExecutor(4) as clients:
        assert set(clients.map(ask, range(30))) == {200}
    while server.pool.alive < 2:
        time.sleep(0.05)
    assert server.pool.counts["replacements"] == before + 1


@pytest.fixture(scope="module")
def hasty() -> Iterator[Running]:
    """A server with a short deadline, one request at a time, and a token."""
    how = settings_with(token="secret", seconds=2.0, requests=1, read_seconds=0.5)
    with running(how) as found:
        found.http.headers["Authorization"] = "Bearer secret"
        yield found


def test_a_hopeless_sentence_stops_in_time(hasty: Running) -> None:
    answer = hasty.post(**HARD)
    assert (answer.status_code, answer.json()["code"]) == (504, "deadline")
    assert hasty.pool.counts["replacements"] == 0  # the core stopped by itself


def test_requests_in_flight_are_limited(hasty: Running) -> None:
    with ThreadPoolExecutor(3) as clients:
        found = list(clients.map(lambda _: hasty.post(**HARD), range(3)))
    refused = [answer for answer in found if answer.status_code == 429]
    assert refused
    assert all(answer.headers["retry-after"] == "1" for answer in refused)
    assert hasty.post(text="the man").status_code == 200


def test_the_token(hasty: Running) -> None:
    for given in ("", "Bearer wrong", "secret"):
        headers = {"Authorization": given}
        assert hasty.http.get("/v1/models", headers=headers).status_code == 401
        assert hasty.http.get("/healthz", headers=headers).status_code == 200
    with Client(hasty.url, "secret") as client:
        assert client.models()


def connect(server: Running) -> socket.socket:
    host, port = httpx.URL(server.url).host, httpx.URL(server.url).port
    return socket.create_connection((host, port or 80), SECONDS)


def test_one_byte_at_a_time(hasty: Running) -> None:
    head = b"POST /v1/parse HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer secret\r\n"
    with connect(hasty) as slow:
        slow.sendall(head[:10])
        assert slow.recv(100) == b""  # closed before the head was there
    with connect(hasty) as slow:
        slow.sendall(head + b"Content-Length: 100\r\n\r\n{")
        assert slow.recv(1000).startswith(b"HTTP/1.1 408")


@pytest.mark.parametrize("head", [b"X: " + b"a" * (1 << 22), b"X: a\r\n" * (1 << 19)])
def test_large_heads(server: Running, head: bytes) -> None:
    with connect(server) as client:
        with suppress(OSError):  # it does not read all of it
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + head + b"\r\n\r\n")
        with suppress(ConnectionResetError):
            assert not client.recv(100).startswith(b"HTTP/1.1 200 ")
    assert server.http.get("/healthz").status_code == 200


def test_large_bodies(server: Running) -> None:
    assert server.http.post("/v1/parse", content=b"x" * 20_001).status_code == 413

    def endless() -> Iterator[bytes]:
        for _ in range(100):
            yield b"x" * 1000

    with suppress(httpx.WriteError):  # where the server closes the connection first
        assert server.http.post("/v1/parse", content=endless()).status_code == 413
    assert server.http.get("/healthz").status_code == 200


def test_many_connections(server: Running) -> None:
    async def main() -> list[int]:
        async with httpx.AsyncClient(base_url=server.url, timeout=SECONDS) as http:

            async def ask() -> int:
                body = {"text": "the man", "model": "dep"}
                try:
                    return (await http.post("/v1/parse", json=body)).status_code
                except httpx.ReadError:  # reset by a busy machine: clients ask again
                    return (await http.post("/v1/parse", json=body)).status_code

            return await asyncio.gather(*(ask() for _ in range(100)))

    assert set(asyncio.run(main())) == {200}


def test_a_model_that_cannot_be_loaded(tmp_path: Path) -> None:
    settings = ServerSettings((ModelSource("none", tmp_path / "none"),), workers=1)
    with pytest.raises(TreewrightError, match="none"), running(settings):
        pass


def starting() -> subprocess.Popen[str]:
    """A server of its own process, which has not loaded its model yet."""
    model = f"dep={model_sources()[1].directory}"
    command = [sys.executable, "-m", "treewright", "serve", "--model", model, "--port", "0"]
    return subprocess.Popen([*command, "--workers", "1"], stderr=subprocess.PIPE, text=True)


def started() -> tuple[subprocess.Popen[str], str]:
    """A server of its own process, and its address."""
    process = starting()
    assert process.stderr is not None
    return process, process.stderr.readline().split()[-1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_stopped_while_it_starts_ends(number: signal.Signals) -> None:
    process = starting()
    server = psutil.Process(process.pid)
    while len(found := server.children(recursive=True)) < 2 and process.poll() is None:
        time.sleep(0.01)  # until one of them loads the models
    process.send_signal(number)
    process.communicate(timeout=SECONDS)
    assert not psutil.wait_procs(found, timeout=SECONDS)[1]


def test_a_server_that_nobody_listens_to_ends() -> None:
    process = starting()
    assert process.stderr is not None
    process.stderr.close()
    assert process.wait(SECONDS) != 0


def test_workers_end_with_a_killed_server() -> None:
    process, url = started()
    workers = psutil.Process(process.pid).children(recursive=True)
    assert len(workers) >= 2  # one that loads the models, and one that parses
    process.kill()
    process.communicate(timeout=SECONDS)  # until nobody holds its pipe
    assert not psutil.wait_procs(workers, timeout=SECONDS)[1]
    with pytest.raises(httpx.ConnectError):
        httpx.get(url + "/healthz")


def test_a_stop_finishes_what_is_in_flight() -> None:
    process, url = started()
    assert process.stderr is not None
    text = "The dog sees a cat\n" * 2000
    with ThreadPoolExecutor(1) as clients, Client(url, seconds=SECONDS) as client:
        answer = clients.submit(client.parse, text, input="tokens")
        while "treewright_batches_total 0" in httpx.get(url + "/metrics", timeout=SECONDS).text:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert len(answer.result(SECONDS).sentences) == 2000
    assert process.wait(SECONDS) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    with pytest.raises(httpx.ConnectError):
        httpx.get(url + "/healthz")
    assert process.stderr.read() == ""
    process.stderr.close()
