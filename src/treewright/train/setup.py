"""Setup of a run: writes the resolved configuration and the hashes of the data.

A run can only be resumed with the same settings and data. The directory of an unfinished run is
only reused on request, that of a finished run never.
"""

import dataclasses
import json
import platform
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from treewright import __version__, _core
from treewright.config import to_toml
from treewright.data.lines import check_rereadable
from treewright.errors import ConfigError, StoreError, TreewrightError
from treewright.machine import available_threads
from treewright.storage.atomic import is_partial, sha256_of, write_file
from treewright.train.run import CHECKPOINTS, LOCK, MODEL, RECORDS, STAGES, Run

GIVEN, RESOLVED, ABOUT = "config.toml", "resolved.toml", "run.json"
FORMAT = 2  # format of stages and checkpoints; version 1 had them in kept/


@dataclasses.dataclass(frozen=True)
class Plan:
    """A training plan: kind, settings, seed, and the text of the configuration."""

    kind: str
    settings: Any
    seed: int = 0
    given: str = ""
    changes: tuple[str, ...] = ()  # `key=value` of --set

    def resolved(self) -> str:
        """The whole configuration, including defaults."""
        return f'kind = "{self.kind}"\nseed = {self.seed}\n{to_toml(self.settings)}'


def finished(directory: Path) -> bool:
    """Whether a run is finished."""
    return (directory / MODEL).exists()


def holds_run(directory: Path) -> bool:
    """Whether there is a run to continue; `set_up` writes the whole configuration last."""
    return (directory / RESOLVED).is_file()


def set_up(run: Run, plan: Plan) -> None:
    """Writes the files with which a run can be continued or repeated."""
    directory = run.directory
    if finished(directory):
        raise TreewrightError(f"{directory}: contains a finished run; choose another --run")
    if holds_run(directory):
        raise TreewrightError(
            f"{directory}: contains an unfinished run; --resume continues it, --restart discards it"
        )
    left_by_a_kill = {GIVEN, RESOLVED, ABOUT, LOCK}
    others = (each for each in directory.iterdir() if each.name not in left_by_a_kill)
    if not all(is_partial(each) for each in others):
        raise TreewrightError(f"{directory}: not empty and not a run; choose another --run")
    for path in _paths(plan.settings):
        if not path.exists():
            raise ConfigError(f"{path}: No such file or directory")
        if not path.is_file() and not path.is_dir():
            raise ConfigError(f"{path}: not a file: training reads its data more than once")
    about = {
        "format": FORMAT,
        "kind": plan.kind,
        "seed": plan.seed,
        "threads": run.threads,
        "set": plan.changes,
        "versions": environment(),
        "data": data_hashes(plan.settings),
    }
    write_file(directory / ABOUT, [json.dumps(about, indent=2) + "\n"])
    write_file(directory / GIVEN, [plan.given])
    write_file(directory / RESOLVED, [plan.resolved()])


def made_nothing(run: Run) -> bool:
    """Whether a run has no stage, checkpoint or store that is worth keeping."""
    made = any((run.directory / name).exists() for name in (STAGES, CHECKPOINTS))
    return not made and not any(run.directory.glob("*.store"))


def discard(run: Run) -> None:
    """Removes the files of an unfinished run from its directory, and no others."""
    if finished(run.directory) or not holds_run(run.directory):
        return
    for name in (STAGES, CHECKPOINTS, "kept"):
        shutil.rmtree(run.directory / name, ignore_errors=True)
    stores = run.directory.glob("*.store*")
    for path in (*stores, *(run.directory / name for name in (RECORDS, GIVEN, ABOUT, RESOLVED))):
        path.unlink(missing_ok=True)


def check_continues(directory: Path, plan: Plan) -> None:
    """Raises an error if a run has another format, other settings or other data."""
    about = _about(directory / ABOUT)
    if about.get("format") != FORMAT and not finished(directory):
        by = about.get("versions", {}).get("treewright", "an older version")
        raise TreewrightError(
            f"{directory}: a run of Treewright {by}, which this version cannot continue;"
            " --restart discards it and starts again"
        )
    if _settings(directory / RESOLVED) != tomllib.loads(plan.resolved()):
        raise ConfigError(
            f"{directory}: the run has different settings: see {RESOLVED};"
            " --restart discards it and starts again with these"
        )
    for path, checksum in about["data"].items():
        is_data = Path(path).is_file() or Path(path).is_dir()  # a pipe or device could have no end
        if not is_data or sha256_of(Path(path)) != checksum:
            raise TreewrightError(f"{path}: changed since the run started")


def _settings(path: Path) -> dict[str, Any] | None:
    """The settings of a run, without comments, which can change between versions."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError:  # neither TOML nor UTF-8
        return None


def _about(path: Path) -> dict[str, Any]:
    try:
        about = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise StoreError(f"{path}: damaged: {error!s:.200}") from error
    if not isinstance(about, dict) or not isinstance(about.get("versions", {}), dict):
        raise StoreError(f"{path}: damaged: the setup of the run is missing")
    if about.get("format") == FORMAT and not isinstance(about.get("data"), dict):
        raise StoreError(f"{path}: damaged: the list of data files is missing")
    return about


def data_hashes(settings: object) -> dict[str, str]:
    """The SHA-256 of each file or directory in the settings."""
    paths = sorted(set(_paths(settings)))
    check_rereadable(*paths)
    return {str(path): sha256_of(path) for path in paths}


def tables_of(settings: object) -> Iterator[object]:
    """All tables, lists and values in settings, recursively."""
    yield settings
    items: Iterable[object] = ()
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        items = (getattr(settings, field.name) for field in dataclasses.fields(settings))
    elif isinstance(settings, dict):
        items = settings.values()
    elif isinstance(settings, (list, tuple)):
        items = settings
    for item in items:
        yield from tables_of(item)


def _paths(settings: object) -> Iterator[Path]:
    return (each for each in tables_of(settings) if isinstance(each, Path))


def environment() -> dict[str, str]:
    """Versions and machine facts by name, in display order."""
    return {
        "treewright": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": version("scipy"),
        "core compiler": _core.compiler(),
        "core simd": _core.simd_level(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu simd": cpu_simd(),
        "threads": str(available_threads()),
    }


def cpu_simd() -> str:
    """The instruction sets of this CPU, under numpy's names."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return " ".join([*simd.get("baseline", []), *simd.get("found", [])])
