"""A model on disk: a directory of plain files under checksums (docs/models.md).

    manifest.json        kind, format version, treewright version, SHA-256 of every file and part
    config.toml          the settings that the model needs
    weights.safetensors  its arrays
    NAME ...             its texts: vocabularies, grammar tables, one entry per line
    parts/NAME/          its sub-models, each a directory like this

Models can come from untrusted sources. Nothing is ever unpickled; every name in the manifest is
checked before it is used in a path, sizes and depths have limits, and links inside a model are
refused. A directory is written completely or not at all.

The manifest says that files are those that somebody wrote, not that they make sense. Each kind
checks what it reads; `made` turns what its readers raise into one kind of error, and refuses
numbers that no training gives.
"""

import json
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import __version__
from treewright.config.read import parse_toml
from treewright.config.write import mapping_to_toml
from treewright.errors import ConfigError, StoreError, TreewrightError
from treewright.storage.atomic import new_directory, sha256_of
from treewright.storage.coding import PackedArrays, encode
from treewright.storage.tensors import map_tensors, write_tensors

FORMAT, VERSION = "treewright-model", 3
READS = (2, 3)  # versions; 3 added packed models
MANIFEST, CONFIG, WEIGHTS, PARTS = "manifest.json", "config.toml", "weights.safetensors", "parts"
RESERVED = {MANIFEST, CONFIG, WEIGHTS, PARTS}
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Manifest:
    """The kind of a model, and the SHA-256 of each file and of each part's manifest."""

    kind: str
    files: dict[str, str]
    parts: dict[str, str]

    def text(self) -> str:
        """The manifest as JSON, with its own checksum."""
        plain = {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "treewright": __version__,
            "files": self.files,
            "parts": self.parts,
        }
        return json.dumps(plain | {"checksum": _checksum(plain)}, indent=2) + "\n"


def is_name(name: str) -> bool:
    """Whether this is a valid name of a text or part of a model."""
    return name not in RESERVED and NAME.fullmatch(name) is not None


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a model directory."""
    path = directory / MANIFEST
    if not directory.exists():
        raise StoreError(f"{directory}: No such file or directory")
    if directory.is_file():
        raise StoreError(
            f"{directory}: a file, not a model directory; PyTorch checkpoints and other pickles"
            " are never loaded"
        )
    if not path.is_file():
        raise StoreError(f"{directory}: not a model directory: it has no {MANIFEST}")
    check_regular(path)
    if path.stat().st_size > MAX_BYTES:
        raise StoreError(f"{path}: too large for a manifest ({MAX_BYTES} bytes)")
    try:
        plain = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path}: damaged: {error}") from error
    return _checked(plain, path)


def check_file(path: Path, expected: str) -> None:
    """Checks that a file of a model exists, is not a link, and has the expected SHA-256."""
    if not path.is_symlink() and not path.is_file():
        raise StoreError(f"{path}: missing from the model")
    check_regular(path)
    if sha256_of(path) != expected:
        raise StoreError(f"{path}: damaged: its checksum is not the one in {MANIFEST}")


def check_regular(path: Path) -> None:
    """Refuses links, pipes and devices."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise StoreError(f"{path}: not a regular file")


def _checked(plain: Any, path: Path) -> Manifest:
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise StoreError(f"{path}: not the manifest of a Treewright model")
    if plain.get("version") not in READS:
        raise StoreError(
            f"{path}: a model of format version {plain.get('version')!s:.40}, written by Treewright"
            f" {plain.get('treewright')!s:.40}; this is Treewright {__version__}, which reads"
            f" versions {' and '.join(map(str, READS))}"
        )
    if plain.pop("checksum", None) != _checksum(plain):
        raise StoreError(f"{path}: damaged: its checksum is wrong")
    kind, files, parts = plain.get("kind"), plain.get("files"), plain.get("parts")
    if not isinstance(kind, str) or not _are_hashes(files) or not _are_hashes(parts):
        raise StoreError(f"{path}: damaged: invalid kind, files or parts")
    if missing := {CONFIG, WEIGHTS} - files.keys():
        raise StoreError(f"{path}: damaged: its files lack {', '.join(sorted(missing))}")
    for name in (*(files.keys() - {CONFIG, WEIGHTS}), *parts):
        if not is_name(name):
            raise StoreError(f"{path}: damaged: invalid file name {name!r:.80}")
    return Manifest(kind, files, parts)


def _are_hashes(table: Any) -> TypeGuard[dict[str, str]]:
    return isinstance(table, dict) and all(isinstance(each, str) for each in table.values())


def _checksum(plain: dict[str, object]) -> str:
    return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()


MAX_DEPTH = 8  # nested parts
CODING = "coding"  # key of the packed arrays, among the stored values


@dataclass(frozen=True)
class Bundle:
    """The contents of a model: plain settings, arrays, texts by file name, and sub-models.

    bits: for packed models (`treewright.storage.coding`), 8 or 16 for rounded arrays.
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
                raise ValueError(f"invalid file name {name!r}")


def write_bundle(bundle: Bundle, directory: str | PathLike[str]) -> None:
    """Writes a model directory in one step; only an existing model is replaced."""
    directory = Path(directory)
    if directory.exists() and not (directory / MANIFEST).is_file():
        raise StoreError(f"{directory}: exists and is not a model, so it is not replaced")
    with new_directory(directory) as partial:
        _fill(bundle, partial)


def read_bundle(directory: str | PathLike[str]) -> Bundle:
    """Reads a model directory and checks all its files."""
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
    arrays, values = map_tensors(path)  # its SHA-256 was checked
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


M = TypeVar("M")
# Exceptions of readers of settings, arrays and texts for malformed input.
UNSOUND = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TreewrightError,
    TypeError,
    ValueError,
)
MAX_WEIGHT = 1e30  # sums of 10^8 such numbers are finite in single precision


def made(make: Callable[[Bundle], M], bundle: Bundle, directory: str | PathLike[str]) -> M:
    """Calls `make` on the bundle of a model directory; malformed content is a StoreError."""
    check_numbers(bundle, str(directory))
    try:
        return make(bundle)
    except UNSOUND as error:
        message = f"lacks {error!s:.200}" if isinstance(error, KeyError) else f"{error!s:.400}"
        raise StoreError(
            f"{directory}: not a valid model of kind {bundle.kind!r:.80}: {message}"
        ) from error


def check_numbers(bundle: Bundle, where: str) -> None:
    """Refuses weights that are too large or not numbers; -inf is a valid score."""
    for name, array in bundle.arrays.items():
        if array.dtype.kind == "f" and array.size:
            forbidden = np.isneginf(array)
            if not bool((forbidden | (np.abs(array) <= MAX_WEIGHT)).all()):
                raise StoreError(
                    f"{where}: {name} contains a number that is NaN, infinite or too large"
                )
    for name, part in bundle.parts.items():
        check_numbers(part, f"{where}: {name}")
