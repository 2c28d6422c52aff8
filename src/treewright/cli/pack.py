"""`treewright pack`: write a smaller copy of a model."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    model: Annotated[
        Path,
        typer.Argument(help="Model directory or installed model."),
    ],
    out: Annotated[Path, typer.Option(help="Output directory.")],
    bits: Annotated[int, typer.Option(help="Bits per weight: 4, 8 or 16.")] = 8,
    prune: Annotated[
        float,
        typer.Option(
            help="Pruning strength, from 0 (keep all weights) to 10. 1 hardly changes scores."
        ),
    ] = 1.0,
) -> None:
    """Prune and quantise a model."""
    from treewright.models.installed import model_directory
    from treewright.models.packing import PackSettings, directory_bytes, pack

    directory = model_directory(model)
    pack(directory, out, PackSettings(bits, prune))
    before, after = directory_bytes(directory) / 1e6, directory_bytes(out) / 1e6
    typer.echo(f"{out}: {after:.1f} MB (was {before:.1f} MB)")
