"""`treewright store`: inspect and verify a store of training forests."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.guard import USER_ERROR, report

app = typer.Typer(help="Inspect stores of training forests.", no_args_is_help=True)
File = Annotated[Path, typer.Argument(metavar="FILE", help="Forest store.")]


@app.command()
def info(file: File) -> None:
    """Show the size of a store."""
    from rich.console import Console
    from rich.table import Table

    from treewright.forests import ForestStore

    with ForestStore(file) as store:
        totals = store.info()
    table = Table("", "total", title=str(file), title_justify="left")
    table.columns[1].justify = "right"
    for name in ("records", "nodes", "edges", "parts", "entries", "bytes"):
        table.add_row(
            "feature entries" if name == "entries" else name, f"{getattr(totals, name):,}"
        )
    table.add_row("structure bytes per edge", f"{totals.structure_bytes_per_edge:.2f}")
    table.add_row("bytes per edge", f"{totals.bytes_per_edge:.2f}")
    Console().print(table)


@app.command()
def verify(file: File) -> None:
    """Check every record and print one line per damaged record."""
    from rich.console import Console
    from rich.progress import track

    from treewright.forests import ForestStore

    console = Console(stderr=True)
    progress = partial(track, console=console, disable=not console.is_terminal)
    with ForestStore(file) as store:
        problems = list(store.verify(progress))
    for problem in problems:
        report(problem)
    if problems:
        raise typer.Exit(USER_ERROR)
    typer.echo(f"{file}: {len(store)} records, no damage found")
