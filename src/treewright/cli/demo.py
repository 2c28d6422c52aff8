"""`treewright demo`: parsing and training on a sampled treebank."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from treewright.cli.options import Seed


def command(
    sentences: Annotated[int, typer.Option(min=20, help="Number of training sentences.")] = 1000,
    seed: Seed = 1,
    keep: Annotated[
        Path | None, typer.Option(help="Keep the treebank, runs and models in this directory.")
    ] = None,
) -> None:
    """Take a short tour: parse with an installed model, then train CCG parsers."""
    _first_parse()
    if keep is not None:
        return _demo(keep, sentences, seed)
    with TemporaryDirectory() as directory:
        return _demo(Path(directory), sentences, seed)


def _first_parse() -> None:
    """Parses a paragraph with the installed model, if there is one."""
    from treewright.errors import StoreError
    from treewright.models.installed import default_model
    from treewright.report.demo import PARAGRAPH, drawn

    try:
        name = default_model()
    except StoreError as error:
        return typer.echo(f"{error}\nThe tour starts with training.\n")
    typer.echo(f"{PARAGRAPH}\n\nParsed by the installed model {name!r}:\n")
    return typer.echo("\n".join(drawn(name, PARAGRAPH)))


def _demo(directory: Path, sentences: int, seed: int) -> None:
    from rich.console import Console

    from treewright.report.demo import SENTENCE, Demo
    from treewright.report.tables import demo_table

    console = Console()
    demo = Demo(directory, sentences, seed)
    console.print(f"Sampled {sentences} training and {len(demo.dev)} test sentences.")
    results = []
    for trained in demo.run():
        console.print(f"Trained for {trained.name}.", highlight=False)
        results.append(trained)
    drawn = str(results[-1].parser.parse(SENTENCE))
    console.print(f"\n{drawn}\n", highlight=False, markup=False, soft_wrap=True)
    console.print(demo_table(results))
