"""A process that dies anywhere while it writes leaves the old files or the new ones, never halves.

What `parse --out`, `pack` and `convert` write, killed before every fsync, rename and removal, on a
disk that is full after some bytes, and in a directory that is read-only.
"""

import os
import resource
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest

from treewright.errors import StoreError
from treewright.models.packing import pack
from treewright.storage.atomic import is_partial, write_file, write_together
from treewright.storage.bundle import Bundle, write_bundle

STEPS = ("fsync", "replace", "rename", "unlink", "rmdir")
DEATH, REFUSED, NOBODY = 9, 10, 65534


def parse(place: Path, version: str) -> None:
    write_file(place / "parses.txt", (f"{version} {i}\n" for i in range(5000)))


def packed(place: Path, version: str) -> None:
    write_bundle(Bundle("example", {"version": version}, {"w": np.ones(3)}), place / "trained")
    pack(place / "trained", place / "model")


def convert(place: Path, version: str) -> None:
    write_together([(place / f"out.{end}", [version]) for end in ("auto", "parg", "json")])


WRITERS = (parse, packed, convert)


Files = dict[str, bytes]


def contents(place: Path) -> Files:
    files = sorted(file for file in place.rglob("*") if file.is_file())
    found = {str(file.relative_to(place)): file.read_bytes() for file in files}
    return {name: text for name, text in found.items() if not is_partial(Path(Path(name).parts[0]))}


def is_whole(found: Files, old: Files, new: Files) -> bool:
    """Whether every file, and every model's directory, is the old one or the new one."""

    def units(files: Files) -> dict[str, Files]:
        names = {Path(name).parts[0] for name in files}
        return {
            unit: {n: t for n, t in files.items() if Path(n).parts[0] == unit} for unit in names
        }

    before, after = units(old), units(new)
    return found.keys() == old.keys() and all(
        unit in (before[name], after[name]) for name, unit in units(found).items()
    )


def dies(action: Callable[[], None], n: int) -> bool:
    """Whether a child process that is to die in its n-th step has come so far."""

    def until_death() -> None:
        left = [n]
        for name in STEPS:
            setattr(os, name, dying(getattr(os, name), left))
        action()

    return forked(until_death) == DEATH


def forked(action: Callable[[], None]) -> int:
    """The exit code of a child process: 0 if the action ends well, REFUSED by a StoreError."""
    child = os.fork()
    if not child:
        code = 1
        try:
            action()
            code = 0
        except StoreError:
            code = REFUSED
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def dying(step: Callable[..., None], left: list[int]) -> Callable[..., None]:
    def call(*given: object, **named: object) -> None:
        left[0] -= 1
        if not left[0]:
            os._exit(DEATH)
        step(*given, **named)

    return call


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize(("write", "steps"), [(parse, 3), (packed, 12), (convert, 8)])
def test_death_in_every_step(
    write: Callable[[Path, str], None],
    steps: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "fsync", lambda _: None)  # the process dies here, not the disk

    def written(name: str, version: str) -> dict[str, bytes]:
        place = tmp_path / name
        place.mkdir(exist_ok=True)
        write(place, version)
        assert not any(map(is_partial, place.iterdir()))
        return contents(place)

    old, new, n = written("0", "old"), written("whole", "new"), 1
    assert old.keys() == new.keys()
    while written(str(n), "old") and dies(partial(write, tmp_path / str(n), "new"), n):
        assert is_whole(contents(tmp_path / str(n)), old, new), n
        assert written(str(n), "new") == new
        n += 1
    assert n > steps


@pytest.fixture
def place() -> Iterator[Path]:
    """A directory that every user can enter."""
    made = Path(mkdtemp())
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("write", WRITERS)
def test_a_disk_that_is_full(write: Callable[[Path, str], None], place: Path) -> None:
    """As the system has it: no file may grow past so many bytes."""
    versions = {}
    for version in ("new", "old"):
        write(place, version)
        versions[version] = contents(place)
    codes = set()
    for size in (0, 1, 10, 100, 1000, 30_000):

        def full(size: int = size) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            write(place, "new")

        codes.add(code := forked(full))
        assert code in (0, REFUSED), size
        assert is_whole(contents(place), **versions), size
        assert not any(map(is_partial, place.iterdir()))
    assert REFUSED in codes


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@pytest.mark.parametrize("write", WRITERS)
def test_a_directory_that_is_read_only(write: Callable[[Path, str], None], place: Path) -> None:
    write(place, "old")
    old = contents(place)
    place.chmod(0o555)

    def as_anybody() -> None:
        if os.geteuid() == 0:  # whom no mode stops
            os.setuid(NOBODY)
        write(place, "new")

    assert forked(as_anybody) == REFUSED
    assert contents(place) == old
