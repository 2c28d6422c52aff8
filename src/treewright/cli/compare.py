"""`treewright compare`: significance tests on the output of two parsers."""

import json
from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import (
    ClarkCurran,
    Json,
    KindName,
    Known,
    Page,
    Reorder,
    Rules,
    Samples,
    Seed,
    SkipBad,
    given,
)


def command(
    kind: KindName,
    gold: Annotated[Path, typer.Option(help="Gold treebank, in any format that `eval` reads.")],
    first: Annotated[Path, typer.Argument(metavar="A", help="Output of the first parser.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Output of the second parser.")],
    as_json: Json = False,
    rules: Rules = None,
    known: Known = None,
    clark_curran: ClarkCurran = None,
    skip_bad: SkipBad = None,
    reorder: Reorder = None,
    samples: Samples = 10_000,
    seed: Seed = 0,
    page: Page = None,
) -> None:
    """Compare two parsers on every metric, with three significance tests."""
    from treewright.data.lines import check_rereadable
    from treewright.models.evaluation import options_of
    from treewright.models.kinds import evaluation_of
    from treewright.report.comparison import differences, differences_table
    from treewright.report.pages import compare_page
    from treewright.report.tables import print_tables
    from treewright.storage.atomic import write_file

    check_rereadable(gold, *([] if page is None else [first, second]))
    evaluation = evaluation_of(kind)
    asked = given(
        rules=rules, known=known, clark_curran=clark_curran, skip_bad=skip_bad, reorder=reorder
    )
    options = options_of(kind, evaluation.options, asked)
    a, b = (evaluation.counts(path, gold, options) for path in (first, second))
    rows = list(differences(a, b, samples, seed))
    if page is not None:
        write_file(page, [compare_page(kind, (first, second), gold, rows)])
    if as_json:
        for row in rows:
            typer.echo(json.dumps(row.as_dict()))
    else:
        print_tables([differences_table(rows, (str(first), str(second)))])
