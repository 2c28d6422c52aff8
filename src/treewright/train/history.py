"""Reads the configuration, records and scores of a run from its directory."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from treewright.config import parse_toml
from treewright.errors import ConfigError, FormatError, TreewrightError
from treewright.train.run import RECORDS
from treewright.train.setup import RESOLVED, finished, holds_run

Record = dict[str, Any]
TAGGERS = ("pos", "super")  # kinds whose own training is that of a tagger
TAGGER_CURVES = ("-local", "-chain")  # suffixes of the names of their curves


@dataclass(frozen=True)
class History:
    """A run: its directory, its configuration with all defaults, and its records in order."""

    directory: Path
    config: dict[str, Any]
    records: list[Record]

    @property
    def state(self) -> str:
        return "finished" if finished(self.directory) else "not finished"

    @property
    def curves(self) -> dict[str, list[Record]]:
        """The iterations of each optimisation; repeated ones after an interruption count once."""
        curves: dict[str, dict[int, Record]] = {}
        for each in self.records:
            if "optimise" in each:
                curves.setdefault(each["optimise"], {})[each["iteration"]] = each
        return {name: [rows[i] for i in sorted(rows)] for name, rows in curves.items()}

    @property
    def seconds(self) -> float:
        """The total time over all sessions; the clock of each starts at 0."""
        total = last = 0.0
        for each in self.records:
            if each["seconds"] < last or each.get("event") == "resumed":
                total, last = total + last, 0.0
            last = each["seconds"]
        return total + last

    @property
    def main_curve(self) -> list[Record]:
        """The curve of the model itself, not of its taggers: the best of several, else the last."""
        tags = self.config["kind"] in TAGGERS
        own = [c for name, c in self.curves.items() if tags or not name.endswith(TAGGER_CURVES)]
        if tags:
            return own[-1] if own else []
        return max(reversed(own), key=lambda curve: max(_scores(curve), default=-1.0), default=[])

    @property
    def final_score(self) -> float | None:
        """The dev score of the model: the best one if patience was used, else the last.

        Models without an optimiser, or whose optimiser has no scores, have a record of their own.
        """
        scores = _scores(self.main_curve)
        if not scores:
            alone = _scores(each for each in self.records if "optimise" not in each)
            return alone[-1] if alone else None
        section = "svm" if self.config.get("solver") == "svm" else "optimiser"
        return max(scores) if self.config.get(section, {}).get("patience") else scores[-1]

    def summary(self) -> Record:
        """A row of `treewright runs`, for JSON."""
        curve = self.main_curve
        scores = _scores(curve)
        return {
            "run": str(self.directory),
            "kind": self.config["kind"],
            "state": self.state,
            "objective": _objective_name(self.config.get("objective", {})),
            "optimiser": _optimiser_name(self.config),
            "iterations": len(curve),
            "value": curve[-1].get("objective") if curve else None,
            "score": self.final_score,
            "best_score": max(scores, default=self.final_score),
            "last_score": scores[-1] if scores else None,
            "seconds": round(self.seconds, 3),
            "peak_rss_mb": max((each["peak_rss_mb"] for each in self.records), default=None),
        }


def _objective_name(objective: Record) -> str | None:
    name = objective.get("name")
    return (
        name if name in (None, "likelihood", "perceptron") else f"{name}, {objective.get('loss')}"
    )


def _optimiser_name(config: Record) -> str | None:
    if config["kind"] == "dep" and config.get("objective", {}).get("name") == "perceptron":
        return None  # which has steps of its own
    if config.get("solver") == "svm":
        return str(config.get("svm", {}).get("method"))
    name: str | None = config.get("optimiser", {}).get("name")
    return name


def _scores(curve: Iterable[Record]) -> list[float]:
    return [each["score"] for each in curve if "score" in each]


def read_history(directory: Path) -> History:
    """Reads the run in a directory."""
    path = directory / RESOLVED
    config = parse_toml(path.read_bytes(), str(path))
    tables = (config.get(name, {}) for name in ("objective", "optimiser", "svm"))
    if not isinstance(config.get("kind"), str) or not all(isinstance(t, dict) for t in tables):
        raise ConfigError(f"{path}: not the configuration of a run")
    return History(directory, config, _records(directory / RECORDS))


def _records(path: Path) -> list[Record]:
    lines = path.read_bytes().split(b"\n")[:-1] if path.exists() else []
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise FormatError(path, number, f"not a record: {error!s:.200}") from error
        if fault := _fault(record):
            raise FormatError(path, number, f"not a record: {fault}")
        records.append(record)
    return records


def _fault(record: object) -> str | None:
    """A description of what is wrong with a record, if anything."""
    if not isinstance(record, dict):
        return "it is not an object"
    numbers = {"seconds", "peak_rss_mb", *(record.keys() & {"score", "objective"})}
    if wrong := sorted(name for name in numbers if not _is_number(record.get(name))):
        return f"{', '.join(wrong)}: not a number"
    if "optimise" in record and not (
        isinstance(record["optimise"], str) and isinstance(record.get("iteration"), int)
    ):
        return "it names no optimisation and iteration"
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def find_runs(directories: Iterable[Path]) -> Sequence[Path]:
    """The directories that contain a run, and the runs directly below the others."""
    runs: list[Path] = []
    for directory in directories:
        if holds_run(directory):
            runs.append(directory)
            continue
        below = sorted(each for each in directory.iterdir() if holds_run(each))
        if not below:
            raise TreewrightError(f"{directory}: contains no run")
        runs += below
    return runs
