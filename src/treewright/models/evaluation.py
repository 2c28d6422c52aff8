"""Evaluations and oracles of models, for `treewright eval`, `compare` and `oracle`.

Each kind has an `Evaluation` and an `Oracle`. Both have options, a frozen dataclass, and return
figures as plain values and as text tables, which `treewright.report` draws.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from treewright.config import from_dict
from treewright.errors import ConfigError, TreewrightError
from treewright.metrics.counts import Counts, Score
from treewright.metrics.sentences import NamedCounts

PARTS = ("P", "R", "F1")


@dataclass(frozen=True)
class Table:
    """Rows of cells with column names; the first column is text."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Report:
    """Figures as plain values for JSON, and as tables."""

    values: object
    tables: Sequence[Table]


@dataclass(frozen=True)
class NoOptions:
    """No options."""


@dataclass(frozen=True)
class Evaluation:
    """How a kind's output is scored against a treebank.

    `report` and `counts` take the output, the gold file and an instance of `options`; `counts`
    returns counts per sentence, which significance tests need.
    """

    report: Callable[[Path, Path, Any], Report]
    counts: Callable[[Path, Path, Any], NamedCounts]
    options: type = NoOptions


@dataclass(frozen=True)
class Oracle:
    """The best and the worst analyses in a model's search space.

    `report` takes the model, the gold file and an instance of `options`.
    """

    report: Callable[[Any, Path, Any], Report]
    options: type = NoOptions


def options_of(kind: str, cls: type, given: Mapping[str, object]) -> Any:
    """An instance of a kind's options; an unknown option is an error."""
    known = [field.name for field in fields(cls)]
    for name in given:
        if name not in known:
            shown = ", ".join(map(_flag, known)) or "none"
            raise ConfigError(f"kind {kind!r} has no option {_flag(name)}; it has: {shown}")
    return from_dict(cls, given, f"options of kind {kind!r}")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def refusal(reason: str) -> Callable[..., NoReturn]:
    """A report function that raises an error, for a kind that has no report."""

    def refuse(*_: object) -> NoReturn:
        raise ConfigError(reason)

    return refuse


_NOT_SCORED = refusal("models of this kind do not say how their output is scored")
NO_EVALUATION = Evaluation(_NOT_SCORED, _NOT_SCORED)
NO_ORACLE = Oracle(refusal("models of this kind have no oracle"))


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Attributes errors in the block to the file at `path`."""
    try:
        yield
    except TreewrightError as error:
        raise TreewrightError(f"{path}: {error}") from error


def percent(value: float | None) -> str:
    """A proportion in per cent; empty for None."""
    return "" if value is None else f"{100 * value:.2f}"


def cells(score: Score) -> tuple[str, str, str]:
    """Precision, recall and F1 in per cent."""
    return percent(score.p), percent(score.r), percent(score.f)


@dataclass(frozen=True)
class Extremes:
    """A row of an oracle: figures by name, cells, and counts of the best and worst analyses."""

    figures: Mapping[str, float | None]
    shown: tuple[str, ...]
    best: Counts
    worst: Counts

    def as_dict(self) -> dict[str, object]:
        """The figures by name, for JSON."""
        scores = {"best": self.best.score(), "worst": self.worst.score()}
        return {**self.figures, **{name: asdict(score) for name, score in scores.items()}}


def extremes_report(title: str, columns: Sequence[str], rows: Sequence[Extremes]) -> Report:
    """The rows of an oracle with precision, recall and F1."""
    names = tuple(f"{which} {part}" for which in ("best", "worst") for part in PARTS)
    shown = [(*row.shown, *cells(row.best.score()), *cells(row.worst.score())) for row in rows]
    return Report([row.as_dict() for row in rows], [Table(title, (*columns, *names), shown)])


def accuracy_report(title: str, columns: Sequence[str], rows: Sequence[Extremes]) -> Report:
    """The rows of an oracle with accuracy, if the number of items is fixed."""
    names = ("best", "exact", "worst")
    scores = ((row.best.score().f, row.best.exact().score().f, row.worst.score().f) for row in rows)
    shown = [(*row.shown, *map(percent, each)) for row, each in zip(rows, scores, strict=True)]
    return Report([row.as_dict() for row in rows], [Table(title, (*columns, *names), shown)])


def check_shares(name: str, values: Sequence[float]) -> None:
    """Raises an error unless there are values and all are in (0, 1]."""
    if not values or not all(0 < each <= 1 for each in values):
        raise ValueError(f"every number of {_flag(name)} must be above 0 and at most 1")
