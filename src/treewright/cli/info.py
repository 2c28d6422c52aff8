"""`treewright info`: the facts about the installation that a bug report or a benchmark needs."""

import typer


def command() -> None:
    """Show versions, compiler and instruction set, for bug reports."""
    facts = collect()
    width = max(map(len, facts))
    for name, value in facts.items():
        typer.echo(f"{name:<{width}}  {value}")


def collect() -> dict[str, str]:
    """The facts by name, in the order in which they are shown."""
    from treewright.train.setup import environment

    return environment()
