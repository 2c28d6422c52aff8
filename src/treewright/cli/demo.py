"""`treewright demo`: the main job on a treebank that the project samples itself."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer


def command(
    sentences: Annotated[int, typer.Option(min=20, help="Number of training sentences.")] = 500,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 1,
    keep: Annotated[
        Path | None, typer.Option(help="Keep the treebank, runs and models in this directory.")
    ] = None,
) -> None:
    """Take a short tour: sample a treebank, train two CCG parsers, parse and score."""
    if keep is not None:
        return _demo(keep, sentences, seed)
    with TemporaryDirectory() as directory:
        return _demo(Path(directory), sentences, seed)


def _demo(directory: Path, sentences: int, seed: int) -> None:
    from rich.console import Console

    from treewright.report.demo import SENTENCE, Demo
    from treewright.report.tables import demo_table

    console = Console()
    demo = Demo(directory, sentences, seed)
    console.print(f"{sentences} sampled sentences to train on, {len(demo.dev)} to test on.")
    results = []
    for trained in demo.run():
        console.print(f"Trained for {trained.name}.", highlight=False)
        results.append(trained)
    drawn = str(results[-1].parser.parse(SENTENCE))
    console.print(f"\n{drawn}\n", highlight=False, markup=False, soft_wrap=True)
    console.print(demo_table(results))
