"""`treewright experiment`: reproduce tables and figures of papers."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import Changes, Ray, Seed, Threads


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Experiment name, as paper/table. Without it, list all experiments.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Output directory. Default: experiments/NAME.")
    ] = None,
    seed: Seed = 0,
    threads: Threads = 0,
    ray: Ray = None,
    changes: Changes = None,
) -> None:
    """Reproduce an experiment of a paper; write Markdown, HTML, JSON and figures."""
    from treewright.errors import ConfigError
    from treewright.experiments import all_experiments, experiment_named
    from treewright.experiments.experiment import Context
    from treewright.experiments.files import run_experiment, settings_of

    if name is None:
        for each in all_experiments().values():
            typer.echo(f"{each.name}  {each.title}")
        return
    experiment = experiment_named(name)
    if ray is not None and not experiment.ray:
        raise ConfigError(f"{name} runs in one process and does not support --ray")
    settings = settings_of(experiment, changes or [])
    place = out or Path("experiments") / name
    typer.echo(run_experiment(experiment, Context(settings, place, seed, threads, ray)))
