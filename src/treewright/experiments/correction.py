"""p-values of a table's rows, corrected for their number (Holm 1979).

A column named `p`, `p, ...` or `p against ...` has the p-values of its rows; they are one family.
"""

from collections.abc import Sequence
from dataclasses import replace

from treewright.experiments.experiment import Cell, PValue, Table
from treewright.metrics.significance import holm


def corrected(table: Table) -> Table:
    """The table with Holm's p-values beside those of each column that has several."""
    columns = list(zip(*table.rows, strict=True))
    for place, name in enumerate(table.columns):
        if columns and (name == "p" or name.startswith(("p, ", "p against "))):
            columns[place] = tuple(_corrected(columns[place]))
    return replace(table, rows=[list(row) for row in zip(*columns, strict=True)])


def _corrected(cells: Sequence[Cell]) -> list[Cell]:
    tested = [place for place, cell in enumerate(cells) if isinstance(cell, (float, str))]
    values = [float(cells[place]) for place in tested]  # type: ignore[arg-type]
    found = list(cells)
    if len(values) > 1:
        for place, value, adjusted in zip(tested, values, holm(values), strict=True):
            found[place] = PValue(value, adjusted)
    return found
