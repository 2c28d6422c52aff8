"""Checks of all requests before the application, and of all answers after it.

Authorisation, limits on the number, size and duration of requests; security headers.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from hmac import compare_digest
from typing import Any

from treewright.serve.metrics import Metrics
from treewright.serve.problems import BUG, MEDIA_TYPE, Problem, ProblemError, refused
from treewright.serve.settings import LOOPBACK, ServerSettings

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Message, Receive, Send], Awaitable[None]]

OPEN_ROUTES = ("/healthz", "/readyz", "/", "/static", "/openapi.json")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", POLICY.encode()),
]


class Guard:
    """An ASGI application around another one."""

    def __init__(self, inner: Application, settings: ServerSettings, metrics: Metrics) -> None:
        self.inner, self.settings, self.metrics = inner, settings, metrics
        self.limits = settings.limits

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        begin, answer = time.monotonic(), Answer(send, self.limits.seconds)
        try:
            self._admit(scope)
            await self._counted(scope, receive, answer)
        except ProblemError as error:
            await answer.problem(error.problem)
        except Exception:
            await answer.problem(BUG)
            raise
        finally:
            self.metrics.note(route_of(scope), answer.status, time.monotonic() - begin)

    def _admit(self, scope: Message) -> None:
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if self.settings.is_local and _hostname(host) not in LOOPBACK:
            # Protects against DNS rebinding: another site's name that resolves to this machine.
            raise refused(421, "host", "this server only accepts host names of this machine")
        token = self.settings.token
        if token is not None and route_of(scope) not in OPEN_ROUTES:
            given = headers.get(b"authorization", b"")
            if not compare_digest(given, f"Bearer {token}".encode()):
                raise refused(401, "token", "send the header Authorization: Bearer TOKEN")

    async def _counted(self, scope: Message, receive: Receive, answer: "Answer") -> None:
        if scope["method"] == "HEAD":  # as GET; the server leaves out the body
            scope = {**scope, "method": "GET"}
        if scope["method"] != "POST":
            await self.inner(scope, receive, answer)
            return
        if self.metrics.in_flight >= self.limits.requests:
            raise refused(429, "requests", "too many requests at once; try again later", 1)
        self.metrics.in_flight += 1
        try:
            body = await self._body(scope, receive)
            await self.inner(scope, replayed(body, receive), answer)
        finally:
            self.metrics.in_flight -= 1

    async def _body(self, scope: Message, receive: Receive) -> bytes:
        """Reads the body; a body that is announced as too large is not read."""
        most = self.limits.body_bytes
        announced = dict(scope["headers"]).get(b"content-length", b"0")
        if not announced.isdigit() or int(announced) > most:
            raise _too_large(most)
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.limits.read_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise refused(400, "disconnected", "the client disconnected")
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise _too_large(most)
                    if not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            seconds = f"{self.limits.read_seconds:g}"
            raise refused(408, "slow", f"the body did not arrive in {seconds} seconds") from None


class Answer:
    """The answer to a request, with security headers; `status` is 499 until it starts."""

    def __init__(self, send: Send, seconds: float) -> None:
        self._send, self._seconds = send, seconds
        self.status = 499

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            own = {name for name, _ in message["headers"]}
            more = [(name, value) for name, value in HEADERS if name not in own]
            message = {**message, "headers": [*message["headers"], *more]}
        async with asyncio.timeout(self._seconds):  # the client does not read
            await self._send(message)

    async def problem(self, problem: Problem) -> None:
        """Sends a problem report, unless an answer has started."""
        if self.status != 499:
            return
        body, headers = problem.body(), {"Content-Type": MEDIA_TYPE, **problem.headers()}
        headers["Content-Length"] = str(len(body))
        if problem.status in (408, 413):
            headers["Connection"] = "close"  # the rest of the body is not read
        encoded = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        start = {"type": "http.response.start", "status": problem.status, "headers": encoded}
        await self(start)
        await self({"type": "http.response.body", "body": body})


def route_of(scope: Message) -> str:
    """The route of a request, for metrics and admission; unknown paths share one."""
    path = str(scope["path"])
    if path.startswith("/static/"):
        return "/static"
    return path if path in ROUTES else "other"


PARSING = ("/v1/models", "/v1/parse", "/v1/parse/stream", "/v1/compare", "/v1/draw")
ROUTES = (*OPEN_ROUTES, "/metrics", *PARSING)


def _too_large(most: int) -> ProblemError:
    return refused(413, "body", f"the body has more than {most} bytes")


def _hostname(host: str) -> str:
    """The host name in a Host header, without the port."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.partition(":")[0].lower()


def replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that first returns the body, then further messages."""
    left = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return left.pop() if left else await receive()

    return replay
