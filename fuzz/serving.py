"""A server under load, for `fuzz.soak`: its workers are killed, and some requests are damaged."""

import json
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from subprocess import Popen

import httpx
import psutil

from fuzz.mutate import mutated

CLIENTS, REQUESTS, KILLS = 4, 40, 3
BUSY = (503, 504)


class Load:
    """Requests to a server, and what is wrong with the answers."""

    def __init__(self, process: Popen[str], words: list[list[str]], random: Random) -> None:
        assert process.stderr is not None
        url = process.stderr.readline().split()[-1]
        self.http = httpx.Client(base_url=url, timeout=120)
        self.process, self.random, self.kills = process, random, 0
        self.body = json.dumps({"sentences": [{"words": each} for each in words]}).encode()
        self.faults: list[str] = []

    def answer(self) -> bytes:
        """The answer to the request that is not damaged."""
        return self.http.post("/v1/parse", content=self.body).content

    def run(self, expected: bytes) -> None:
        """Clients ask while workers are killed."""
        last = self.kills + KILLS
        damaged = [
            mutated([self.body], self.random) if self.random.random() < 0.5 else None
            for _ in range(REQUESTS)
        ]
        with ThreadPoolExecutor(CLIENTS) as clients:
            asked = [clients.submit(self._ask, each, expected) for each in damaged]
            while not all(each.done() for each in asked):
                time.sleep(self.random.uniform(0, 0.5))
                if self.kills < last:
                    self._kill()
                self._leave()
            for each in asked:
                each.result()

    def watched(self) -> tuple[int, int]:
        """Resident memory in MB and open files of the server and of the keeper of the models."""
        server = psutil.Process(self.process.pid)
        found = [server, *server.children()]
        return (
            sum(each.memory_info().rss for each in found) // (1 << 20),
            sum(each.num_fds() for each in found),
        )

    def end(self) -> None:
        """Tells the server to stop, and waits."""
        self.http.close()
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate()

    def _ask(self, damaged: bytes | None, expected: bytes) -> None:
        try:
            found = self.http.post("/v1/parse", content=damaged or self.body)
        except httpx.HTTPError as error:
            self.faults.append(f"no answer: {error!r:.100}")
            return
        if damaged is None and found.content != expected:
            self.faults.append(f"an answer differs: status {found.status_code}")
        if damaged and found.status_code >= 500 and found.status_code not in BUSY:
            self.faults.append(f"a damaged request: {found.text:.100}")

    def _leave(self) -> None:
        """A client that goes away in the middle of its request, or before the answer."""
        url = self.http.base_url
        head = (
            f"POST /v1/parse HTTP/1.1\r\nHost: {url.host}\r\nContent-Length: {len(self.body)}\r\n"
        )
        request = f"{head}Content-Type: application/json\r\n\r\n".encode() + self.body
        with suppress(OSError), socket.create_connection((url.host, url.port), timeout=30) as made:
            made.sendall(request[: self.random.randint(1, len(request))])

    def _kill(self) -> None:
        """Kills a worker: a child of the process that holds the models."""
        with suppress(psutil.NoSuchProcess):
            keepers = psutil.Process(self.process.pid).children()
            if workers := [each for keeper in keepers for each in keeper.children()]:
                self.random.choice(workers).kill()
                self.kills += 1
