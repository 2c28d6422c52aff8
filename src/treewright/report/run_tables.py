"""Runs as a rich table."""

from collections.abc import Sequence

from rich.table import Table

from treewright.train.history import History

COLUMNS = {
    "run": "run",
    "kind": "kind",
    "state": "state",
    "objective": "objective",
    "optimiser": "optimiser",
    "iterations": "iterations",
    "value": "value",
    "best_score": "best score",
    "seconds": "seconds",
    "peak_rss_mb": "peak MB",
}
LEFT = 5  # columns of text


def runs_table(histories: Sequence[History]) -> Table:
    """One row a run."""
    table = Table(title="Runs", title_justify="left")
    for number, title in enumerate(COLUMNS.values()):
        table.add_column(title, justify="left" if number < LEFT else "right")
    for history in histories:
        summary = history.summary()
        table.add_row(*(_cell(summary[key]) for key in COLUMNS))
    return table


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
