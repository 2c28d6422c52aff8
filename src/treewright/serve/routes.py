"""The routes that parse."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse

from treewright.serve import wire
from treewright.serve.differences import compared
from treewright.serve.express import PATH, Parse
from treewright.serve.gold import scored
from treewright.serve.pieces import Task
from treewright.serve.problems import MEDIA_TYPE, ProblemError
from treewright.serve.service import Service

JSON, NDJSON = "application/json", "application/x-ndjson"
PROBLEMS: dict[int | str, dict[str, Any]] = {
    status: {
        "description": text,
        "content": {MEDIA_TYPE: {"schema": wire.ProblemReport.model_json_schema()}},
    }
    for status, text in {
        400: "The body is not JSON.",
        401: "A token is needed.",
        404: "There is no such model.",
        408: "The body arrived too slowly.",
        413: "The body is too large.",
        421: "The name of the host is not that of this machine.",
        422: "The request is not as it must be, or asks for too much.",
        429: "Too many requests are in flight.",
        503: "Too much work is waiting, or the server is not ready.",
        504: "The time of the request is over.",
    }.items()
}
LINES: dict[int | str, dict[str, Any]] = {
    200: {"content": {NDJSON: {}}, "description": "One analysis per line."}
}


def add_parsing(app: FastAPI, service: Service) -> Parse:
    """Adds `/v1/parse`, `/v1/parse/stream`, `/v1/compare` and `/v1/models`; returns the first."""

    @app.post(PATH, response_model=wire.ParseResponse, responses=PROBLEMS, tags=["parsing"])
    async def parse(request: wire.ParseRequest) -> Response:
        """Parses sentences and returns all analyses at once."""
        task = _task(service, request)
        found = [line async for line in service.lines(request, task)]
        head = json.dumps({"version": wire.VERSION, "model": task.model}).encode()
        return Response(head[:-1] + b', "sentences": [' + b",".join(found) + b"]}", media_type=JSON)

    @app.post(
        "/v1/parse/stream",
        response_class=StreamingResponse,
        responses=LINES | PROBLEMS,
        tags=["parsing"],
    )
    async def stream(request: wire.ParseRequest) -> StreamingResponse:
        """Parses sentences and streams one analysis per line.

        A problem after the first line is sent as a last line with the single key `problem`.
        """
        lines = service.lines(request, _task(service, request))
        first = await anext(lines, None)
        return StreamingResponse(_streamed(first, lines), media_type=NDJSON)

    @app.post(
        "/v1/compare", response_model=wire.CompareResponse, responses=PROBLEMS, tags=["parsing"]
    )
    async def compare(request: wire.CompareRequest) -> Response:
        """Parses sentences in two ways and lists the differences.

        Sentences of a treebank are also scored.
        """
        pairs = await _pairs(service, request)
        found = [compared(*pair) for pair in pairs]
        if request.treebank is not None:
            found = scored(found, request.treebank.format, request.treebank.content)
        values = {"version": wire.VERSION, "sentences": found}
        return Response(json.dumps(values, ensure_ascii=False).encode(), media_type=JSON)

    @app.get("/v1/models", responses={401: PROBLEMS[401], 421: PROBLEMS[421]}, tags=["parsing"])
    async def models() -> wire.ModelList:
        """Lists the served models."""
        return wire.ModelList(models=[wire.ModelInfo(**each) for each in service.pool.models])

    return parse


def _task(service: Service, request: wire.ParseRequest) -> Task:
    formats, k_best = tuple(dict.fromkeys(request.formats)), request.k_best
    return service.task(request, formats=formats, k_best=k_best, marginals=request.marginals)


async def _loaded(service: Service, request: wire.Source, task: Task) -> list[dict[str, Any]]:
    return [json.loads(line) async for line in service.lines(request, task)]


async def _pairs(
    service: Service, request: wire.CompareRequest
) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The analyses of both models; if one tokenises the text, the other gets its words."""
    tasks = [service.task(how) for how in (request.a, request.b)]
    cuts = [service.cuts_text(task) for task in tasks]
    if request.text is None or request.input == "tokens" or not any(cuts):
        a, b = await asyncio.gather(*(_loaded(service, request, task) for task in tasks))
    elif cuts[0]:
        a = await _loaded(service, request, tasks[0])
        b = await _loaded(service, _words_of(a), tasks[1])
    else:
        b = await _loaded(service, request, tasks[1])
        a = await _loaded(service, _words_of(b), tasks[0])
    return list(zip(a, b, strict=True))


def _words_of(analyses: list[dict[str, Any]]) -> wire.Source:
    numbered = enumerate(analyses, start=1)
    found = [wire.Tokenised(words=each["words"], id=str(number)) for number, each in numbered]
    return wire.Source(sentences=found)


async def _streamed(first: bytes | None, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if first is None:
        return
    yield first + b"\n"
    try:
        async for line in rest:
            yield line + b"\n"
    except ProblemError as error:
        yield b'{"problem": ' + error.problem.body() + b"}\n"
