"""The kinds of models, by name: all that `treewright train`, `parse` and `load` know of them.

A kind's module is imported when the kind is asked for; it exports `KIND`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from treewright.data.lines import read_lines
from treewright.errors import ConfigError, StoreError
from treewright.models.bundle import Bundle, read_bundle
from treewright.train.run import Run

PIECE = 200  # sentences
MODULES = {
    "ccg": "treewright.models.ccg",
    "const": "treewright.models.constituency",
    "dep": "treewright.models.dependency",
    "pos": "treewright.models.pos",
    "super": "treewright.models.supertagger",
    "toy": "treewright.models.toy_kind",
}


@dataclass(frozen=True)
class ParseOptions:
    """What `treewright parse` may ask of any model; None is the model's own default."""

    k_best: int = 1
    decoder: str | None = None
    beam: str | None = None
    schedule: str | None = None
    jobs: int = 0  # threads; 0 is as many as the process may run
    progress: bool = False
    tagged: bool = False  # text comes as word|POS

    def reject(self, kind: str, *names: str) -> None:
        """Raises if one of these is set: a model that cannot do what is asked says so."""
        defaults = {field.name: field.default for field in fields(self)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                option = name.replace("_", "-")
                raise ConfigError(f"a model of kind {kind!r} has no use for --{option}")


class Piece(NamedTuple):
    """Some sentences of a file to parse: their text, and how many lines stand before it."""

    before: int
    text: str


def line_pieces(source: Path) -> Iterator[Piece]:
    """Pieces of a file with one sentence a line."""
    return _pieces(source, lambda _: True)


def block_pieces(source: Path) -> Iterator[Piece]:
    """Pieces of a file in which an empty line ends a sentence."""
    return _pieces(source, lambda line: not line.strip())


def _pieces(source: Path, ends: Callable[[str], bool]) -> Iterator[Piece]:
    lines: list[str] = []
    sentences = before = 0
    for _, line in read_lines(source):
        lines.append(f"{line}\n")
        sentences += ends(line)
        if sentences == PIECE:
            yield Piece(before, "".join(lines))
            before, sentences, lines = before + len(lines), 0, []
    if lines:
        yield Piece(before, "".join(lines))


class Model(Protocol):
    """A trained model."""

    @property
    def formats(self) -> tuple[str, ...]:
        """Names for `parse --format`, the default first."""

    def bundle(self) -> Bundle:
        """All that `Kind.load` needs to make the same model again."""

    def parse_file(self, source: Path, format: str, options: ParseOptions) -> Iterator[str]:  # noqa: A002
        """One block of text a sentence, line ends included; `source` may be a pipe."""


@dataclass(frozen=True)
class Kind:
    """How models of a kind are trained and loaded.

    `settings` is the frozen dataclass that the TOML of `treewright train` fills, all keys but
    `kind` and `seed`. `pieces` cuts a file to parse into parts of some sentences, for clusters;
    `ray` says that training uses `Run.objective` or `Run.map`, which work on one.
    """

    name: str
    settings: type
    train: Callable[[Any, Run], Model]
    load: Callable[[Bundle], Model]
    pieces: Callable[[Path], Iterator[Piece]] = line_pieces
    ray: bool = False


def kind_named(name: object) -> Kind:
    """The kind of that name."""
    known = [each for each, module in MODULES.items() if find_spec(module)]
    if name not in known:
        raise ConfigError(f"unknown kind of model {name!r}: one of {', '.join(known)}")
    return cast(Kind, import_module(MODULES[str(name)]).KIND)


def load(directory: str | PathLike[str], wanted: str | None = None) -> Model:
    """The model in a directory, whatever its kind, or of the kind that is wanted."""
    bundle = read_bundle(directory)
    if wanted is not None and bundle.kind != wanted:
        raise StoreError(f"{directory}: a model of kind {bundle.kind!r}, not {wanted!r}")
    try:
        kind = kind_named(bundle.kind)
    except ConfigError as error:
        raise StoreError(f"{directory}: {error}") from error
    try:
        return kind.load(bundle)
    except (KeyError, ConfigError) as error:
        message = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise StoreError(
            f"{directory}: not a sound model of kind {kind.name!r}: {message}"
        ) from error
