"""`treewright runs`: list training runs."""

import json
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import Json, Page


def command(
    directories: Annotated[
        list[Path],
        typer.Argument(metavar="DIR...", help="Run directories or their parent directories."),
    ],
    as_json: Json = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Plot learning curves to a .png or .svg file."),
    ] = None,
    page: Page = None,
) -> None:
    """List training runs and their scores; plot learning curves."""
    from rich.console import Console

    from treewright.report.pages import runs_page
    from treewright.report.plots import learning_curves, save_figure
    from treewright.report.tables import runs_table
    from treewright.storage.atomic import write_file
    from treewright.train.history import find_runs, read_history

    histories = [read_history(directory) for directory in find_runs(directories)]
    if plot is not None:
        save_figure(plot, lambda figure: learning_curves(figure, histories), 9, 5)
    if page is not None:
        write_file(page, [runs_page(histories)])
    if as_json:
        for history in histories:
            typer.echo(json.dumps(history.summary()))
    else:
        Console(markup=False, highlight=False).print(runs_table(histories))
