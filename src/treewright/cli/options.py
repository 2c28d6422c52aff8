"""Options that several commands share."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from treewright.models.evaluation import Report

Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
Threads = Annotated[int, typer.Option(min=0, help="Number of threads; 0: all.")]
Samples = Annotated[int, typer.Option(min=1, help="Number of samples in the resampling tests.")]
Ray = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Use a Ray cluster: auto, or HOST:PORT.")
]
Changes = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one setting.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Page = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write a report, one HTML file.")
]
KindName = Annotated[
    str,
    typer.Option(
        "--kind", help="Kind of analysis: ccg, const, dep, pos, super, tok, or one of a plug-in."
    ),
]
Rules = Annotated[
    str | None,
    typer.Option(
        help="const: count brackets as EVALB's COLLINS.prm (collins, the default) or new.prm (new)."
    ),
]
Known = Annotated[
    Path | None,
    typer.Option(help="pos, super: training data. Words that it lacks are scored separately."),
]
ClarkCurran = Annotated[
    bool | None, typer.Option("--clark-curran", help="ccg: score as Clark and Curran (2007).")
]
SkipBad = Annotated[
    bool | None,
    typer.Option("--skip-bad", help="ccg: leave out sentences that no rule explains."),
]
Reorder = Annotated[
    str | None,
    typer.Option(
        help="dep: score the word orders that these rules give, too: a TOML file, or"
        " english-head-final."
    ),
]


def given(**options: object) -> dict[str, object]:
    """The options that the user gave."""
    return {name: value for name, value in options.items() if value is not None}


def show(report: "Report", as_json: bool) -> None:
    """Prints a report as JSON or as tables."""
    from treewright.report.tables import print_tables, rich_table

    if as_json:
        typer.echo(json.dumps(report.values))
    else:
        print_tables([rich_table(table) for table in report.tables])
