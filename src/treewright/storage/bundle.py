"""A model on disk: a directory of plain files under checksums (docs/models.md).

    manifest.json        kind, format version, treewright version, SHA-256 of every file and part
    config.toml          the settings that the model needs
    weights.safetensors  its arrays
    NAME ...             its texts: vocabularies, grammar tables, one entry a line
    parts/NAME/          its sub-models, each a directory like this

Nothing here is ever unpickled, and a directory appears as a whole or not at all.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from treewright.config.read import parse_toml
from treewright.config.write import mapping_to_toml
from treewright.errors import ConfigError, StoreError
from treewright.storage.atomic import new_directory, sha256_of
from treewright.storage.coding import PackedArrays, encode
from treewright.storage.manifest import (
    CONFIG,
    MANIFEST,
    PARTS,
    RESERVED,
    WEIGHTS,
    Manifest,
    check_file,
    is_name,
    read_manifest,
)
from treewright.storage.tensors import map_tensors, write_tensors

MAX_DEPTH = 8  # of parts within parts
CODING = "coding"  # of the arrays of a packed model, among the values beside them


@dataclass(frozen=True)
class Bundle:
    """All that a model keeps: plain settings, arrays, texts by file name, and sub-models.

    bits: of a packed model (`treewright.storage.coding`), 8 or 16 for arrays that are rounded.
    """

    kind: str
    config: dict[str, object] = field(default_factory=dict)
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    parts: dict[str, "Bundle"] = field(default_factory=dict)
    bits: dict[str, int] | None = None

    def __post_init__(self) -> None:
        for name in (*self.texts, *self.parts):
            if not is_name(name):
                raise ValueError(f"no file of a model can have the name {name!r}")


def write_bundle(bundle: Bundle, directory: str | PathLike[str]) -> None:
    """Writes a model directory, in one step; an older model there is replaced, nothing else."""
    directory = Path(directory)
    if directory.exists() and not (directory / MANIFEST).is_file():
        raise StoreError(f"{directory}: exists and is not a model, so it is not replaced")
    with new_directory(directory) as partial:
        _fill(bundle, partial)


def read_bundle(directory: str | PathLike[str]) -> Bundle:
    """Reads a model directory and checks every file of it."""
    return _read(Path(directory), depth=0)


def _read(directory: Path, depth: int) -> Bundle:
    if depth > MAX_DEPTH:
        raise StoreError(f"{directory}: parts of a model are nested at most {MAX_DEPTH} deep")
    manifest = read_manifest(directory)
    for name, expected in manifest.files.items():
        check_file(directory / name, expected)
    parts = {}
    for name, expected in manifest.parts.items():
        check_file(directory / PARTS / name / MANIFEST, expected)
        parts[name] = _read(directory / PARTS / name, depth + 1)
    return Bundle(
        manifest.kind,
        _config(directory / CONFIG),
        _arrays(directory / WEIGHTS),
        {name: _text(directory / name) for name in manifest.files if name not in RESERVED},
        parts,
    )


def _fill(bundle: Bundle, directory: Path) -> None:
    (directory / CONFIG).write_bytes(mapping_to_toml(bundle.config).encode())
    if bundle.bits is None:
        write_tensors(directory / WEIGHTS, bundle.arrays)
    else:
        arrays, coding = encode(bundle.arrays, bundle.bits)
        write_tensors(directory / WEIGHTS, arrays, {CODING: coding})
    for name, text in bundle.texts.items():
        (directory / name).write_bytes(text.encode())
    for name, part in bundle.parts.items():
        (directory / PARTS / name).mkdir(parents=True)
        _fill(part, directory / PARTS / name)
    manifest = Manifest(
        bundle.kind,
        {name: sha256_of(directory / name) for name in (CONFIG, WEIGHTS, *sorted(bundle.texts))},
        {name: sha256_of(directory / PARTS / name / MANIFEST) for name in sorted(bundle.parts)},
    )
    (directory / MANIFEST).write_text(manifest.text(), encoding="utf-8")


def _arrays(path: Path) -> Mapping[str, NDArray[Any]]:
    arrays, values = map_tensors(path)  # its SHA-256 is right
    try:
        return PackedArrays(arrays, values[CODING]) if CODING in values else arrays
    except (KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{path}: damaged: {error}") from error


def _config(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(path.read_bytes(), str(path))
    except ConfigError as error:
        raise StoreError(str(error)) from error


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise StoreError(f"{path}: damaged: {error}") from error
