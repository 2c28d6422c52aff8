"""The `treewright` command: the list of commands, and the wrapper that reports their errors."""

import os
import sys
import warnings
from dataclasses import dataclass
from typing import Annotated

import typer

from treewright.cli import (
    compare,
    convert,
    demo,
    experiment,
    hold_out,
    info,
    minibank,
    models,
    oracle,
    pack,
    parse,
    reorder,
    runs,
    serve,
    significance,
    store,
    tag,
    train,
    version,
)
from treewright.cli import eval as evaluation
from treewright.cli.guard import GuardedGroup, end_on_signals, report


@dataclass
class Session:
    """Options shared by all commands."""

    debug: bool = False


app = typer.Typer(
    name="treewright",
    cls=GuardedGroup,
    help="Train parsers for the metric they will be judged by.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


@app.callback()
def options(
    context: typer.Context,
    debug: Annotated[
        bool,
        typer.Option("--debug", envvar="TREEWRIGHT_DEBUG", help="Show the traceback of an error."),
    ] = False,
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=version.print_and_exit, is_eager=True, help="Show the version."
        ),
    ] = False,
) -> None:
    """Options before the command name."""
    context.ensure_object(Session).debug = debug


app.command("train")(train.command)
app.command("parse", context_settings={"allow_extra_args": True})(parse.command)
app.command("tag")(tag.command)
app.command("eval")(evaluation.command)
app.command("compare")(compare.command)
app.command("significance")(significance.command)
app.command("oracle")(oracle.command)
app.command("models")(models.command)
app.command("pack")(pack.command)
app.command("runs")(runs.command)
app.command("minibank")(minibank.command)
app.add_typer(convert.app, name="convert", cls=GuardedGroup)
app.command("reorder")(reorder.command)
app.command("serve")(serve.command)
app.command("hold-out")(hold_out.command)
app.command("experiment")(experiment.command)
app.add_typer(store.app, name="store", cls=GuardedGroup)
app.command("demo")(demo.command)
app.command("info")(info.command)
app.command("version")(version.command)


def run() -> None:
    """Entry point: runs a command and exits; every error is one line on stderr."""
    session = Session()
    end_on_signals()
    warnings.showwarning = _show_warning
    try:
        try:
            app(prog_name="treewright", obj=session)
        finally:
            if sys.stdout is not None:  # it is closed
                sys.stdout.flush()
    except BrokenPipeError:
        _discard_stdout()
        sys.exit(1)
    except Exception as error:  # the last line of defence
        if session.debug:
            raise
        sys.exit(report(error))


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Prints a warning as one line on stderr."""
    print(f"treewright: warning: {message}", file=sys.stderr)  # noqa: T201


def _discard_stdout() -> None:
    """Points stdout at nothing, so that the interpreter's last flush cannot fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
