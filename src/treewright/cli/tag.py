"""`treewright tag`: tag words with parts of speech or CCG categories."""

from pathlib import Path
from typing import Annotated

import typer

STDIN = Path("/dev/stdin")


def command(
    model: Annotated[Path, typer.Option(help="Model directory (kind pos or super).")],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Input file, one sentence per line. -: standard input."
        ),
    ] = Path("-"),
    tagged: Annotated[bool, typer.Option("--tagged", help="Read tokens as word|POS.")] = False,
    multi: Annotated[bool, typer.Option("--multi", help="Print several tags per word.")] = False,
    beta: Annotated[
        float | None,
        typer.Option(
            help="With --multi: minimum probability, relative to the best tag. Default: 0.01."
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(min=0, help="Tag dictionary cutoff. Default: the model's own."),
    ] = None,
    form: Annotated[str, typer.Option("--format", help="Output format: text or json.")] = "text",
) -> None:
    """Tag sentences with parts of speech or, with a supertagger, CCG categories."""
    from treewright.models.tagging.files import TagOptions, load_tagger, tag_file

    if beta is not None and not multi:
        raise typer.BadParameter("needs --multi", param_hint="--beta")
    several = (0.01 if beta is None else beta) if multi else None
    options = TagOptions(form, tagged, several, k)
    for line in tag_file(load_tagger(model), STDIN if str(source) == "-" else source, options):
        typer.echo(line, nl=False)
