"""Options that several commands share."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from treewright.models.evaluation import Report

Seed = Annotated[int, typer.Option(min=0, help="Random seed.")]
Threads = Annotated[int, typer.Option(min=0, help="Number of threads. 0: all cores.")]
Samples = Annotated[int, typer.Option(min=1, help="Number of samples for resampling tests.")]
Ray = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Ray cluster to use: auto or HOST:PORT.")
]
Changes = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Override a setting. Can be repeated."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
Page = Annotated[
    Path | None, typer.Option("--report", metavar="FILE", help="Write an HTML report to this file.")
]
KindName = Annotated[
    str,
    typer.Option(
        "--kind", help="Kind of analysis: ccg, const, dep, pos, super, tok, or a plug-in's kind."
    ),
]
Rules = Annotated[
    str | None,
    typer.Option(
        help="const: EVALB parameters: collins (COLLINS.prm, the default) or new (new.prm)."
    ),
]
Known = Annotated[
    Path | None,
    typer.Option(help="pos, super: training data. Unknown words are scored separately."),
]
ClarkCurran = Annotated[
    bool | None, typer.Option("--clark-curran", help="ccg: score as Clark and Curran (2007).")
]
SkipBad = Annotated[
    bool | None,
    typer.Option(
        "--skip-bad",
        help="ccg: skip sentences that cannot be read or have a step that matches no rule.",
    ),
]
Reorder = Annotated[
    str | None,
    typer.Option(
        help="dep: also score reordering with these rules: a TOML file or english-head-final."
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
