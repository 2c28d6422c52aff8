"""Tables for the terminal: scores, runs, comparisons of systems."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table as RichTable

from treewright.models.packing import directory_bytes, model_bytes

if TYPE_CHECKING:
    from treewright.metrics.significance import Comparison
    from treewright.models.evaluation import Table
    from treewright.models.installed import Package
    from treewright.report.demo import Trained
    from treewright.train.history import History


def demo_table(results: Sequence["Trained"]) -> RichTable:
    """Dependencies and supertags of every parser, and p-values against the first."""
    title = "Held-out dependencies (p: labelled F1 compared with likelihood)"
    table = RichTable(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("trained for", no_wrap=True)
    for name in ("LP", "LR", "LF", "UF", "supertags", "coverage", "p"):
        table.add_column(name, justify="right")
    for trained in results:
        scores, p = trained.scores, trained.against_first
        figures = (scores.labelled.p, scores.labelled.r, scores.labelled.f, scores.unlabelled.f)
        shown = [f"{100 * figure:.2f}" for figure in (*figures, scores.supertags or 0.0)]
        shown.append(f"{100 * scores.coverage:.1f}")
        table.add_row(trained.name, *shown, "" if p is None else f"{p.p_value:.3f}")
    return table


def comparison_table(
    metric: str, scores: tuple[float, float], comparisons: Sequence["Comparison"]
) -> RichTable:
    """Scores of two systems, their difference, and p-values of each test."""
    first, second = (100 * score for score in scores)
    table = RichTable(
        title=f"{metric}: {first:.2f} and {second:.2f}, difference {first - second:+.2f}"
    )
    table.add_column("test", no_wrap=True)
    table.add_column("p", justify="right")
    table.add_column("95 % interval of the difference", justify="right")
    for each in comparisons:
        interval = (
            ""
            if each.low is None or each.high is None
            else f"{100 * each.low:+.2f} to {100 * each.high:+.2f}"
        )
        table.add_row(each.test, f"{each.p_value:.4f}", interval)
    return table


WIDE = 120  # columns of a file or pipe, wide enough for all figures


def rich_table(table: "Table") -> RichTable:
    """The table with its first column on the left, all others on the right."""
    drawn = RichTable(title=table.title, title_justify="left")
    for place, name in enumerate(table.columns):
        drawn.add_column(name, no_wrap=not place, justify="right" if place else "left")
    for row in table.rows:
        drawn.add_row(*row)
    return drawn


def print_tables(tables: Sequence[RichTable]) -> None:
    """Prints tables on the standard output."""
    # Names in treebanks may look like markup.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, WIDE)
    for table in tables:
        console.print(table)


TEXTS = {"run": "run", "kind": "kind", "state": "state"}
HOW = ("objective", "optimiser")  # in one column
FIGURES = {
    "iterations": "steps",
    "value": "value",
    "score": "score",
    "seconds": "seconds",
    "peak_rss_mb": "MB",
}


def runs_table(histories: Sequence["History"]) -> RichTable:
    """One row per run; on narrow terminals names are wrapped, but not figures."""
    table = RichTable(box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    for title in TEXTS.values():
        table.add_column(title, overflow="fold")
    table.add_column(", ".join(HOW), overflow="fold")
    for title in FIGURES.values():
        table.add_column(title, justify="right", no_wrap=True)
    for history in histories:
        summary = history.summary()
        how = ", ".join(str(summary[key]) for key in HOW if summary[key])
        texts, figures = ([short(summary[key]) for key in keys] for keys in (TEXTS, FIGURES))
        table.add_row(*texts, how, *figures)
    return table


def short(value: object) -> str:
    """The text of a cell: five digits for floats, empty for None."""
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def models_table(packages: Sequence["Package"]) -> RichTable:
    """One row per model: name, kind, scores on dev, size and licence."""
    table = RichTable(box=None, padding=(0, 2, 0, 0))
    for title in ("model", "kind", "treebank", "scores on dev", "MB", "licence"):
        wraps = title in ("treebank", "scores on dev")
        table.add_column(title, no_wrap=not wraps, overflow="fold")
    for package in packages:
        size = f"{directory_bytes(package.root) / 1e6:.1f}"
        default = f"default: {package.name}-{package.contents.default}"
        table.add_row(package.name, "", f"package {package.version}", default, size, "")
        for name, part in package.parts.items():
            scores = "\n".join(f"{metric} {value:.2f}" for metric, value in part.scores.items())
            size = f"{model_bytes(package.root / part.directory) / 1e6:.1f}"
            licences = part.licence.replace(" AND ", "\n")
            table.add_row(name, part.kind, part.treebank, scores, size, licences)
    return table


def models_values(packages: Sequence["Package"]) -> list[dict[str, object]]:
    """All facts about the models, for JSON."""
    return [
        {
            "name": package.name,
            "project": package.project,
            "version": package.version,
            "format": package.contents.format,
            "default": f"{package.name}-{package.contents.default}",
            "bytes": directory_bytes(package.root),
            "models": [
                {"name": name}
                | asdict(part)
                | {
                    "directory": str(package.root / part.directory),
                    "bytes": model_bytes(package.root / part.directory),
                }
                for name, part in package.parts.items()
            ],
        }
        for package in packages
    ]
