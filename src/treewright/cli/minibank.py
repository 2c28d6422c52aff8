"""`treewright minibank`: a small English treebank, sampled from a grammar."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treewright.data.records import Derivation


def command(
    out: Annotated[Path, typer.Option(help="Output directory.")],
    sentences: Annotated[
        int, typer.Option(help="Number of training sentences. The dev set is a tenth of that.")
    ] = 2000,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    hard: Annotated[
        bool, typer.Option("--hard", help="Sample more ambiguous sentences with fewer cues.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Sample a small English treebank in AUTO, PARG, bracket and CoNLL-U format."""
    from treewright.minibank.write import dev_size, write_minibank

    write_minibank(out, sentences, seed, force=force, hard=hard, progress=_bar)
    typer.echo(f"{out}: {sentences} training and {dev_size(sentences)} dev sentences")


def _bar(derivations: "Iterable[Derivation]", total: int) -> "Iterable[Derivation]":
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    off = not console.is_terminal
    return track(derivations, "sampling", total, console=console, disable=off)
