"""Files that are written completely or not at all, even if the process is killed.

A file or directory is written under a temporary name next to its final path, synced to disk, and
moved there in one step. Its writer holds a lock on it; files of killed writers have no lock and are
removed by the next writer of the same path.
"""

import ctypes
import errno
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from treewright.errors import StoreError

CHUNK = 1 << 20
PARTIAL = ".partial"
NAME_LIMIT = 200  # characters of the final name in a temporary name
AT_FDCWD, RENAME_EXCHANGE = -100, 2


def sync(path: Path) -> None:
    """Waits until a file's content, or a directory's list of names, is on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def real_path(path: Path) -> Path:
    """The path with links resolved; a cycle of links is an error."""
    found = Path(os.path.realpath(path))
    if found.is_symlink():
        raise StoreError(f"{path}: {os.strerror(errno.ELOOP)}")
    return found


def write_file(path: Path, pieces: Iterable[bytes | memoryview | str]) -> None:
    """Writes the pieces; on an error nothing is left behind and an existing file is unchanged."""
    with _opened(path) as file:
        _write(file, pieces)


@contextmanager
def new_file(path: Path, buffering: int = -1) -> Iterator[BinaryIO]:
    """A file to write, which becomes `path` at the end, replacing an existing one."""
    path = real_path(path)  # the target of a link, not the link
    if _is_special(path):
        raise StoreError(f"{path}: is not a file, so it is not replaced")
    partial, descriptor = _claim(path, directory=False)
    try:
        with _naming(path, partial), os.fdopen(descriptor, "w+b", buffering) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
    sync(path.parent)


def write_together(files: Sequence[tuple[Path, Iterable[bytes | memoryview | str]]]) -> None:
    """Writes several files; on an error nothing is left behind and existing files are unchanged."""
    named = [real_path(path) for path, _ in files if not _is_special(path)]
    if len(set(named)) < len(named):
        twice = next(path for path in named if named.count(path) > 1)
        raise StoreError(f"{twice}: several outputs have this name")
    with ExitStack() as stack:
        opened = [stack.enter_context(_opened(path)) for path, _ in files]
        for file, (path, pieces) in zip(opened, files, strict=True):
            _write(file, pieces)
            file.flush()
            if not _is_special(path):
                os.fsync(file.fileno())


@contextmanager
def new_directory(path: Path) -> Iterator[Path]:
    """A directory to fill, which becomes `path` at the end, replacing an existing one."""
    path = real_path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial, descriptor = _claim(path, directory=True)
    try:
        with _naming(path, partial):
            yield partial
            for each in (*partial.rglob("*"), partial):
                sync(each)
            _move_directory(partial, path)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        os.close(descriptor)
    sync(path.parent)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, or of a directory's files with their names, in hexadecimal."""
    digest = sha256()
    if path.is_dir():
        for each in sorted(each for each in path.rglob("*") if each.is_file()):
            digest.update(f"{each.relative_to(path)}\0{sha256_of(each)}\n".encode())
        return digest.hexdigest()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def is_partial(path: Path) -> bool:
    """Whether a name is that of an incomplete file or directory."""
    return path.name.startswith(".") and path.name.endswith(PARTIAL)


def _opened(path: Path) -> AbstractContextManager[BinaryIO]:
    return path.open("wb") if _is_special(path) else new_file(path)


def _is_special(path: Path) -> bool:
    """Whether a path is a pipe or device, which is there to stay; or a directory."""
    return path.exists() and not path.is_file()


def _write(file: BinaryIO, pieces: Iterable[bytes | memoryview | str]) -> None:
    file.writelines(piece.encode() if isinstance(piece, str) else piece for piece in pieces)


def _claim(path: Path, directory: bool) -> tuple[Path, int]:
    """A new file or directory next to `path`, and a descriptor that holds its lock."""
    with _naming(path, path.parent):
        _remove_abandoned(path)
        while True:
            partial = path.with_name(f"{_prefix(path)}{secrets.token_hex(4)}{PARTIAL}")
            descriptor = _create(partial, directory)
            with _ignored():  # the file system does not support locks
                fcntl.flock(descriptor, fcntl.LOCK_EX)
            if _is_at(descriptor, partial):
                return partial, descriptor
            os.close(descriptor)  # another writer removed it before it was locked


def _create(partial: Path, directory: bool) -> int:
    if not directory:
        return os.open(partial, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666)
    partial.mkdir()
    return os.open(partial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _is_at(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.lstat())
    except FileNotFoundError:
        return False


def _remove_abandoned(path: Path) -> None:
    """Removes files of killed writers of `path`; those of running writers are locked."""
    prefix = _prefix(path)
    for each in path.parent.iterdir():
        if each.name.startswith(prefix) and is_partial(each) and not each.is_symlink():
            with _ignored():
                _remove_unlocked(each)


def _remove_unlocked(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    finally:
        os.close(descriptor)


def _move_directory(partial: Path, path: Path) -> None:
    """Moves a directory to its path; an existing one gets the temporary name."""
    if not path.exists():
        partial.rename(path)
    elif not _exchange(partial, path):
        old = partial.with_suffix(f".old{PARTIAL}")
        path.rename(old)
        partial.rename(path)
        shutil.rmtree(old, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swaps two paths in one step, if the system supports it (Linux)."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    names = AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other)
    return bool(rename(*names, RENAME_EXCHANGE) == 0)


def _prefix(path: Path) -> str:
    return f".{path.name[:NAME_LIMIT]}."


@contextmanager
def _ignored() -> Iterator[None]:
    try:
        yield
    except OSError:
        return


@contextmanager
def _naming(path: Path, partial: Path) -> Iterator[None]:
    """Replaces the temporary name in errors by the final one."""
    try:
        yield
    except StoreError as error:
        inside = is_partial(partial) and os.fspath(partial) in str(error)
        if not inside:
            raise
        raise StoreError(str(error).replace(os.fspath(partial), os.fspath(path))) from error
    except OSError as error:
        name = Path(os.fsdecode(error.filename or partial))
        if is_partial(partial) and partial in name.parents:
            path = path / name.relative_to(partial)
        elif name != partial and not is_partial(name):
            raise
        raise StoreError(f"{path}: {error.strerror or error}") from error
