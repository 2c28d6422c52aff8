"""`treewright hold-out`: a test part, cut off a treebank once."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import Seed


def command(
    treebank: Annotated[Path, typer.Argument(help="Treebank: .auto, .mrg or .conllu.")],
    out: Annotated[
        Path, typer.Option(help="Output directory for train, test and test.ids (sentence ids).")
    ],
    share: Annotated[float, typer.Option(help="Share of sentences in the test part.")] = 0.1,
    seed: Seed = 2011,
) -> None:
    """Cut a test part off a treebank; the words of a sentence decide where it goes."""
    from treewright.data.held_out import cut

    parts = cut(treebank, out, seed, share)
    typer.echo(f"{out}: {parts.train} sentences to train on, {parts.test} to test on")
