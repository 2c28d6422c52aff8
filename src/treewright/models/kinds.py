"""The kinds of models, by name: all that the commands and `treewright.load` know of them.

A kind's module is imported when the kind is asked for; it exports `KIND`. Other packages add kinds
by entry points of the group `treewright.kinds`: the name of the kind, and its `Kind` object.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from os import PathLike
from typing import Any, cast

from treewright.errors import ConfigError, StoreError
from treewright.models.contract import Analysis, Parser
from treewright.storage.bundle import Bundle, read_bundle
from treewright.train.run import Run

GROUP = "treewright.kinds"
MODULES = {
    "ccg": "treewright.models.ccg.model",
    "const": "treewright.models.constituency.model",
    "dep": "treewright.models.dependency.model",
    "pos": "treewright.models.tagging.pos",
    "tok": "treewright.models.tokenising",
    "super": "treewright.models.tagging.supertagger",
    "toy": "treewright.models.toy.model",
}


@dataclass(frozen=True)
class Kind:
    """How models of a kind are trained and loaded.

    `settings` is the frozen dataclass that the TOML of `treewright train` fills, all keys but
    `kind` and `seed`. `ray` says that training uses `Run.objective` or `Run.map`, which work on a
    cluster.
    """

    name: str
    settings: type
    train: Callable[[Any, Run], Parser[Analysis]]
    load: Callable[[Bundle], Parser[Analysis]]
    ray: bool = False


def kind_named(name: object) -> Kind:
    """The kind of that name."""
    plugins = {each.name: each for each in entry_points(group=GROUP)}
    if name in MODULES:
        return cast(Kind, import_module(MODULES[str(name)]).KIND)
    if name in plugins:
        return cast(Kind, plugins[str(name)].load())
    known = ", ".join([*MODULES, *plugins])
    raise ConfigError(f"unknown kind of model {name!r}: one of {known}")


def load(directory: str | PathLike[str], wanted: str | None = None) -> Parser[Analysis]:
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
