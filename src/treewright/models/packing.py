"""Packed models: smaller files with rounded weights (`treewright pack`).

The smallest weights are removed, the others rounded to 4, 8 or 16 bits, keys hashed to 32 bits, and
integers stored in as few bytes as needed. Packing is deterministic.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from treewright.errors import ConfigError
from treewright.models.kinds import kind_named
from treewright.models.neural.members import SHARED
from treewright.storage.bundle import PARTS, Bundle, made, read_bundle, write_bundle
from treewright.storage.pruning import FeatureTable, packed_table, without_small

BITS, MOST = (4, 8, 16), 10


@dataclass(frozen=True)
class PackSettings:
    """How much a model is packed.

    bits: bits per weight; some weights need at least 8 (`FeatureTable.fine`).
    prune: the strength of pruning; 1 is usual, 0 keeps all weights.
    parts: another strength for parts of the model, by name.
    """

    bits: int = 8
    prune: float = 1.0
    parts: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.bits not in BITS:
            raise ConfigError(f"bits must be 4, 8 or 16, not {self.bits}")
        for strength in (self.prune, *self.parts.values()):
            if not 0 <= strength <= MOST:
                raise ConfigError(f"prune must be from 0 to {MOST}, not {strength}")

    def of_part(self, name: str) -> "PackSettings":
        """The settings for a part of the model."""
        return replace(self, prune=self.parts.get(name, self.prune))


def pack(directory: Path, out: Path, settings: PackSettings | None = None) -> None:
    """Writes a packed copy of a model."""
    how = partial(packed, settings=settings or PackSettings())
    write_bundle(made(how, read_bundle(directory), directory), out)


def packed(bundle: Bundle, settings: PackSettings) -> Bundle:
    """The packed bundle, including its parts."""
    parts = {name: packed(part, settings.of_part(name)) for name, part in bundle.parts.items()}
    try:
        kind = kind_named(bundle.kind)
    except ConfigError:  # a part that is not a model, such as a grammar
        return replace(bundle, parts=parts, bits={})
    arrays = dict(bundle.arrays)
    rounded = {name for name in kind.rounded if name in arrays}
    if kind.table is not None and kind.table.keys in arrays:
        arrays = packed_table(arrays, kind.table, settings.prune * kind.table.share)
        rounded = rounded.difference(kind.table.weights)
        weights = {*rounded, *kind.table.weights}
    else:
        weights = rounded
    floats = {name for name in rounded if np.issubdtype(arrays[name].dtype, np.floating)}
    share = settings.prune * FeatureTable.share
    arrays = arrays | {name: without_small(arrays[name], share) for name in floats}
    fine = kind.table.fine if kind.table else ()
    bits = {name: max(settings.bits, 8 * (name in fine)) for name in sorted(weights)}
    return replace(bundle, arrays=arrays, parts=parts, bits=bits)


def directory_bytes(directory: Path) -> int:
    """The total size of the files in a directory."""
    return sum(each.stat().st_size for each in directory.rglob("*") if each.is_file())


def model_bytes(directory: Path) -> int:
    """The size of a model; for one of several in a directory, its own files and the shared ones."""
    if directory.exists():
        return directory_bytes(directory)
    family = directory.parent / PARTS
    return sum(directory_bytes(family / name) for name in (directory.name, *SHARED))
