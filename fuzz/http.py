"""Requests to the server, in this process: whatever the body is, the answer is no failure (500)."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from fuzz import seeds
from treewright.errors import TreewrightError
from treewright.serve.app import application
from treewright.serve.frames import Frame
from treewright.serve.links import batch_message
from treewright.serve.models import Models
from treewright.serve.pieces import Piece
from treewright.serve.pool import Pool
from treewright.serve.settings import Limits, ModelSource, ServerSettings
from treewright.serve.work import BatchWork

LIMITS = Limits(words=60, sentences=50, seconds=5.0)
BUSY = (503, 504)  # no worker is free, or the time is over: not a failure


class ServerFailedError(Exception):
    """An answer that says that the server failed."""


class RefusedError(TreewrightError):
    """An answer that says what is wrong with the request."""


class HereWorkers:
    """A worker that is no process of its own."""

    def __init__(self, settings: ServerSettings) -> None:
        self.models = Models.load(settings.models)

    async def begin(self) -> list[dict[str, Any]]:
        return self.models.described()

    async def worker(self) -> "HereWorkers":
        return self

    async def run(self, batch: Sequence[Piece]) -> AsyncIterator[Frame]:
        frames: list[Frame] = []
        BatchWork(self.models, LIMITS, batch_message(batch), frames.append).run()
        for frame in frames:
            yield frame

    def kill(self) -> None:
        pass

    async def end(self) -> None:
        pass


class App:
    """The server's application, and a loop that it runs in."""

    def __init__(self) -> None:
        folder = Path(seeds.folder().name)
        seeds.models()
        sources = tuple(ModelSource(kind, folder / kind / "model") for kind in ("pos", "const"))
        settings = ServerSettings(sources, workers=1, limits=LIMITS)
        self.loop = asyncio.new_event_loop()
        self.pool = Pool(settings, HereWorkers(settings))
        self.app = application(settings, self.pool)
        self.loop.run_until_complete(self.pool.begin())

    async def answer(self, path: str, body: bytes) -> tuple[int, bytes]:
        """Status and body of the answer to a POST."""
        sent: list[Any] = []
        received = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            return (
                received.pop() if received else await asyncio.sleep(60, {"type": "http.disconnect"})
            )

        async def send(message: Any) -> None:
            sent.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json")]
        scope = {"type": "http", "method": "POST", "path": path, "headers": headers,
                 "query_string": b"", "http_version": "1.1", "scheme": "http"}  # fmt: skip
        await self.app(scope, receive, send)
        return sent[0]["status"], b"".join(message.get("body", b"") for message in sent[1:])


@cache
def _app() -> App:
    return App()


def request(data: bytes) -> None:
    """A path on the first line, a body below."""
    path, _, body = data.partition(b"\n")
    made = _app()
    status, answer = made.loop.run_until_complete(
        asyncio.wait_for(made.answer(path.decode("latin-1"), body), LIMITS.seconds + 5)
    )
    if status >= 500 and status not in BUSY:
        raise ServerFailedError(f"{status}: {answer[:200]!r}")
    if status != 200:
        raise RefusedError(answer[:200].decode(errors="replace"))


def requests() -> Sequence[bytes]:
    """Valid requests of every route."""
    text = "The dog sees a cat .\nIt sleeps ."
    words = {"words": text.split()[:6], "id": "7"}
    conllu = "".join(f"{i}\t{w}" + "\t_" * 8 + "\n" for i, w in enumerate(words["words"], 1)) + "\n"
    tree = "( (S (NP (DT The) (NN dog)) (VP (VBZ sleeps))) )\n"
    asked: list[tuple[str, dict[str, Any]]] = [
        ("parse", {"text": text, "model": "pos", "k_best": 3, "marginals": True}),
        ("parse", {"text": text, "model": "const", "formats": ["svg"], "decoder": "viterbi"}),
        ("parse", {"sentences": [words, {**words, "pos": ["NN"] * 6}], "model": "const"}),
        ("parse", {"treebank": {"format": "conllu", "content": conllu}}),
        ("parse/stream", {"treebank": {"format": "auto", "content": seeds.auto()[0].decode()}}),
        ("compare", {"treebank": {"format": "brackets", "content": tree}, "a": {"model": "const"},
                     "b": {"model": "const", "decoder": "viterbi"}}),
        ("compare", {"text": text, "input": "tokens", "b": {"model": "const"}}),
    ]  # fmt: skip
    asked += [("draw", each) for each in _pictures(words["words"])]
    return [f"/v1/{path}\n{json.dumps(body)}".encode() for path, body in asked]


def _pictures(words: Any) -> list[dict[str, Any]]:
    """Analyses to draw: those that the models give, and arcs."""
    made = _app()
    found = []
    for model in ("pos", "const"):
        body = json.dumps({"sentences": [{"words": words}], "model": model, "marginals": True})
        _, answer = made.loop.run_until_complete(made.answer("/v1/parse", body.encode()))
        found.append({"analysis": json.loads(answer)["sentences"][0], "shaded": True})
    arcs = {"kind": "dep", "words": words, "heads": [2, 0, 2, 5, 3, 3], "labels": ["x"] * 6}
    other = arcs | {"heads": [0, 1, 2, 3, 4, 5]}
    return [*found, {"analysis": arcs, "other": other, "folded": [1], "width": 200, "view": "arcs"}]
