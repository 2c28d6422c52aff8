"""Training from a configuration file to a model directory, for `treewright train`."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from shlex import quote
from typing import Any, Literal

from treewright.config import changed, from_dict, mapping_to_toml, parse_toml
from treewright.errors import ConfigError
from treewright.losses.costs import is_code
from treewright.losses.settings import ObjectiveSettings
from treewright.models.kinds import Kind, kind_named
from treewright.storage.bundle import write_bundle
from treewright.train.history import History, read_history
from treewright.train.run import MODEL, Run
from treewright.train.setup import (
    RESOLVED,
    Plan,
    check_continues,
    discard,
    finished,
    holds_run,
    made_nothing,
    set_up,
    tables_of,
)
from treewright.train.supervision import AugmentSettings

Mode = Literal["new", "resume", "restart"]


def read_plan(path: Path, changes: Sequence[str] = (), seed: int | None = None) -> Plan:
    """Reads a training plan from a configuration file, with `key=value` changes."""
    content = path.read_bytes()
    plan = plan_of(parse_toml(content, str(path)), str(path), changes)
    used = plan.seed if seed is None else seed
    return replace(plan, seed=used, given=content.decode(), changes=tuple(changes))


def plan_of(config: Mapping[str, object], where: str, changes: Sequence[str] = ()) -> Plan:
    """The training plan of a configuration; `kind` determines its settings class."""
    first = changed(config, changes)
    if "kind" not in first:
        raise ConfigError(f"{where}: missing key 'kind'")
    seed = first.get("seed", 0)
    if not isinstance(seed, int) or isinstance(seed, bool) or seed < 0:
        raise ConfigError(f"{where}: key 'seed' must be a whole number from 0, not {seed!r}")
    try:
        kind = kind_named(first["kind"])
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error
    named, kind = kind, _scored(kind, first, where)
    given = changed(config, changes, kind.settings)
    rest = {name: value for name, value in given.items() if name not in ("kind", "seed")}
    if kind is named:
        rest.pop("scorer", None)
    settings: Any = from_dict(kind.settings, rest, where)
    return Plan(kind.name, settings, seed, mapping_to_toml(given))


def _scored(kind: Kind, config: Mapping[str, object], where: str) -> Kind:
    """The kind with the scorer in a configuration."""
    scorer = config.get("scorer", {})
    if not isinstance(scorer, Mapping):
        raise ConfigError(f"{where}: key 'scorer' must be a table, with a key 'kind'")
    try:
        return kind.scored_by(scorer.get("kind"))
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") from error


def _kind(plan: Plan) -> Kind:
    scorer = getattr(plan.settings, "scorer", None)
    return kind_named(plan.kind).scored_by(getattr(scorer, "kind", None))


def _check_code(settings: object) -> None:
    """Raises an error if a loss is Python code."""
    for each in tables_of(settings):
        if isinstance(each, (ObjectiveSettings, AugmentSettings)) and is_code(each.loss):
            raise ConfigError(
                f"the loss {each.loss!r} runs Python code; use --allow-code to allow it"
            )


def train(plan: Plan, run: Run, mode: Mode = "new", allow_code: bool = False) -> Path:
    """Trains a model and writes it to RUN/model.

    mode: "resume" continues the run in the directory, if there is one; "restart" discards an
        unfinished run; "new" allows neither.
    allow_code: allow custom losses.
    """
    if not allow_code:
        _check_code(plan.settings)
    if run.ray is not None:
        _connect(plan, run)
    with run.locked():
        if mode == "resume" and holds_run(run.directory):
            check_continues(run.directory, plan)
            if not finished(run.directory):
                run.record(event="resumed")
                _train(plan, run)
        else:
            if mode == "restart":
                discard(run)
            set_up(run, plan)
            try:
                _train(plan, run)
            except Exception:
                if made_nothing(run):
                    discard(run)
                raise
    return run.directory / MODEL


def _connect(plan: Plan, run: Run) -> None:
    """Connects to the cluster; if that fails, an empty run directory is removed."""
    try:
        kind = _kind(plan)
        if not kind.supports_ray(plan.settings):
            raise ConfigError(f"kind {kind.name!r} does not support --ray: {kind.no_ray}")
        run.connect()
    except ConfigError:
        with suppress(OSError):
            run.directory.rmdir()  # empty: created for this run
        raise


def _train(plan: Plan, run: Run) -> None:
    trained = _kind(plan).train(plan.settings, run)
    write_bundle(trained.bundle(), run.directory / MODEL)


def resumed_plan(directory: Path) -> Plan:
    """The plan of an existing run."""
    if not holds_run(directory):
        raise ConfigError(
            f"{directory}: there is no run to resume and no configuration to start one"
        )
    return replace(read_plan(directory / RESOLVED), given="")


def continuation(directory: Path) -> str:
    """The advice after an interruption, if there is a run to continue."""
    if not holds_run(directory):
        return ""
    return f"to continue: treewright train --run {quote(str(directory))} --resume"


def outcome(directory: Path) -> str:
    """The final message: the dev score, and the next command."""
    history = read_history(directory)
    lines = [] if history.final_score is None else [_dev_score(history, history.final_score)]
    model = quote(str(directory / MODEL))
    return "\n".join([*lines, f"next: treewright parse --model {model} FILE"])


def _dev_score(history: History, score: float) -> str:
    """The score with the metric's name in percent, as `treewright eval` prints it."""
    config = history.config
    kind = kind_named(config["kind"]).scored_by(config.get("scorer", {}).get("kind"))
    if not kind.metric:
        return f"score on dev: {score:.4f}"
    predicted = config.get("pos_folds") and config.get("tagger", True)
    how = ", with predicted tags" if predicted else ""
    return f"{kind.metric} on dev{how}: {100 * score:.2f}"
