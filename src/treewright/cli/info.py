"""`treewright info`: facts about the installation for bug reports and benchmarks."""

import typer


def command() -> None:
    """Show versions, compiler and instruction set for bug reports."""
    facts = collect()
    width = max(map(len, facts))
    for name, value in facts.items():
        typer.echo(f"{name:<{width}}  {value}")


def collect() -> dict[str, str]:
    """The facts by name, in display order."""
    from treewright.train.setup import environment

    return environment()
