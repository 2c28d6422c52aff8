"""`treewright train`: from a configuration to a model."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    config: Annotated[
        Path | None,
        typer.Argument(metavar="CONFIG.toml", help="What to train; see docs/training.md."),
    ] = None,
    run: Annotated[
        Path | None,
        typer.Option(help="The run directory; runs/ and the configuration's name if not given."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run, or begin it if there is none.")
    ] = False,
    threads: Annotated[int, typer.Option(min=0, help="0 is as many as there are.")] = 0,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the configuration's.")] = None,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a Ray cluster: auto or an address."),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one setting.")
    ] = None,
    defaults: Annotated[
        str | None, typer.Option(metavar="KIND", help="Only print every setting of a kind.")
    ] = None,
) -> None:
    """Train a model into RUN/model."""
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
        raise typer.BadParameter("give one, or --resume with --run alone", param_hint="CONFIG.toml")
    model = training.train(plan, Run(directory, threads, plan.seed, ray), resume)
    typer.echo(str(model))
    return None


def _print_defaults(name: str) -> None:
    from treewright.config import to_toml
    from treewright.models.kinds import kind_named

    typer.echo(f'kind = "{name}"\nseed = 0\n{to_toml(kind_named(name).settings)}', nl=False)
