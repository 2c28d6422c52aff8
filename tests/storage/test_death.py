"""A process that dies anywhere while it writes leaves the old files or the new ones, never halves.

What `parse --out`, `pack` and `convert` write, killed before every fsync, rename and removal.
"""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from treewright.models.packing import pack
from treewright.storage.atomic import is_partial, write_file, write_together
from treewright.storage.bundle import Bundle, write_bundle

STEPS = ("fsync", "replace", "rename", "unlink", "rmdir")
DEATH = 9


def parse(place: Path, version: str) -> None:
    write_file(place / "parses.txt", (f"{version} {i}\n" for i in range(5000)))


def packed(place: Path, version: str) -> None:
    write_bundle(Bundle("example", {"version": version}, {"w": np.ones(3)}), place / "trained")
    pack(place / "trained", place / "model")


def convert(place: Path, version: str) -> None:
    write_together({place / f"out.{end}": [version] for end in ("auto", "parg", "json")})


def contents(place: Path) -> dict[str, bytes]:
    files = sorted(file for file in place.rglob("*") if file.is_file())
    found = {str(file.relative_to(place)): file.read_bytes() for file in files}
    return {name: text for name, text in found.items() if not is_partial(Path(Path(name).parts[0]))}


def dies(action: Callable[[], None], n: int) -> bool:
    """Whether a child process that is to die in its n-th step has come so far."""
    child = os.fork()
    if not child:
        left = [n]
        for name in STEPS:
            setattr(os, name, dying(getattr(os, name), left))
        try:
            action()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == DEATH


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
        found = contents(tmp_path / str(n))
        assert found.keys() == old.keys()
        for unit in {Path(name).parts[0] for name in found}:  # a file, or a model's directory
            whole = [
                {name: text for name, text in each.items() if Path(name).parts[0] == unit}
                for each in (found, old, new)
            ]
            assert whole[0] in whole[1:], (n, unit)
        assert written(str(n), "new") == new
        n += 1
    assert n > steps
