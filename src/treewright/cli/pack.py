"""`treewright pack`: a model on fewer bytes."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    model: Annotated[
        Path,
        typer.Argument(help="A model directory, as `train` writes it, or an installed model."),
    ],
    out: Annotated[Path, typer.Option(help="Directory for the packed model.")],
    bits: Annotated[int, typer.Option(help="Bits per weight: 4, 8 or 16.")] = 8,
    prune: Annotated[
        float,
        typer.Option(
            help="How many small weights go, from 0 (none) to 10; 1 hardly changes any score."
        ),
    ] = 1.0,
) -> None:
    """Write a smaller copy of a model, with pruned and rounded weights."""
    from treewright.models.installed import model_directory
    from treewright.models.packing import PackSettings, directory_bytes, pack

    directory = model_directory(model)
    pack(directory, out, PackSettings(bits, prune))
    before, after = directory_bytes(directory) / 1e6, directory_bytes(out) / 1e6
    typer.echo(f"{out}: {after:.1f} MB, before {before:.1f} MB")
