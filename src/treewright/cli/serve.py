"""`treewright serve`: parsers over HTTP."""

import os
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import typer

from treewright.cli.guard import Terminated
from treewright.errors import ConfigError


def _limit(text: str) -> Any:
    return typer.Option(help=text, rich_help_panel="Limits")


def command(
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]MODEL",
            help="Model to serve: a directory or an installed model. Can be repeated; the first is"
            " the default. If not given, serve the installed default.",
        ),
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen on. 0.0.0.0: all interfaces.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port to listen on. 0: any free port.")
    ] = 8000,
    workers: Annotated[
        int,
        typer.Option(min=0, help="Number of worker processes. 0: one per core, at least two."),
    ] = 0,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Ray cluster to parse on: auto or HOST:PORT."),
    ] = None,
    token_file: Annotated[
        Path | None,
        typer.Option(
            help="File with the access token. Default: TREEWRIGHT_TOKEN, if set.",
            rich_help_panel="Access",
        ),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="URL",
            help="Origin allowed by CORS, such as https://example.org. Can be repeated.",
            rich_help_panel="Access",
        ),
    ] = None,
    max_body: Annotated[int, _limit("Maximum request size in bytes.")] = 1_000_000,
    max_words: Annotated[int, _limit("Maximum words per sentence.")] = 300,
    max_sentences: Annotated[int, _limit("Maximum sentences per request.")] = 2000,
    max_requests: Annotated[int, _limit("Maximum concurrent requests.")] = 256,
    max_queue: Annotated[int, _limit("Maximum queued sentences or paragraphs.")] = 2000,
    timeout: Annotated[float, _limit("Seconds until a request times out.")] = 30.0,
    read_timeout: Annotated[float, _limit("Seconds until reading a request times out.")] = 10.0,
) -> None:
    """Serve models over HTTP, with a web page at / and an OpenAPI schema."""
    try:
        from treewright.serve.run import serve
    except ImportError as error:
        raise ConfigError("serve needs extra packages: pip install 'treewright[serve]'") from error
    from treewright.serve.settings import Limits, ServerSettings, default_workers, sources

    limits = Limits(
        body_bytes=max_body,
        words=max_words,
        sentences=max_sentences,
        requests=max_requests,
        queue=max_queue,
        seconds=timeout,
        read_seconds=read_timeout,
    )
    models, token = sources(model or []), _token(token_file)
    workers, origins = workers or default_workers(), tuple(origin or ())
    settings = ServerSettings(models, host, port, workers, token, origins, limits)
    cluster = None
    if ray is not None:
        from treewright.serve.ray_workers import RayWorkers

        cluster = RayWorkers(settings, ray)
    with suppress(Terminated):  # uvicorn raises the signal again once all requests are done
        serve(settings, lambda address: typer.echo(f"Serving on {address}", err=True), cluster)


def _token(path: Path | None) -> str | None:
    """The token from a file or the environment."""
    token = path.read_text().strip() if path else os.environ.get("TREEWRIGHT_TOKEN")
    if token is not None and not (token and token.isascii() and token.isprintable()):
        raise ConfigError("the token must be one line of printable ASCII characters")
    return token
