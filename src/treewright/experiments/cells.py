"""Cells of an experiment's tables as text, with notes and corrected p-values.

A column named `p`, `p, ...` or `p against ...` has the p-values of its rows; they are one family,
corrected for its size (Holm 1979).
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from treewright.experiments.experiment import Beside, Cell, PValue, Table
from treewright.metrics.significance import holm

KEYS: dict[type, str] = {
    Beside: "In brackets: the paper's.",
    PValue: "In square brackets: p corrected for the rows of its column (Holm).",
}


def cell_text(cell: Cell, digits: int) -> str:
    """A cell; the paper's figure follows in brackets."""
    match cell:
        case Beside():
            paper = "" if cell.paper is None else f" ({cell_text(cell.paper, digits)})"
            return f"{cell_text(cell.ours, digits)}{paper}".strip()
        case PValue():
            return f"{cell.value:.4f} [{cell.holm:.4f}]"
        case None:
            return ""
        case float():
            return f"{cell:.{digits}f}"
    return str(cell)


def notes(table: Table, but: type | None = None) -> Iterator[str]:
    """Explanations of the kinds of cells in a table."""
    for kind, key in KEYS.items():
        if kind is not but and any(isinstance(cell, kind) for row in table.rows for cell in row):
            yield key


def corrected(table: Table) -> Table:
    """The table with Holm's corrected p-values in each column with several p-values."""
    columns = list(zip(*table.rows, strict=True))
    for place, name in enumerate(table.columns):
        if columns and (name == "p" or name.startswith(("p, ", "p against "))):
            columns[place] = tuple(_corrected(columns[place]))
    return replace(table, rows=[list(row) for row in zip(*columns, strict=True)])


def _corrected(cells: Sequence[Cell]) -> list[Cell]:
    tested = [place for place, cell in enumerate(cells) if isinstance(cell, (float, str))]
    values = [float(cells[place]) for place in tested]  # type: ignore[arg-type]
    beside = list(cells)
    if len(values) > 1:
        for place, value, adjusted in zip(tested, values, holm(values), strict=True):
            beside[place] = PValue(value, adjusted)
    return beside
