"""What tests/serve/test_ray.py runs in a process of its own: a server on a local Ray cluster.

The replica is killed under load. What the clients got goes to found.json.
"""

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import ray

from tests.serving import Running, running, settings_with
from tests.small_ccg import bank
from treewright.serve.ray_workers import RayWorkers
from treewright.train.cluster import Cluster

REQUESTS = 12
WORDS = " ".join([token.word for each in bank() for token in each.sentence.tokens][:250])
LONG = {"text": f"{WORDS}\n" * 2, "beam": "0.000001:0"}  # one replica is always busy with these


def main() -> dict[str, object]:
    ray.init(
        "local",
        num_cpus=1,
        object_store_memory=80_000_000,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=40,
    )
    stops: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: stops.append(number))
    Cluster.at("auto")
    os.kill(os.getpid(), signal.SIGTERM)  # which is ours to answer, not Ray's
    settings = settings_with(workers=1, seconds=120)
    workers = RayWorkers(settings, "auto")
    with running(settings, workers) as server:
        return asked(server, workers) | {"stops": stops}


def asked(server: Running, workers: RayWorkers) -> dict[str, object]:
    """The answers to requests of four clients; one of the requests kills the replica."""
    expected = server.post(model="ccg", **LONG).json()["sentences"]
    killed = process(server, workers)

    def ask(number: int) -> str:
        if number == REQUESTS // 3:
            os.kill(killed, signal.SIGKILL)
        answer = server.post(model="ccg", **LONG)
        same = answer.json().get("sentences") == expected
        return f"{answer.status_code}, {'same' if same else 'other'}"

    with ThreadPoolExecutor(4) as clients:
        found = Counter(clients.map(ask, range(REQUESTS)))
    return {
        "models": [model["name"] for model in server.http.get("/v1/models").json()["models"]],
        "answers": found,
        "retries": server.pool.counts["retries"],
        "replaced": process(server, workers) != killed,
    }


def process(server: Running, workers: RayWorkers) -> int:
    """The process of the replica."""

    async def found() -> int:
        number: int = await workers.handle.process.remote()
        return number

    return asyncio.run_coroutine_threadsafe(found(), server.loop).result(60)


Path(sys.argv[1]).write_text(json.dumps(main()))
