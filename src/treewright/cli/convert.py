"""`treewright convert`: convert treebanks from one formalism to another."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from treewright.convert.ptb_ccg import Converted

app = typer.Typer(help="Convert treebanks from one formalism to another.", no_args_is_help=True)
Trees = Annotated[
    list[Path],
    typer.Argument(
        metavar="TREES...", help="Bracket files, GENIA's XML files, or directories of them."
    ),
]


@app.command("ptb-ccg")
def ptb_ccg(
    trees: Trees,
    auto: Annotated[Path, typer.Option(help="Output AUTO file, for derivations.")],
    parg: Annotated[Path, typer.Option(help="Output PARG file, for dependencies.")],
    report: Annotated[
        Path, typer.Option(help="Output JSON file, for counts and reasons for failures.")
    ],
    arguments: Annotated[
        Path | None,
        typer.Option(help="Verb and preposition lists written by `treewright convert arguments`."),
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


@app.command("bank")
def bank(
    out: Annotated[Path, typer.Option(help="Output directory.")],
    train: Annotated[list[Path], typer.Option(help="Training trees. Can be repeated.")],
    dev: Annotated[
        list[Path] | None, typer.Option(help="Development trees. Can be repeated.")
    ] = None,
    name: Annotated[
        str, typer.Option(help="Treebank name. For ccg-craft and ccg-genia, the licence is added.")
    ] = "ccg",
) -> None:
    """Convert a whole treebank and write a directory with a README."""
    from treewright.convert.arguments import known_arguments
    from treewright.convert.bank import write_bank
    from treewright.convert.ptb_ccg import convert_files

    parts = {"train": train, **({"dev": dev} if dev else {})}
    known = known_arguments()
    converted = {part: _bar(convert_files(trees, known)) for part, trees in parts.items()}
    for line in write_bank(out, name, converted):
        typer.echo(line)


@app.command("arguments")
def arguments_of(
    trees: Trees,
    out: Annotated[Path, typer.Option(help="Output TOML file.")],
) -> None:
    """Learn which verbs take which prepositions from Penn-style trees."""
    from treewright.convert.learn import format_arguments, learn
    from treewright.convert.ptb_ccg import named_trees
    from treewright.storage.atomic import write_file

    learnt = learn(tree for _, tree in named_trees(trees))
    write_file(out, [format_arguments(learnt)])
    words = sum(len(verbs) for verbs in learnt.verbs_with.values())
    typer.echo(f"{out}: {words} verb-preposition pairs")


@app.command("agreement")
def agreement(
    auto: Annotated[Path, typer.Option(help="AUTO file written by `ptb-ccg`.")],
    gold: Annotated[
        Path, typer.Option(help="The same sentences with gold categories, as word|POS|category.")
    ],
    show: Annotated[int, typer.Option(help="Number of disagreements to list.")] = 20,
) -> None:
    """Compare the categories of derivations with hand-assigned categories."""
    from treewright.convert.agreement import compare, read_tagged
    from treewright.data.auto import read_auto

    found = compare(read_auto(auto), read_tagged(gold))
    typer.echo(
        f"{100 * found.share:.2f} % of {found.words:,} words agree. {found.sentences:,} sentences: "
        f"{found.missing} are missing, {found.unlike} have different words"
    )
    for (by_hand, assigned), count in found.confusions.most_common(show):
        typer.echo(f"{count:6}  {by_hand}  ->  {assigned}")


@app.command("statistics")
def statistics_of(
    auto: Annotated[Path, typer.Option(help="AUTO file of the treebank.")],
    parg: Annotated[Path | None, typer.Option(help="PARG file of the treebank.")] = None,
) -> None:
    """Print the statistics of a CCG treebank as JSON."""
    import json
    from dataclasses import asdict

    from treewright.convert.statistics import long_range_share, statistics
    from treewright.data.auto import read_auto
    from treewright.data.parg import read_parg

    totals: dict[str, object] = asdict(statistics(read_auto(auto)))
    if parg is not None:
        totals["long_range"] = long_range_share(read_parg(parg))
    typer.echo(json.dumps(totals, indent=2))


def _bar(results: "Iterable[Converted]") -> "Iterable[Converted]":
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    return track(results, "converting", console=console, disable=not console.is_terminal)
