"""Tables of scores for the terminal."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table as RichTable

from treewright.models.evaluation import Table

WIDE = 120  # columns of a file or pipe: figures must not be cut there


def rich_table(table: Table) -> RichTable:
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
