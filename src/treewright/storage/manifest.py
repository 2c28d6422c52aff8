"""The manifest of a model directory: what it must hold, checked before anything else is read.

A model may come from anywhere. So every name in the manifest is checked before a path is made of
it, sizes and depths have limits, and links inside a model are refused.
"""

import json
import re
import stat
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeGuard

from treewright import __version__
from treewright.errors import StoreError
from treewright.storage.atomic import sha256_of

FORMAT, VERSION = "treewright-model", 3
READS = (2, 3)  # versions; 3 added packed models
MANIFEST, CONFIG, WEIGHTS, PARTS = "manifest.json", "config.toml", "weights.safetensors", "parts"
RESERVED = {MANIFEST, CONFIG, WEIGHTS, PARTS}
NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
MAX_BYTES = 1 << 20


@dataclass(frozen=True)
class Manifest:
    """The kind of a model, and the SHA-256 of each of its files and of its parts' manifests."""

    kind: str
    files: dict[str, str]
    parts: dict[str, str]

    def text(self) -> str:
        """The manifest as JSON, sealed by its own checksum."""
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
    """Whether a text or part of a model can have this name."""
    return name not in RESERVED and NAME.fullmatch(name) is not None


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a model directory."""
    path = directory / MANIFEST
    if not directory.exists():
        raise StoreError(f"{directory}: No such file or directory")
    if not path.is_file():
        raise StoreError(f"{directory}: not a model directory: it has no {MANIFEST}")
    check_regular(path)
    if path.stat().st_size > MAX_BYTES:
        raise StoreError(f"{path}: larger than any manifest ({MAX_BYTES} bytes)")
    try:
        plain = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path}: damaged: {error}") from error
    return _checked(plain, path)


def check_file(path: Path, expected: str) -> None:
    """Checks that a file of a model is there, is no link, and has the expected SHA-256."""
    if not path.is_symlink() and not path.is_file():
        raise StoreError(f"{path}: missing from the model")
    check_regular(path)
    if sha256_of(path) != expected:
        raise StoreError(f"{path}: damaged: its checksum is not the one in {MANIFEST}")


def check_regular(path: Path) -> None:
    """Refuses links, pipes and devices, which could lead anywhere."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise StoreError(f"{path}: not a regular file, as all files of a model are")


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
        raise StoreError(f"{path}: damaged: kind, files or parts are not as a manifest has them")
    if missing := {CONFIG, WEIGHTS} - files.keys():
        raise StoreError(f"{path}: damaged: its files lack {', '.join(sorted(missing))}")
    for name in (*(files.keys() - {CONFIG, WEIGHTS}), *parts):
        if not is_name(name):
            raise StoreError(f"{path}: damaged: no file of a model can have the name {name!r:.80}")
    return Manifest(kind, files, parts)


def _are_hashes(table: Any) -> TypeGuard[dict[str, str]]:
    return isinstance(table, dict) and all(isinstance(each, str) for each in table.values())


def _checksum(plain: dict[str, object]) -> str:
    return sha256(json.dumps(plain, sort_keys=True).encode()).hexdigest()
