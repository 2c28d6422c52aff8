"""`treewright version` and `treewright --version`."""

import typer

from treewright import __version__


def command() -> None:
    """Show the version of Treewright."""
    typer.echo(f"treewright {__version__}")


def print_and_exit(wanted: bool) -> None:
    """Callback of the `--version` option."""
    if wanted:
        command()
        raise typer.Exit
