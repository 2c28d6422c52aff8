"""Clients of a Treewright server (docs/serve.md), synchronous and for asyncio.

    from treewright.client import Client

    with Client("http://127.0.0.1:8000") as client:
        for sentence in client.parse("The cat sat on the mat.").sentences:
            print(sentence["words"], sentence["score"])

Needs the package httpx, which is part of `treewright[serve]`.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict, Unpack

import httpx

from treewright.errors import TreewrightError

ADDRESS = "http://127.0.0.1:8000"
BUSY = (429, 503)  # status codes after which a request is repeated
Analysis = dict[str, Any]  # see docs/formats.md


class ServerError(TreewrightError):
    """A problem reported by the server: status, code and detail."""

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(status, code, detail)
        self.status, self.code, self.detail = status, code, detail

    def __str__(self) -> str:
        return f"{self.detail} (status {self.status})"


class How(TypedDict, total=False):
    """Settings of parsing; missing ones are those of the model."""

    model: str
    decoder: str
    beam: str
    schedule: str


class Options(How, total=False):
    """Options of a request.

    input: the type of the text. sentences: tokenised sentences in place of the text, as lists of
    words or as objects with `words`, `pos` and `id`. treebank: `format` and `content`.
    """

    input: Literal["raw", "sentences", "tokens"]
    sentences: Sequence[Sequence[str] | dict[str, Any]]
    treebank: dict[str, str]
    formats: Sequence[str]
    k_best: int
    marginals: bool


@dataclass(frozen=True)
class Parsed:
    """The analyses of a request, and the model that produced them."""

    model: str
    sentences: list[Analysis]


@dataclass(frozen=True)
class Model:
    """A served model; `text`: the types of text that requests can have."""

    name: str
    kind: str
    formats: list[str]
    text: list[str]


class Client:
    """A synchronous client. Requests to a busy server are repeated, up to `attempts` times."""

    def __init__(
        self, url: str = ADDRESS, token: str | None = None, seconds: float = 60, attempts: int = 3
    ) -> None:
        self._http = httpx.Client(base_url=url, headers=_headers(token), timeout=seconds)
        self._attempts = attempts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def models(self) -> list[Model]:
        """The served models, the default first."""
        return [Model(**each) for each in _values(self._http.get("/v1/models"))["models"]]

    def parse(self, text: str | None = None, **options: Unpack[Options]) -> Parsed:
        """Analyses of a text, or of the sentences in the options."""
        return _parsed(self._post("/v1/parse", _body(text, options)))

    def compare(self, text: str, a: How, b: How, **options: Unpack[Options]) -> list[Analysis]:
        """The differences between two ways to parse, sentence by sentence."""
        body = _body(text, options) | {"a": a, "b": b}
        found: list[Analysis] = self._post("/v1/compare", body)["sentences"]
        return found

    def stream(self, text: str | None = None, **options: Unpack[Options]) -> Iterator[Analysis]:
        """Yields the analyses of a long text one by one."""
        body = _body(text, options)
        with self._http.stream("POST", "/v1/parse/stream", json=body) as answer:
            if answer.is_error:
                answer.read()
                raise _error(answer)
            yield from map(_line, answer.iter_lines())

    def _post(self, path: str, body: dict[str, Any]) -> Any:
        for _ in range(self._attempts - 1):
            answer = self._http.post(path, json=body)
            if answer.status_code not in BUSY:
                return _values(answer)
            time.sleep(_pause(answer))
        return _values(self._http.post(path, json=body))


class AsyncClient:
    """A client for asyncio."""

    def __init__(
        self, url: str = ADDRESS, token: str | None = None, seconds: float = 60, attempts: int = 3
    ) -> None:
        self._http = httpx.AsyncClient(base_url=url, headers=_headers(token), timeout=seconds)
        self._attempts = attempts

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def models(self) -> list[Model]:
        """The models that are served, the default first."""
        return [Model(**each) for each in _values(await self._http.get("/v1/models"))["models"]]

    async def parse(self, text: str | None = None, **options: Unpack[Options]) -> Parsed:
        """Analyses of a text, or of the sentences among the options."""
        return _parsed(await self._post("/v1/parse", _body(text, options)))

    async def compare(
        self, text: str, a: How, b: How, **options: Unpack[Options]
    ) -> list[Analysis]:
        """What differs between two ways to parse, sentence by sentence."""
        body = _body(text, options) | {"a": a, "b": b}
        found: list[Analysis] = (await self._post("/v1/compare", body))["sentences"]
        return found

    async def stream(
        self, text: str | None = None, **options: Unpack[Options]
    ) -> AsyncIterator[Analysis]:
        """The analyses of a long text, one by one."""
        body = _body(text, options)
        async with self._http.stream("POST", "/v1/parse/stream", json=body) as answer:
            if answer.is_error:
                await answer.aread()
                raise _error(answer)
            async for line in answer.aiter_lines():
                yield _line(line)

    async def _post(self, path: str, body: dict[str, Any]) -> Any:
        for _ in range(self._attempts - 1):
            answer = await self._http.post(path, json=body)
            if answer.status_code not in BUSY:
                return _values(answer)
            await asyncio.sleep(_pause(answer))
        return _values(await self._http.post(path, json=body))


def _headers(token: str | None) -> dict[str, str]:
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _body(text: str | None, options: Options) -> dict[str, Any]:
    body: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    if text is not None:
        body["text"] = text
    if "sentences" in body:
        given = body["sentences"]
        body["sentences"] = [s if isinstance(s, dict) else {"words": list(s)} for s in given]
    return body


def _parsed(values: Any) -> Parsed:
    return Parsed(values["model"], values["sentences"])


def _values(answer: httpx.Response) -> Any:
    if answer.is_error:
        raise _error(answer)
    return answer.json()


def _line(text: str) -> Analysis:
    values: Analysis = json.loads(text)
    if problem := values.get("problem"):
        raise ServerError(problem["status"], problem["code"], problem["detail"])
    return values


def _error(answer: httpx.Response) -> ServerError:
    try:
        values = answer.json()
        return ServerError(answer.status_code, values["code"], values["detail"])
    except (ValueError, KeyError, TypeError):
        return ServerError(answer.status_code, "http", answer.reason_phrase)


def _pause(answer: httpx.Response) -> float:
    given = answer.headers.get("Retry-After", "1")
    return min(float(given), 30.0) if given.isdecimal() else 1.0
