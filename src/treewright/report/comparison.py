"""Comparison of two systems: the difference in each metric, with p-values of three tests."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass

from rich.box import SIMPLE_HEAD
from rich.table import Table

from treewright.errors import TreewrightError
from treewright.metrics.counts import corpus_score
from treewright.metrics.sentences import NamedCounts
from treewright.metrics.significance import SAMPLES, Comparison, compare

IN_PARTS = {"labelled", "unlabelled", "brackets"}
PARTS = (("precision", "P"), ("recall", "R"), ("f1", "F1"))
SHORT = {"paired bootstrap": "bootstrap", "approximate randomisation": "randomised"}


@dataclass(frozen=True)
class Difference:
    """One metric of two systems; `tests` are those of `treewright.metrics.significance`."""

    metric: str
    first: float
    second: float
    tests: tuple[Comparison, ...]

    def as_dict(self) -> dict[str, object]:
        """The figures by name, for JSON."""
        plain = {"metric": self.metric, "first": self.first, "second": self.second}
        tests = [asdict(test) for test in self.tests]
        return {**plain, "difference": self.first - self.second, "tests": tests}


def differences(
    a: NamedCounts, b: NamedCounts, samples: int = SAMPLES, seed: int = 0
) -> Iterator[Difference]:
    """All metrics of both systems; only F1 if precision and recall hardly differ."""
    for name in a:
        if name not in b:
            continue
        for formula, title in _formulas(name):
            scores = corpus_score(a[name], formula), corpus_score(b[name], formula)
            yield Difference(title, *scores, compare(a[name], b[name], formula, samples, seed))


def _formulas(name: str) -> list[tuple[str, str]]:
    if name not in IN_PARTS:
        return [("f1", name)]
    return [(formula, f"{name} {short}") for formula, short in PARTS]


def differences_table(rows: Sequence[Difference], names: tuple[str, str]) -> Table:
    """Scores in per cent, p-values per test, and the bootstrap interval of the difference."""
    if not rows:
        raise TreewrightError("there is nothing to compare")
    title = f"a: {names[0]}, b: {names[1]}; p-values by three tests"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=0, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    for column in difference_columns(rows)[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(*difference_cells(row))
    return table


def difference_columns(rows: Sequence[Difference]) -> tuple[str, ...]:
    """The names of the columns of a table of differences."""
    tests = (SHORT.get(test.test, test.test) for row in rows[:1] for test in row.tests)
    return "metric", "a", "b", "a - b", "95 % interval", *tests


def difference_cells(row: Difference) -> tuple[str, ...]:
    """A metric's scores in per cent, their difference with its interval, and p-values."""
    scores = (f"{100 * score:.2f}" for score in (row.first, row.second))
    p_values = (f"{test.p_value:.4f}" for test in row.tests)
    difference = f"{100 * (row.first - row.second):+.2f}"
    return row.metric, *scores, difference, _interval(row.tests), *p_values


def _interval(tests: Iterable[Comparison]) -> str:
    for test in tests:
        if test.low is not None and test.high is not None:
            return f"{100 * test.low:+.2f} to {100 * test.high:+.2f}"
    return ""
