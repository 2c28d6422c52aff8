"""How a kind's output is scored, compared, and measured against what its search space holds.

Each kind has an `Evaluation` (`treewright eval` and `compare`) and an `Oracle` (`treewright
oracle`). Both have options, a frozen dataclass, and give figures as plain values and as tables of
text, which `treewright.report` draws.
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
    """Rows of cells below the names of their columns; the first column is text."""

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Report:
    """Figures as plain values, ready for JSON, and the same as tables."""

    values: object
    tables: Sequence[Table]


@dataclass(frozen=True)
class NoOptions:
    """Nothing to choose."""


@dataclass(frozen=True)
class Evaluation:
    """How the output of models of a kind is scored against a treebank.

    `report` and `counts` take the output, the gold file and an instance of `options`; `counts` are
    those of each sentence, which significance tests need.
    """

    report: Callable[[Path, Path, Any], Report]
    counts: Callable[[Path, Path, Any], NamedCounts]
    options: type = NoOptions


@dataclass(frozen=True)
class Oracle:
    """The best and the worst analyses in the search space of a model of a kind.

    `report` takes the model, the gold file and an instance of `options`.
    """

    report: Callable[[Any, Path, Any], Report]
    options: type = NoOptions


def options_of(kind: str, cls: type, given: Mapping[str, object]) -> Any:
    """The options that are given, in the dataclass of a kind; one that it lacks is an error."""
    known = [field.name for field in fields(cls)]
    for name in given:
        if name not in known:
            shown = ", ".join(map(_flag, known)) or "none"
            raise ConfigError(f"kind {kind!r} has no option {_flag(name)}; it has: {shown}")
    return from_dict(cls, given, f"options of kind {kind!r}")


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def refusal(reason: str) -> Callable[..., NoReturn]:
    """What a kind has in place of a report that it cannot give: an error that says why."""

    def refuse(*_: object) -> NoReturn:
        raise ConfigError(reason)

    return refuse


_NOT_SCORED = refusal("models of this kind do not say how their output is scored")
NO_EVALUATION = Evaluation(_NOT_SCORED, _NOT_SCORED)
NO_ORACLE = Oracle(refusal("models of this kind have no oracle"))


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Errors in the block are about the file at `path`."""
    try:
        yield
    except TreewrightError as error:
        raise TreewrightError(f"{path}: {error}") from error


def percent(value: float | None) -> str:
    """A share in per cent; nothing for None."""
    return "" if value is None else f"{100 * value:.2f}"


def cells(score: Score) -> tuple[str, str, str]:
    """Precision, recall and F1 in per cent."""
    return percent(score.p), percent(score.r), percent(score.f)


@dataclass(frozen=True)
class Extremes:
    """One row of an oracle: its figures by name, and the best and the worst analyses' counts."""

    figures: Mapping[str, float | None]
    shown: tuple[str, ...]
    best: Counts
    worst: Counts

    def as_dict(self) -> dict[str, object]:
        """The figures by name, ready for JSON."""
        scores = {"best": self.best.score(), "worst": self.worst.score()}
        return {**self.figures, **{name: asdict(score) for name, score in scores.items()}}


def extremes_report(title: str, columns: Sequence[str], rows: Sequence[Extremes]) -> Report:
    """An oracle's rows, with precision, recall and F1."""
    names = tuple(f"{which} {part}" for which in ("best", "worst") for part in PARTS)
    shown = [(*row.shown, *cells(row.best.score()), *cells(row.worst.score())) for row in rows]
    return Report([row.as_dict() for row in rows], [Table(title, (*columns, *names), shown)])


def accuracy_report(title: str, columns: Sequence[str], rows: Sequence[Extremes]) -> Report:
    """An oracle's rows where as many items are produced as are due."""
    names = ("best", "exact", "worst")
    scores = ((row.best.score().f, row.best.exact().score().f, row.worst.score().f) for row in rows)
    shown = [(*row.shown, *map(percent, each)) for row, each in zip(rows, scores, strict=True)]
    return Report([row.as_dict() for row in rows], [Table(title, (*columns, *names), shown)])


def check_shares(name: str, values: Sequence[float]) -> None:
    """Raises unless there are values, all of them above 0 and at most 1."""
    if not values or not all(0 < each <= 1 for each in values):
        raise ValueError(f"every number of {_flag(name)} must be above 0 and at most 1")
