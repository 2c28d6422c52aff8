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
        str | None,
        typer.Option(
            "--format",
            help="Output format: json for every kind; ccg: auto, parg, deps, conllu, xml, prolog,"
            " latex, drawing; const: brackets, drawing; dep: conllu, drawing; pos, super: text.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="A file instead of stdout, written as a whole.")
    ] = None,
    k_best: Annotated[int, typer.Option(min=1, help="Number of analyses per sentence.")] = 1,
    marginals: Annotated[
        bool, typer.Option("--marginals", help="Add posterior probabilities; --format json only.")
    ] = False,
    decoder: Annotated[
        str | None,
        typer.Option(
            help="viterbi or min-risk; ccg: also bp and dd; const: also max-f1."
            " Default: the model's own."
        ),
    ] = None,
    beam: Annotated[
        str | None,
        typer.Option(help="ccg: BETA[:CUTOFF] of the supertagger; dep: number of states."),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(help="ccg: adaptive, reverse, quick, or beams separated by commas."),
    ] = None,
    tagged: Annotated[
        bool, typer.Option("--tagged", help="Tokens are word|POS; ccg, const and super.")
    ] = False,
    tokens: Annotated[
        bool,
        typer.Option(
            "--tokens", help="Text has tokens separated by spaces, and one sentence per line."
        ),
    ] = False,
    sentences: Annotated[
        bool,
        typer.Option("--sentences", help="Text has one sentence per line, to be tokenised."),
    ] = False,
    jobs: Annotated[
        int, typer.Option(min=0, help="Processes; 0: one for each core, one for a pipe.")
    ] = 0,
    ray: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a Ray cluster: auto or an address."),
    ] = None,
) -> None:
    """Parse sentences with a trained model."""
    from treewright.models.contract import TextInput
    from treewright.models.parsing import FileParser, ParseOptions
    from treewright.storage.atomic import write_file

    if tokens and sentences:
        raise typer.BadParameter("--tokens or --sentences, not both", param_hint="--tokens")
    text: TextInput | None = "tokens" if tokens else "sentences" if sentences else None
    options = ParseOptions(k_best, decoder, beam, schedule, tagged, marginals, text)
    parser = FileParser(model, form, options)
    if parser.form not in parser.model.formats:
        known = ", ".join(parser.model.formats)
        raise typer.BadParameter(f"{parser.form!r} is not one of {known}", param_hint="--format")
    path = STDIN if str(source) == "-" else source
    blocks = parser.by_processes(path, jobs) if ray is None else parser.on_cluster(path, ray)
    if out is None:
        for block in blocks:
            typer.echo(block, nl=False)
    else:
        write_file(out, _shown(blocks))


def _shown(blocks: Iterator[str]) -> Iterator[str]:
    """The blocks, counted on the terminal; the count begins after processes were forked."""
    from treewright.train.progress import progress

    for first in blocks:
        with progress("parsed", None) as bar:
            yield bar.passing(first)
            yield from map(bar.passing, blocks)
