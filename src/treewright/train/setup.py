"""How a run begins or continues: its configuration, resolved and written beside its data's hashes.

A directory that holds a run is never begun anew, and a run is continued only with the settings and
the data that it began with.
"""

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from treewright.config import to_toml
from treewright.errors import ConfigError, TreewrightError
from treewright.storage.atomic import is_partial, sha256_of, write_file
from treewright.train.environment import environment
from treewright.train.run import KEPT, LOCK, MODEL, RECORDS, STAGES, Run

GIVEN, RESOLVED, FACTS = "config.toml", "resolved.toml", "run.json"


@dataclasses.dataclass(frozen=True)
class Plan:
    """What is to be trained: kind, settings and seed, and the text they were read from."""

    kind: str
    settings: Any
    seed: int = 0
    given: str = ""
    changes: tuple[str, ...] = ()  # `key=value` of --set

    def resolved(self) -> str:
        """The whole configuration, every default in it."""
        return f'kind = "{self.kind}"\nseed = {self.seed}\n{to_toml(self.settings)}'


def finished(directory: Path) -> bool:
    """Whether a run is at its end."""
    return (directory / MODEL).exists()


def begun(directory: Path) -> bool:
    """Whether there is a run to continue; `begin` writes the whole configuration last."""
    return (directory / RESOLVED).is_file()


def begin(run: Run, plan: Plan) -> None:
    """Writes what a new run needs to be continued or repeated."""
    directory = run.directory
    if finished(directory):
        raise TreewrightError(f"{directory}: holds a finished run; give another --run")
    if begun(directory):
        raise TreewrightError(f"{directory}: holds a run; continue it with --resume")
    left_by_a_kill = {GIVEN, RESOLVED, FACTS, LOCK}
    others = (each for each in directory.iterdir() if each.name not in left_by_a_kill)
    if not all(is_partial(each) for each in others):
        raise TreewrightError(f"{directory}: not empty and not a run; give another --run")
    for path in _paths(plan.settings):
        if not path.exists():
            raise ConfigError(f"{path}: No such file or directory")
    about = {
        "kind": plan.kind,
        "seed": plan.seed,
        "threads": run.threads,
        "set": plan.changes,
        "versions": environment(),
        "data": data_hashes(plan.settings),
    }
    write_file(directory / FACTS, [json.dumps(about, indent=2) + "\n"])
    write_file(directory / GIVEN, [plan.given])
    write_file(directory / RESOLVED, [plan.resolved()])


def forget(run: Run) -> None:
    """Leaves the directory of a run that has failed as it was, if nothing was made in it."""
    made = any((run.directory / name).exists() for name in (STAGES, KEPT))
    if not made and not any(run.directory.glob("*.store")):
        for name in (RESOLVED, GIVEN, FACTS, RECORDS):
            (run.directory / name).unlink(missing_ok=True)


def check_continues(directory: Path, plan: Plan) -> None:
    """Raises if a run began with other settings or other data."""
    if (directory / RESOLVED).read_text(encoding="utf-8") != plan.resolved():
        raise ConfigError(f"{directory}: the run began with other settings: see {RESOLVED}")
    before = json.loads((directory / FACTS).read_bytes())["data"]
    for path, checksum in before.items():
        if not Path(path).exists() or sha256_of(Path(path)) != checksum:
            raise TreewrightError(f"{path}: changed since the run began")


def data_hashes(settings: object) -> dict[str, str]:
    """The SHA-256 of every file or directory that the settings name."""
    return {str(path): sha256_of(path) for path in sorted(set(_paths(settings)))}


def _paths(value: object) -> Iterator[Path]:
    if isinstance(value, Path):
        yield value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _paths(getattr(value, field.name))
    elif isinstance(value, dict):
        yield from _paths(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _paths(item)
