"""Files that are there as a whole or not at all, whatever happens to the process that writes them.

A file or directory grows beside its final place, is brought to the disk, and moves there in one
step. What a killed process leaves is a `.partial` that the next writer replaces.
"""

import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

CHUNK = 1 << 20


def sync(path: Path) -> None:
    """Waits until a file's content, or a directory's list of names, is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_file(path: Path, pieces: Iterable[bytes | memoryview | str]) -> None:
    """Writes the pieces; an error among them leaves nothing behind and an older file as it was."""
    if path.exists() and not path.is_file():  # a pipe or device is there to stay
        with path.open("wb") as file:
            _write(file, pieces)
        return
    path = path.resolve()  # the file behind a link, not the link
    partial = _partial(path)
    try:
        with partial.open("wb") as file:
            _write(file, pieces)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    sync(path.parent)


def _write(file: BinaryIO, pieces: Iterable[bytes | memoryview | str]) -> None:
    file.writelines(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """A directory to fill, which becomes `path` at the end; an older one there is replaced."""
    partial, old = _partial(path), path.with_name(f"{path.name}.old")
    for left in (partial, old):
        shutil.rmtree(left, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        yield partial
        for each in (*partial.rglob("*"), partial):
            sync(each)
        if path.exists():
            path.rename(old)  # no system call replaces a directory that has files
        partial.rename(path)
    finally:
        for left in (partial, old):
            shutil.rmtree(left, ignore_errors=True)
    sync(path.parent)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, or of a directory's files with their names, in hex."""
    found = sha256()
    if path.is_dir():
        for each in sorted(each for each in path.rglob("*") if each.is_file()):
            found.update(f"{each.relative_to(path)}\0{sha256_of(each)}\n".encode())
        return found.hexdigest()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            found.update(chunk)
    return found.hexdigest()


def _partial(path: Path) -> Path:
    return path.with_name(f"{path.name}.partial")
