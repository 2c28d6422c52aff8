"""The application: routes of version 1, health, metrics and the page."""

from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from treewright import __version__
from treewright.serve import metrics as prometheus
from treewright.serve import wire
from treewright.serve.express import Express
from treewright.serve.guard import Application, Guard
from treewright.serve.pictures import add_pictures
from treewright.serve.pool import Pool
from treewright.serve.problems import MEDIA_TYPE, Problem, ProblemError, refused
from treewright.serve.routes import PROBLEMS, add_parsing
from treewright.serve.service import Service
from treewright.serve.settings import ServerSettings
from treewright.serve.static import INDEX, static_files


def application(settings: ServerSettings, pool: Pool) -> Application:
    """The server as an ASGI application, for a pool that the caller runs."""
    service = Service(settings, pool)
    app = FastAPI(
        title="Treewright",
        version=__version__,
        summary="Parse text over HTTP",
        description="docs/serve.md describes requests and responses.",
        docs_url=None,  # these pages would load scripts from other sites
        redoc_url=None,
    )
    parse = add_parsing(app, service)
    add_pictures(app, service)
    _add_state(app, service)
    _add_page(app)
    _add_handlers(app)
    guarded = Guard(Express(app, parse), settings, service.metrics)
    return _with_origins(guarded, settings.origins) if settings.origins else guarded


def _with_origins(app: Application, origins: tuple[str, ...]) -> Application:
    """Allows pages of these origins to send requests and read all answers (CORS)."""
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_methods=("GET", "POST"),
        allow_headers=("Authorization", "Content-Type"),
        expose_headers=("Retry-After",),
    )


def _add_state(app: FastAPI, service: Service) -> None:
    @app.get("/healthz", tags=["state"])
    async def healthz() -> wire.Health:
        """Whether the server runs."""
        return wire.Health(status="ok")

    @app.get("/readyz", tags=["state"], responses={503: PROBLEMS[503]})
    async def readyz() -> wire.Health:
        """Whether the server accepts requests."""
        if not service.pool.alive or service.pool.is_full:
            raise refused(503, "not-ready", "no worker is ready, or the queue is full", 1)
        return wire.Health(status="ready")

    @app.get("/metrics", tags=["state"], response_class=Response)
    async def metrics() -> Response:
        """Counts in the text format of Prometheus."""
        text = service.metrics.text(service.gauges())
        return Response(text, media_type=prometheus.MEDIA_TYPE)


def _add_page(app: FastAPI) -> None:
    files = static_files()

    def answer(name: str, request: Request) -> Response:
        file = files.get(name)
        if file is None:
            raise refused(404, "path", "not found")
        headers = {"ETag": file.tag, "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == file.tag:
            return Response(status_code=304, headers=headers)
        return Response(file.content, media_type=file.media_type, headers=headers)

    @app.get("/", include_in_schema=False)
    async def index(request: Request) -> Response:
        return answer(INDEX, request)

    @app.get("/static/{name:path}", include_in_schema=False)
    async def static(name: str, request: Request) -> Response:
        return answer(name, request)


def _add_handlers(app: FastAPI) -> None:
    """Turns all errors into problem reports."""

    def report(problem: Problem) -> Response:
        return Response(problem.body(), problem.status, problem.headers(), MEDIA_TYPE)

    @app.exception_handler(ProblemError)
    async def known(_: Request, error: ProblemError) -> Response:
        return report(error.problem)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        return report(_invalid(error.errors()[0]))

    @app.exception_handler(HTTPException)
    async def other(request: Request, error: HTTPException) -> Response:
        return report(_refused(request, error))


def _invalid(first: Any) -> Problem:
    """The report of a request of the wrong form, from FastAPI's first error."""
    where = ".".join(str(each) for each in first["loc"] if each != "body")
    match first["type"]:
        case "json_invalid":
            return Problem(400, "json", f"the body is not JSON: {first['ctx']['error']}")
        case "extra_forbidden":
            return Problem(422, "invalid", f"{where}: unknown key")
        case "model_attributes_type" if not where:
            detail = "the body is not a JSON object; is its Content-Type application/json?"
            return Problem(422, "invalid", detail)
        case "model_attributes_type":
            return Problem(422, "invalid", f"{where}: expected a JSON object")
    message = first["msg"].removeprefix("Value error, ")
    return Problem(422, "invalid", f"{where}: {message}" if where else message)


def _refused(request: Request, error: HTTPException) -> Problem:
    """The report of a request that FastAPI itself refuses."""
    code = {400: "json", 404: "path", 405: "method"}.get(error.status_code, "http")
    detail = str(error.detail)
    if code == "json":  # a body that it cannot decode
        detail = "the body is not JSON in UTF-8; it must not be compressed"
    elif code == "path":
        detail = f"there is no path {request.url.path!r}: see /openapi.json"
    elif code == "method" and error.headers:
        detail = f"{request.method} is not supported: use {error.headers['Allow']}"
    return Problem(error.status_code, code, detail)
