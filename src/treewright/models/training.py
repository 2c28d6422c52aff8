"""Training from a configuration file to a model directory: what `treewright train` does."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from treewright.config import changed, from_dict, parse_toml
from treewright.errors import ConfigError
from treewright.models.bundle import write_bundle
from treewright.models.kinds import kind_named
from treewright.train.begin import RESOLVED, Plan, begin, begun, finished, resume
from treewright.train.run import MODEL, Run


def read_plan(path: Path, changes: Sequence[str] = (), seed: int | None = None) -> Plan:
    """What a configuration file asks for: `kind` picks the settings that the other keys fill."""
    content = path.read_bytes()
    mapping = changed(parse_toml(content, str(path)), changes)
    if "kind" not in mapping:
        raise ConfigError(f"{path}: missing key 'kind'")
    given_seed = mapping.pop("seed", 0)
    if not isinstance(given_seed, int) or isinstance(given_seed, bool) or given_seed < 0:
        raise ConfigError(f"{path}: key 'seed' must be a whole number from 0, not {given_seed!r}")
    try:
        kind = kind_named(mapping.pop("kind"))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error
    settings: Any = from_dict(kind.settings, mapping, str(path))
    used_seed = given_seed if seed is None else seed
    return Plan(kind.name, settings, used_seed, content.decode(), tuple(changes))


def train(plan: Plan, run: Run, continued: bool = False) -> Path:
    """Trains a model into RUN/model; a run that was begun is only continued where that is asked."""
    with run.locked():
        if not (continued and finished(run.directory)):
            _train(plan, run, continued)
    return run.directory / MODEL


def _train(plan: Plan, run: Run, continued: bool) -> None:
    if continued and begun(run.directory):
        resume(run, plan)
    else:
        begin(run, plan)
    trained = kind_named(plan.kind).train(plan.settings, run)
    write_bundle(trained.bundle(), run.directory / MODEL)


def resumed_plan(directory: Path) -> Plan:
    """The plan of a run that was begun."""
    if not begun(directory):
        raise ConfigError(f"{directory}: no run to resume, and no configuration to begin one")
    return replace(read_plan(directory / RESOLVED), given="")
