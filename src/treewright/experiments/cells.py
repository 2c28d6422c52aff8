"""Cells of an experiment's tables as text, and what explains them."""

from collections.abc import Iterator

from treewright.experiments.experiment import Beside, Cell, PValue, Table

KEYS: dict[type, str] = {
    Beside: "In brackets: the paper's.",
    PValue: "In square brackets: p corrected for the rows of its column (Holm).",
}


def cell_text(cell: Cell, digits: int) -> str:
    """A cell; the paper's figure stands in brackets behind ours."""
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
    """What explains the kinds of cells that a table has."""
    for kind, key in KEYS.items():
        if kind is not but and any(isinstance(cell, kind) for row in table.rows for cell in row):
            yield key
