"""The kinds of models, by name: all that `treewright train`, `parse` and `load` know of them.

A kind's module is imported when the kind is asked for; it exports `KIND`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, cast

from treewright.errors import ConfigError, StoreError
from treewright.storage.bundle import Bundle, read_bundle
from treewright.train.run import Run

MODULES = {
    "ccg": "treewright.models.ccg.model",
    "const": "treewright.models.constituency.kind",
    "dep": "treewright.models.dependency.kind",
    "pos": "treewright.models.tagging.pos",
    "super": "treewright.models.tagging.supertagger",
    "tok": "treewright.models.tokenising",
    "toy": "treewright.models.toy.model",
}


TextInput = Literal["raw", "sentences", "tokens"]
NO_FRAMES: Mapping[str, tuple[str, str]] = MappingProxyType({})


@dataclass(frozen=True)
class ParseOptions:
    """What `treewright parse` may ask of any model; None is the model's own default."""

    k_best: int = 1
    decoder: str | None = None
    beam: str | None = None
    schedule: str | None = None
    tagged: bool = False  # text comes as word|POS
    text: TextInput | None = None  # what text comes as

    def reject(self, kind: str, *names: str) -> None:
        """Raises if one of these is set: a model that cannot do what is asked says so."""
        defaults = {field.name: field.default for field in fields(self)}
        for name in names:
            if getattr(self, name) != defaults[name]:
                option = name.replace("_", "-")
                raise ConfigError(f"a model of kind {kind!r} has no use for --{option}")

    def input(self, kind: str, possible: Sequence[TextInput]) -> TextInput:
        """What text comes as: raw, sentences on lines, or tokens with spaces between them.

        The first that is possible unless another one is asked for.
        """
        wanted = self.text or possible[0]
        if wanted not in possible:
            why = "has no tokeniser" if "raw" not in possible else "cuts text into tokens itself"
            raise ConfigError(f"this model of kind {kind!r} {why}: it cannot take --{wanted}")
        return wanted


class Model(Protocol):
    """A trained model."""

    @property
    def formats(self) -> tuple[str, ...]:
        """Names for `parse --format`, the default first."""

    @property
    def frames(self) -> Mapping[str, tuple[str, str]]:
        """What a file of some formats has before its first block and after its last."""

    def bundle(self) -> Bundle:
        """All that `Kind.load` needs to make the same model again."""

    def read(self, source: Path, options: ParseOptions) -> Iterator[Any]:
        """The sentences of a file, which may be a pipe, as `blocks` takes them; they pickle."""

    def blocks(self, sentences: Iterable[Any], form: str, options: ParseOptions) -> Iterator[str]:
        """One block of text a sentence, line ends included, in one of the formats."""


@dataclass(frozen=True)
class Kind:
    """How models of a kind are trained and loaded.

    `settings` is the frozen dataclass that the TOML of `treewright train` fills, all keys but
    `kind` and `seed`. `ray` says that training uses `Run.objective` or `Run.map`, which work on a
    cluster.
    """

    name: str
    settings: type
    train: Callable[[Any, Run], Model]
    load: Callable[[Bundle], Model]
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
