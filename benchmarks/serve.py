"""The server under load and under faults, on loopback (docs/results/serve.md).

    python -m benchmarks.serve --model runs/dep/model --text text.txt

The text has one sentence per line, tokens separated by spaces. The script starts its own server,
sends a bounded number of requests, and stops it. A peer is measured alike. Needs psutil.
"""

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from statistics import quantiles
from tempfile import NamedTemporaryFile

import psutil

from treewright.models.parsing import FileParser, ParseOptions

HEAD = "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
Answer = tuple[int, bytes, float]  # status, body, seconds
Cost = tuple[float, float]  # seconds, CPU seconds
PEER = os.environ | {"OMP_NUM_THREADS": "1"}


def main() -> None:
    options = parse_options()
    lines = options.text.read_text().splitlines()[: options.sentences]
    with server(options.model, options.workers) as (port, process):
        bodies = requests(lines, options.batch)
        print_load(port, process, bodies, options, partial(file_cost, options.model))
        print_memory(port, process, bodies, options.memory_requests)
        asyncio.run(faults(port, process, bodies))
    if options.peer:
        print("\nspaCy behind FastAPI\n")
        with peer(options) as (port, process):
            cost = partial(peer_cost, options.peer_python, options.peer)
            print_load(port, process, bodies, options, cost)


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--text", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=1, help="sentences per request")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 4, 16, 64])
    parser.add_argument("--rounds", type=int, default=3, help="of a file and the requests each")
    parser.add_argument("--memory-requests", type=int, default=5000)
    parser.add_argument("--peer", type=Path, help="pipeline of benchmarks.spacy_server")
    parser.add_argument("--peer-python", default=sys.executable, help="a Python with spaCy")
    return parser.parse_args()


def file_cost(model: Path, text: Path, jobs: int) -> Cost:
    """Seconds and CPU seconds of `parse --format json --jobs`, models loaded before."""
    parser = FileParser(model, "json", ParseOptions(text="tokens"))
    assert parser.model is not None  # loaded before the clock starts
    begin, before = time.perf_counter(), sum(os.times()[:4])
    assert sum(1 for _ in parser.by_processes(text, jobs)) == len(text.read_text().splitlines())
    return time.perf_counter() - begin, sum(os.times()[:4]) - before


def peer_cost(python: str, pipeline: Path, text: Path, jobs: int) -> Cost:
    """The same of spaCy."""
    command = [python, "-m", "benchmarks.spacy_server", "file", str(pipeline), str(text), str(jobs)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=PEER)
    seconds, used = json.loads(done.stdout)
    return seconds, used


def cpu_seconds(process: psutil.Process) -> float:
    """CPU time of the server and its workers."""
    every = [process, *process.children(recursive=True)]
    return sum(sum(each.cpu_times()[:2]) for each in every)


@contextmanager
def server(model: Path, workers: int) -> Iterator[tuple[int, psutil.Process]]:
    command = [sys.executable, "-m", "treewright", "serve", "--model", f"m={model}", "--port", "0"]
    started = subprocess.Popen(
        [*command, "--workers", str(workers), "--read-timeout", "3"],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert started.stderr is not None
    try:
        port = int(started.stderr.readline().rpartition(":")[2])
        yield port, psutil.Process(started.pid)
    finally:
        started.send_signal(signal.SIGTERM)
        print(f"\nExit code after SIGTERM: {started.wait(60)}")
        started.stderr.close()


@contextmanager
def peer(options: argparse.Namespace) -> Iterator[tuple[int, psutil.Process]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [options.peer_python, "-m", "uvicorn", "benchmarks.spacy_server:app"]
    how = ["--port", str(port), "--workers", str(options.workers), "--no-access-log"]
    started = subprocess.Popen(
        [*command, *how, "--log-level", "error"], env=PEER | {"SPACY_PIPELINE": str(options.peer)}
    )
    try:
        while not listens(port):
            time.sleep(0.5)
        yield port, psutil.Process(started.pid)
    finally:
        started.terminate()
        started.wait(60)


def listens(port: int) -> bool:
    with socket.socket() as asked:
        return asked.connect_ex(("127.0.0.1", port)) == 0


def print_load(
    port: int,
    process: psutil.Process,
    bodies: list[bytes],
    options: argparse.Namespace,
    file: Callable[[Path, int], Cost],
) -> None:
    """Rows by number of clients; each is measured beside the file, turn by turn."""
    asyncio.run(load(port, bodies[:200], 4))  # warm
    print("| clients | sentences/s | of file | CPU, of file | p50 ms | p95 ms | p99 ms |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    with NamedTemporaryFile("w", suffix=".txt") as text:
        lines = options.text.read_text().splitlines()[: options.sentences]
        text.write("\n".join(lines) + "\n")
        text.flush()
        for clients in options.clients:
            answers: list[Answer] = []
            costs, of_file = [0.0, 0.0], [0.0, 0.0]
            for _ in range(options.rounds):
                for place, cost in enumerate(file(Path(text.name), options.workers)):
                    of_file[place] += cost
                before = cpu_seconds(process)
                found, seconds = timed(port, bodies, clients)
                costs = [costs[0] + seconds, costs[1] + cpu_seconds(process) - before]
                answers += found
            ratios = of_file[0] / costs[0], costs[1] / of_file[1]
            print_row(clients, answers, options.rounds * len(lines) / costs[0], ratios)


def requests(lines: list[str], batch: int) -> list[bytes]:
    made = []
    for i in range(0, len(lines), batch):
        body = json.dumps({"text": "\n".join(lines[i : i + batch]), "input": "tokens"}).encode()
        made.append(request(body))
    return made


def request(body: bytes, path: str = "/v1/parse") -> bytes:
    return HEAD.format(path=path).encode() + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, asked: bytes
) -> Answer:
    begin = time.perf_counter()
    writer.write(asked)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    size = int(head.partition(b"content-length:")[2].split(b"\r\n")[0])
    return int(head.split()[1]), await reader.readexactly(size), time.perf_counter() - begin


async def load(port: int, bodies: list[bytes], clients: int) -> list[Answer]:
    """All requests by clients that send one after the other; 429 and 503 are sent again."""
    left, answers = iter(bodies), []

    async def client() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for asked in left:
            while (answer := await exchange(reader, writer, asked))[0] in (429, 503):
                await asyncio.sleep(0.2)
            answers.append(answer)
        writer.close()

    await asyncio.gather(*(client() for _ in range(clients)))
    return answers


def timed(port: int, bodies: list[bytes], clients: int) -> tuple[list[Answer], float]:
    begin = time.perf_counter()
    answers = asyncio.run(load(port, bodies, clients))
    assert {status for status, _, _ in answers} == {200}
    return answers, time.perf_counter() - begin


def print_row(
    clients: int, answers: list[Answer], rate: float, ratios: tuple[float, float]
) -> None:
    cuts = quantiles((1000 * taken for _, _, taken in answers), n=100)
    cells = [str(clients), f"{rate:.0f}", *(f"{ratio:.2f}" for ratio in ratios)]
    cells += [f"{cuts[place]:.1f}" for place in (49, 94, 98)]
    print("| " + " | ".join(cells) + " |", flush=True)


def print_memory(port: int, process: psutil.Process, bodies: list[bytes], count: int) -> None:
    print("\n| requests | server MB | workers MB (unique) |\n| ---: | ---: | ---: |")
    step = max(1, count // 10)
    for done in range(0, count + 1, step):
        if done:
            asyncio.run(load(port, list(islice(cycle(bodies), step)), 64))
        own, others = process.memory_info().rss, process.children(recursive=True)[1:]
        unique = sum(each.memory_full_info().uss for each in others)
        print(f"| {done} | {own / 1e6:.0f} | {unique / 1e6:.0f} |", flush=True)


async def faults(port: int, process: psutil.Process, bodies: list[bytes]) -> None:
    print("\n| fault | answers |\n| --- | --- |")
    await show("worker killed under load", killed(port, process, bodies))
    await show("one byte per second", slowly(port))
    await show("body of 10 MB", one(port, request(b"x" * 10_000_000)))
    long = json.dumps({"text": "word " * 10_000, "input": "tokens"}).encode()
    await show("sentence of 10,000 words", one(port, request(long)))
    await show("invalid UTF-8", one(port, request(b'{"text": "\xff"}')))
    await show("invalid JSON", one(port, request(b'{"text": ')))
    await show("1,000 connections at once", many(port, bodies))
    await show("afterwards", one(port, bodies[0]))


async def show(name: str, work: object) -> None:
    print(f"| {name} | {await work} |", flush=True)  # type: ignore[misc]


async def killed(port: int, process: psutil.Process, bodies: list[bytes]) -> str:
    asked = asyncio.create_task(load(port, bodies[:500], 8))
    await asyncio.sleep(0.3)
    os.kill(process.children(recursive=True)[-1].pid, signal.SIGKILL)
    return statuses([status for status, _, _ in await asked])


async def slowly(port: int) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    begin, asked = time.perf_counter(), request(b"{" + b" " * 1000)
    for place in range(len(asked)):
        try:
            writer.write(asked[place : place + 1])
            answer = await asyncio.wait_for(reader.read(100), 1)
        except TimeoutError:
            continue
        except ConnectionError:
            answer = b""
        seconds = time.perf_counter() - begin
        return f"closed after {seconds:.0f} s" if not answer else answer.split(b"\r")[0].decode()
    return "never closed"


async def one(port: int, asked: bytes) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    status, body, _ = await exchange(reader, writer, asked)
    writer.close()
    detail = json.loads(body).get("detail", "")
    return f"{status} {detail}".strip()


async def many(port: int, bodies: list[bytes]) -> str:
    async def single(asked: bytes) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        status, _, _ = await exchange(reader, writer, asked)
        writer.close()
        return status

    asked = (bodies * (1 + 1000 // len(bodies)))[:1000]
    return statuses(await asyncio.gather(*map(single, asked)))


def statuses(found: list[int]) -> str:
    return ", ".join(f"{count} x {status}" for status, count in sorted(Counter(found).items()))


if __name__ == "__main__":
    main()
