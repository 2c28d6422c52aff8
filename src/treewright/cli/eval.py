"""`treewright eval`: the scores of a parser's output against a treebank."""

import json
from pathlib import Path
from typing import Annotated

import typer

KIND_HELP = "Kind of analysis: ccg, const, dep, pos, super, tok, or one of another package."
GOLD_HELP = (
    "Gold treebank. ccg: AUTO or PARG; const: brackets; dep, tok: CoNLL-U; pos: AUTO or word|POS;"
    " super: AUTO or word|POS|category."
)
RULES_HELP = "const: count brackets as EVALB's COLLINS.prm (collins, the default) or new.prm (new)."
KNOWN_HELP = "pos, super: training data; its words are known, and others are scored apart."


def command(
    kind: Annotated[str, typer.Option(help=KIND_HELP)],
    gold: Annotated[Path, typer.Option(help=GOLD_HELP)],
    pred: Annotated[Path, typer.Option(help="Output of a parser, in one of these formats.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    rules: Annotated[str | None, typer.Option(help=RULES_HELP)] = None,
    known: Annotated[Path | None, typer.Option(help=KNOWN_HELP)] = None,
    clark_curran: Annotated[
        bool | None, typer.Option("--clark-curran", help="ccg: score as Clark and Curran (2007).")
    ] = None,
    skip_bad: Annotated[
        bool | None,
        typer.Option("--skip-bad", help="ccg: leave out sentences that no rule explains."),
    ] = None,
    page: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write a report, one HTML file."),
    ] = None,
) -> None:
    """Score the output of a parser or tagger against a treebank."""
    from treewright.models.evaluation import options_of
    from treewright.models.kinds import kind_named
    from treewright.report.pages import eval_page
    from treewright.report.score_tables import print_tables, rich_table
    from treewright.storage.atomic import write_file

    evaluation = kind_named(kind).evaluation
    asked = given(rules=rules, known=known, clark_curran=clark_curran, skip_bad=skip_bad)
    options = options_of(kind, evaluation.options, asked)
    report = evaluation.report(pred, gold, options)
    if page is not None:
        write_file(page, [eval_page(kind, pred, gold, report)])
    if as_json:
        typer.echo(json.dumps(report.values))
    else:
        print_tables([rich_table(table) for table in report.tables])


def given(**options: object) -> dict[str, object]:
    """The options that the user gave."""
    return {name: value for name, value in options.items() if value is not None}
