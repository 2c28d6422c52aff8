"""A fast path for `POST /v1/parse`, which most requests use.

FastAPI describes the route and answers invalid requests; for valid ones, it would take longer than
the rest of the server for a short sentence.
"""

from collections.abc import Awaitable, Callable

from fastapi import Response
from pydantic import ValidationError

from treewright.serve import wire
from treewright.serve.guard import Application, Message, Receive, Send, replayed

Parse = Callable[[wire.ParseRequest], Awaitable[Response]]
PATH = "/v1/parse"


class Express:
    """An ASGI application around another one; request bodies have already been read."""

    def __init__(self, inner: Application, parse: Parse) -> None:
        self.inner, self.parse = inner, parse

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if not _is_parse(scope):
            await self.inner(scope, receive, send)
            return
        body = (await receive())["body"]
        try:
            request = wire.ParseRequest.model_validate_json(body)
        except ValidationError:  # FastAPI reports the error
            await self.inner(scope, replayed(body, receive), send)
            return
        response = await self.parse(request)
        await response(scope, receive, send)


def _is_parse(scope: Message) -> bool:
    if scope["type"] != "http" or scope["path"] != PATH or scope["method"] != "POST":
        return False
    return (b"content-type", b"application/json") in scope["headers"]
