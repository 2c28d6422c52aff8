"""`treewright parse`: sentences in, analyses out."""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.options import Ray
from treewright.errors import FormatError, TreewrightError

if TYPE_CHECKING:
    from treewright.models.reading import TextInput

STDIN = Path("/dev/stdin")
FILE_NAME = re.compile(r"\S*(?:/\S*|\.\w+)")  # a single word with a slash or suffix is a file name


@contextmanager
def opened(source: str) -> Iterator[Path]:
    """The file to read; text is written to a temporary file."""
    if source == "-":
        if sys.stdin is None:
            raise TreewrightError("standard input is closed: give a file or text")
        if sys.stdin.isatty():
            typer.echo("treewright: reading from the terminal; press Ctrl-D to finish", err=True)
        yield STDIN
    elif is_text(source):
        with TemporaryDirectory() as directory:
            file = Path(directory) / "text.txt"
            # The original bytes, whether they are UTF-8 or not.
            file.write_bytes(os.fsencode(source + "\n"))
            try:
                yield file
            except FormatError as error:
                raise FormatError("text", error.line, error.message) from error
    else:
        yield Path(source)


def is_text(source: str) -> bool:
    """Whether an argument is text: there is no such file, and it does not look like a file name."""
    try:
        named = source and Path(source).exists()
        return not named and FILE_NAME.fullmatch(source) is None
    except (OSError, ValueError):  # too long for a name, or with a NUL
        return True


def command(
    context: typer.Context,
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|TEXT|-",
            help="Input file or text. Default: standard input (-). A single word with a slash or"
            " suffix, such as text.txt, is always a file.",
        ),
    ] = "-",
    model: Annotated[
        Path | None,
        typer.Option(
            help="Model directory, or name of an installed model (see `treewright models`)."
            " Default: the installed model."
        ),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Output format. All kinds: json, svg, html; ccg, const, dep: drawing, latex; ccg:"
            " auto, parg, deps, grs, sem, sem-tree, sem-json, conllu, xml, prolog; const:"
            " brackets; dep: conllu; pos, super: text; tok: conllu, text.",
        ),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Output file. Default: standard output.")] = None,
    k_best: Annotated[int, typer.Option(min=1, help="Number of analyses per sentence.")] = 1,
    marginals: Annotated[
        bool,
        typer.Option(
            "--marginals",
            help="Add marginal probabilities: numbers in json, shading in svg and html.",
        ),
    ] = False,
    decoder: Annotated[
        str | None,
        typer.Option(
            help="Decoder: viterbi or min-risk; ccg: also bp and dd; const: also max-f1."
            " Default: the model's own."
        ),
    ] = None,
    beam: Annotated[
        str | None,
        typer.Option(help="Beam. ccg: supertagger beam, BETA[:CUTOFF]; dep: beam size."),
    ] = None,
    schedule: Annotated[
        str | None,
        typer.Option(
            help="ccg: beam schedule: adaptive, reverse, quick, or beams separated by commas."
        ),
    ] = None,
    tagged: Annotated[
        bool, typer.Option("--tagged", help="ccg, const, super: read tokens as word|POS.")
    ] = False,
    retag: Annotated[
        bool,
        typer.Option("--retag", help="Predict tags even if the input has them."),
    ] = False,
    tokens: Annotated[
        bool,
        typer.Option(
            "--tokens", help="Read text with one sentence per line and spaces between tokens."
        ),
    ] = False,
    sentences: Annotated[
        bool,
        typer.Option("--sentences", help="Read untokenised text with one sentence per line."),
    ] = False,
    raw: Annotated[
        bool,
        typer.Option("--raw", help="Read raw text: split it into sentences and tokens."),
    ] = False,
    tokeniser: Annotated[
        Path | None,
        typer.Option(help="Tokeniser: a model of kind tok, or a dep model that includes one."),
    ] = None,
    max_words: Annotated[
        int | None,
        typer.Option(
            min=1, help="Skip sentences longer than this. Default: the model's own limit."
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            min=0, help="Number of processes. 0: one per core, or one if the input is a pipe."
        ),
    ] = 0,
    ray: Ray = None,
) -> None:
    """Parse text with an installed model or your own."""
    from treewright.models.parsing import FileParser, ParseOptions

    _check_paths(source, context.args, out)
    options = ParseOptions(
        k_best=k_best,
        decoder=decoder,
        beam=beam,
        schedule=schedule,
        tagged=tagged,
        marginals=marginals,
        text=_text_input({"raw": raw, "sentences": sentences, "tokens": tokens}),
        tokeniser=tokeniser,
        retag=retag,
        max_words=max_words,
    )
    parser = FileParser(model or _default_model(), form, options)
    if parser.form not in parser.model.formats:
        known = ", ".join(parser.model.formats)
        raise typer.BadParameter(f"{parser.form!r} is not one of {known}", param_hint="--format")
    with opened(source) as path:
        blocks = parser.by_processes(path, jobs) if ray is None else parser.on_cluster(path, ray)
        _write(blocks, out)


def _check_paths(source: str, others: Sequence[str], out: Path | None) -> None:
    """Raises an error for several inputs, and if the output would replace the input."""
    if others:
        raise typer.BadParameter(
            f"one FILE or TEXT, but {others[0]!r} follows: quote a text; for several files,"
            " use cat FILES | treewright parse",
            param_hint="FILE|TEXT|-",
        )
    is_file = not is_text(source) and Path(source).exists()
    if out is not None and is_file and out.exists() and out.samefile(source):
        raise typer.BadParameter("this is the input file", param_hint="--out")


def _text_input(named: Mapping["TextInput", bool]) -> "TextInput | None":
    """The type of text that the user gave, if any."""
    chosen = [name for name, given in named.items() if given]
    if len(chosen) > 1:
        raise typer.BadParameter(
            "use only one of --raw, --sentences and --tokens", param_hint="--tokens"
        )
    return chosen[0] if chosen else None


def _default_model() -> Path:
    from treewright.models.installed import default_model

    model = default_model()
    typer.echo(f"treewright: using model {model} (choose another with --model)", err=True)
    return Path(model)


def _write(blocks: Iterator[str], out: Path | None) -> None:
    from treewright.storage.atomic import write_file

    if out is not None:
        write_file(out, _shown(blocks))
        return
    for block in blocks:
        typer.echo(block, nl=False)


def _shown(blocks: Iterator[str]) -> Iterator[str]:
    """The blocks with a progress count on the terminal; it starts after processes were forked."""
    from treewright.train.progress import progress

    for first in blocks:
        with progress("parsed", None) as bar:
            yield bar.passing(first)
            yield from map(bar.passing, blocks)
