"""A model on disk: a directory of plain files under checksums (docs/models.md).

    manifest.json        kind, format version, treewright version, SHA-256 of every file and part
    config.toml          the settings that the model needs
    weights.safetensors  its arrays
    NAME ...             its texts: vocabularies, grammar tables, one entry a line
    parts/NAME/          its sub-models, each a directory like this

Nothing here is ever unpickled, and a directory appears as a whole or not at all.
"""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from treewright import __version__
from treewright.config.write import mapping_to_toml
from treewright.errors import StoreError
from treewright.storage.atomic import new_directory, sha256_of
from treewright.storage.tensors import read_tensors, write_tensors

FORMAT, VERSION = "treewright-model", 1
MANIFEST, CONFIG, WEIGHTS, PARTS = "manifest.json", "config.toml", "weights.safetensors", "parts"
RESERVED = {MANIFEST, CONFIG, WEIGHTS, PARTS}


@dataclass(frozen=True)
class Bundle:
    """All that a model keeps: plain settings, arrays, texts by file name, and sub-models."""

    kind: str
    config: dict[str, object] = field(default_factory=dict)
    arrays: dict[str, NDArray[Any]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    parts: dict[str, "Bundle"] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (*self.texts, *self.parts):
            if name in RESERVED or not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
                raise ValueError(f"no file of a model can have the name {name!r}")


def write_bundle(bundle: Bundle, directory: str | PathLike[str]) -> None:
    """Writes a model directory, in one step; an older model there is replaced, nothing else."""
    directory = Path(directory)
    if directory.exists() and not (directory / MANIFEST).is_file():
        raise StoreError(f"{directory}: exists and is not a model, so it is not replaced")
    directory.parent.mkdir(parents=True, exist_ok=True)
    with new_directory(directory) as partial:
        _fill(bundle, partial)


def read_bundle(directory: str | PathLike[str]) -> Bundle:
    """Reads a model directory and checks every file of it."""
    directory = Path(directory)
    manifest = _read_manifest(directory)
    for name, expected in manifest["files"].items():
        _check(directory / name, expected)
    texts = {name: _text(directory / name) for name in manifest["files"] if name not in RESERVED}
    parts = {}
    for name, expected in manifest["parts"].items():
        _check(directory / PARTS / name / MANIFEST, expected)
        parts[name] = read_bundle(directory / PARTS / name)
    config = tomllib.loads(_text(directory / CONFIG))
    return Bundle(
        manifest["kind"], config, read_tensors(directory / WEIGHTS)[0], dict(texts), parts
    )


def _fill(bundle: Bundle, directory: Path) -> None:
    (directory / CONFIG).write_bytes(mapping_to_toml(bundle.config).encode())
    write_tensors(directory / WEIGHTS, bundle.arrays)
    for name, text in bundle.texts.items():
        (directory / name).write_bytes(text.encode())
    for name, part in bundle.parts.items():
        (directory / PARTS / name).mkdir(parents=True)
        _fill(part, directory / PARTS / name)
    manifest: dict[str, object] = {
        "format": FORMAT,
        "version": VERSION,
        "kind": bundle.kind,
        "treewright": __version__,
        "files": {
            name: sha256_of(directory / name) for name in (CONFIG, WEIGHTS, *sorted(bundle.texts))
        },
        "parts": {
            name: sha256_of(directory / PARTS / name / MANIFEST) for name in sorted(bundle.parts)
        },
    }
    sealed = manifest | {"checksum": _checksum(manifest)}
    (directory / MANIFEST).write_text(json.dumps(sealed, indent=2) + "\n", encoding="utf-8")


def _read_manifest(directory: Path) -> dict[str, Any]:
    path = directory / MANIFEST
    if not directory.exists():
        raise StoreError(f"{directory}: No such file or directory")
    if not path.is_file():
        raise StoreError(f"{directory}: not a model directory: it has no {MANIFEST}")
    try:
        manifest = json.loads(path.read_bytes())
    except ValueError as error:
        raise StoreError(f"{path}: damaged: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise StoreError(f"{path}: not the manifest of a Treewright model")
    if manifest.get("version") != VERSION:
        raise StoreError(
            f"{path}: a model of format version {manifest.get('version')}, written by Treewright "
            f"{manifest.get('treewright')}; this is Treewright {__version__}, which reads version "
            f"{VERSION}"
        )
    checksum = manifest.pop("checksum", None)
    if checksum != _checksum(manifest):
        raise StoreError(f"{path}: damaged: its checksum is wrong")
    return manifest


def _checksum(manifest: Mapping[str, object]) -> str:
    return sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _check(path: Path, expected: str) -> None:
    if not path.is_file():
        raise StoreError(f"{path}: missing from the model")
    if sha256_of(path) != expected:
        raise StoreError(f"{path}: damaged: its checksum is not the one in {MANIFEST}")


def _text(path: Path) -> str:
    return path.read_bytes().decode()
