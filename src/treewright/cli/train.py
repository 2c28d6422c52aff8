"""`treewright train`: train a model from a configuration."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.guard import InterruptError
from treewright.cli.options import Changes, Ray, Threads


def command(
    config: Annotated[
        Path | None,
        typer.Argument(metavar="CONFIG.toml", help="Training configuration."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(help="Run directory. Default: runs/NAME, with the name of the configuration."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run, or start it if it does not exist.")
    ] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Discard an unfinished run and start again.")
    ] = False,
    threads: Threads = 0,
    seed: Annotated[
        int | None,
        typer.Option(min=0, help="Random seed. Overrides the configuration."),
    ] = None,
    ray: Ray = None,
    changes: Changes = None,
    allow_code: Annotated[
        bool,
        typer.Option(
            "--allow-code", help="Allow the configuration to run Python code (custom losses)."
        ),
    ] = False,
    defaults: Annotated[
        str | None,
        typer.Option(
            metavar="KIND",
            help="Print all settings of this kind of model with their defaults, and exit.",
        ),
    ] = None,
) -> None:
    """Train a model and write it to RUN/model."""
    if defaults is not None:
        return _print_defaults(defaults)
    from treewright.models import training
    from treewright.train.run import Run

    if config is not None:
        plan = training.read_plan(config, changes or [], seed)
        directory = run or Path("runs") / config.stem
    elif run is not None and resume and not changes and seed is None:
        plan, directory = training.resumed_plan(run), run
    else:
        raise typer.BadParameter(
            "give a configuration, or only --resume and --run", param_hint="CONFIG.toml"
        )
    if resume and restart:
        raise typer.BadParameter("use either --resume or --restart", param_hint="--restart")
    mode: training.Mode = "resume" if resume else "restart" if restart else "new"
    if allow_code:
        sys.path.insert(0, str(Path.cwd()))
    try:
        model = training.train(plan, Run(directory, threads, plan.seed, ray), mode, allow_code)
    except KeyboardInterrupt as error:
        raise InterruptError(error, training.continuation(directory)) from error
    typer.echo(str(model))
    typer.echo(training.outcome(directory), err=True)
    return None


def _print_defaults(name: str) -> None:
    from treewright.config import to_toml
    from treewright.models.kinds import kind_named

    typer.echo(f'kind = "{name}"\nseed = 0\n{to_toml(kind_named(name).settings)}', nl=False)
