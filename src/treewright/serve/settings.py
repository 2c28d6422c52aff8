"""Settings of the server: models, address and limits."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from treewright.errors import ConfigError
from treewright.machine import available_threads
from treewright.models.installed import default_model, package_of, tokeniser_directory
from treewright.storage.atomic import real_path

ORIGIN = re.compile(r"https?://[^/\s*]+")
LOOPBACK = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True)
class Limits:
    """Limits of a request, and of all requests together.

    body_bytes: size of a request (413). words: of a sentence, sentences: of a request, k_best: of
    an analysis (422). requests: in flight (429). queue: waiting pieces of work (503). seconds: from
    the arrival of a request to its answer (504). read_seconds: for a request to arrive (408).
    """

    body_bytes: int = 1_000_000
    words: int = 300
    sentences: int = 2000
    k_best: int = 100
    requests: int = 256
    queue: int = 2000
    seconds: float = 30.0
    read_seconds: float = 10.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if value <= 0:
                raise ConfigError(f"the limit {name} must be positive, not {value}")


@dataclass(frozen=True)
class Batching:
    """Batches of sentences of different clients.

    pieces, words: limits of a batch. A piece with more words is long: it is processed alone, and
    one worker is reserved for other pieces if there are several. ahead: pieces of one request that
    wait or are being processed.
    """

    pieces: int = 32
    words: int = 400
    ahead: int = 128


@dataclass(frozen=True)
class ModelSource:
    """A model to serve: its name in requests, its directory, and that of a tokeniser."""

    name: str
    directory: Path
    tokeniser: Path | None = None

    @property
    def resolved(self) -> "ModelSource":
        """The same with paths that are valid in all directories."""
        tokeniser = real_path(self.tokeniser) if self.tokeniser else None
        return ModelSource(self.name, real_path(self.directory), tokeniser)

    @classmethod
    def of(cls, given: str) -> "ModelSource":
        """A source given on the command line: DIRECTORY or NAME=DIRECTORY."""
        name, equals, directory = given.rpartition("=")
        path = Path(directory)
        if not equals:
            resolved = real_path(path)
            name = resolved.parent.name if resolved.name == "model" else resolved.name
        if not name:
            raise ConfigError(f"--model {given}: a model needs a name before the =")
        return cls(name, path)


def sources(given: Sequence[str]) -> tuple[ModelSource, ...]:
    """The models to serve: directories, installed models or packages.

    Default: the default package.
    """
    found = (each for name in given or [default_model()] for each in _sources(name))
    return tuple({source.name: source for source in found}.values())


def _sources(given: str) -> Iterator[ModelSource]:
    installed = None if "=" in given or Path(given).exists() else package_of(given)
    if installed is None:
        yield ModelSource.of(given)
        return
    package, part = installed
    for name in [part] if part else package.contents.parts:
        whole = f"{package.name}-{name}"
        yield ModelSource(whole, package.directory(name), tokeniser_directory(whole))


def default_workers() -> int:
    """One worker per core, but at least two, so that a slow sentence does not block the server."""
    return max(2, available_threads())


@dataclass(frozen=True)
class ServerSettings:
    """All settings of `treewright serve`.

    token: the token that clients must send, if any. origins: other sites whose pages can send
    requests (CORS).
    """

    models: tuple[ModelSource, ...]
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 2
    token: str | None = field(default=None, repr=False)
    origins: tuple[str, ...] = ()
    limits: Limits = Limits()
    batching: Batching = Batching()

    def __post_init__(self) -> None:
        names = [model.name for model in self.models]
        if not names:
            raise ConfigError("no model to serve: name one with --model")
        if twice := {name for name in names if names.count(name) > 1}:
            raise ConfigError(
                f"two models have the name {min(twice)!r}: use --model NAME=DIRECTORY"
            )
        if self.workers < 1:
            raise ConfigError("a server needs at least one worker")
        for origin in self.origins:
            if not ORIGIN.fullmatch(origin):
                raise ConfigError(f"not an origin such as https://example.org: {origin!r}")

    @property
    def is_local(self) -> bool:
        """Whether the server is only reachable from this machine."""
        return self.host in LOOPBACK
