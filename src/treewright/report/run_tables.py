"""Runs as a rich table."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from treewright.train.history import History

TEXTS = {"run": "run", "kind": "kind", "state": "state"}
HOW = ("objective", "optimiser")  # in one column
FIGURES = {
    "iterations": "steps",
    "value": "value",
    "best_score": "score",
    "seconds": "seconds",
    "peak_rss_mb": "MB",
}


def runs_table(histories: Sequence[History]) -> Table:
    """One row per run; where the terminal is narrow, names are folded and figures stay whole."""
    table = Table(box=SIMPLE_HEAD, padding=0, pad_edge=False, show_edge=False)
    for title in TEXTS.values():
        table.add_column(title, overflow="fold")
    table.add_column(", ".join(HOW), overflow="fold")
    for title in FIGURES.values():
        table.add_column(title, justify="right", no_wrap=True)
    for history in histories:
        summary = history.summary()
        how = ", ".join(str(summary[key]) for key in HOW if summary[key])
        texts, figures = ([_cell(summary[key]) for key in keys] for keys in (TEXTS, FIGURES))
        table.add_row(*texts, how, *figures)
    return table


def _cell(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.5g}" if isinstance(value, float) else str(value)
