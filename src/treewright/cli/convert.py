"""`treewright convert`: treebanks of one formalism made from treebanks of another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treewright.convert.ptb_ccg import Converted

app = typer.Typer(help="Make treebanks from other treebanks.", no_args_is_help=True)
Trees = Annotated[
    list[Path], typer.Argument(metavar="TREES...", help="Bracket files, or directories of them.")
]


@app.command("ptb-ccg")
def ptb_ccg(
    trees: Trees,
    auto: Annotated[Path, typer.Option(help="The AUTO file to write: derivations.")],
    parg: Annotated[Path, typer.Option(help="The PARG file to write: dependencies.")],
    report: Annotated[Path, typer.Option(help="The JSON file to write: counts and causes.")],
    arguments: Annotated[
        Path | None,
        typer.Option(help="Lists of verbs and prepositions, from `treewright convert arguments`."),
    ] = None,
) -> None:
    """Convert Penn-style trees with function tags and traces to CCG derivations."""
    from treewright.convert.arguments import known_arguments, read_arguments
    from treewright.convert.ptb_ccg import convert_files
    from treewright.convert.write import summary, write_results

    known = read_arguments(arguments) if arguments else known_arguments()
    results = list(_bar(convert_files(trees, known)))
    write_results(results, auto, parg, report)
    typer.echo(summary(results))


@app.command("arguments")
def arguments_of(
    trees: Trees,
    out: Annotated[Path, typer.Option(help="The TOML file to write.")],
) -> None:
    """Learn from Penn-style trees which verbs take which prepositions."""
    from treewright.convert.learn import format_arguments, learn
    from treewright.convert.ptb_ccg import named_trees
    from treewright.storage.atomic import write_file

    learnt = learn(tree for _, tree in named_trees(trees))
    write_file(out, [format_arguments(learnt)])
    words = sum(len(verbs) for verbs in learnt.verbs_with.values())
    typer.echo(f"{out}: {words} pairs of a verb and a preposition")


def _bar(results: "Iterable[Converted]") -> "Iterable[Converted]":
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(results, "converting", console=console, disable=not console.is_terminal)
