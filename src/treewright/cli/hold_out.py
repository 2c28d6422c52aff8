"""`treewright hold-out`: split a test set off a treebank."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import Seed


def command(
    treebank: Annotated[Path, typer.Argument(help="Treebank: .auto, .mrg, .conllu or .conllx.")],
    out: Annotated[
        Path, typer.Option(help="Output directory for train, test and test.ids (sentence ids).")
    ],
    share: Annotated[float, typer.Option(help="Fraction of sentences in the test set.")] = 0.1,
    seed: Seed = 2011,
) -> None:
    """Split a test set off a treebank, keeping identical sentences together."""
    from treewright.data.held_out import cut

    parts = cut(treebank, out, seed, share)
    typer.echo(f"{out}: {parts.train} training and {parts.test} test sentences")
