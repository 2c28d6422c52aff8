"""`treewright parse`: sentences in, analyses out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

STDIN = Path("/dev/stdin")


def command(
    model: Annotated[Path, typer.Option(help="A model directory, as `train` writes it.")],
    source: Annotated[
        Path, typer.Argument(metavar="[FILE|-]", help="Sentences; - or nothing is stdin.")
    ] = Path("-"),
    form: Annotated[
        str | None, typer.Option("--format", help="Of the output; each kind of model has its own.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A file instead of stdout, written as a whole.")
    ] = None,
    k_best: Annotated[int, typer.Option(min=1, help="Analyses a sentence.")] = 1,
    decoder: Annotated[str | None, typer.Option(help="Instead of the model's own.")] = None,
    beam: Annotated[str | None, typer.Option(help="Instead of the model's own.")] = None,
    schedule: Annotated[str | None, typer.Option(help="A named schedule of beams.")] = None,
    tagged: Annotated[
        bool, typer.Option("--tagged", help="Text comes as word|POS; for CCG models.")
    ] = False,
    jobs: Annotated[int, typer.Option(min=0, help="Threads; 0 is as many as there are.")] = 0,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a Ray cluster: auto or an address."),
    ] = None,
) -> None:
    """Parse sentences with a trained model."""
    from treewright.data.atomic import write_file
    from treewright.models.kinds import ParseOptions, load
    from treewright.models.parsing import parse_on_cluster

    parser = load(model)
    chosen = form or parser.formats[0]
    if chosen not in parser.formats:
        known = ", ".join(parser.formats)
        raise typer.BadParameter(f"{chosen!r} is not one of {known}", param_hint="--format")
    options = ParseOptions(k_best, decoder, beam, schedule, jobs, out is not None, tagged)
    path = STDIN if str(source) == "-" else source
    if ray is None:
        blocks = parser.parse_file(path, chosen, options)
    else:
        blocks = parse_on_cluster(ray, model, path, chosen, options)
    if out is None:
        _print(blocks)
    else:
        write_file(out, blocks)


def _print(blocks: Iterator[str]) -> None:
    for block in blocks:
        typer.echo(block, nl=False)
