"""`treewright eval`: score the output of a parser against a treebank."""

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
    SkipBad,
    given,
    show,
)

GOLD_HELP = (
    "Gold treebank. ccg: AUTO or PARG; const: brackets; dep, tok: CoNLL-U; pos: AUTO or word|POS;"
    " super: AUTO or word|POS|category."
)


def command(
    kind: KindName,
    gold: Annotated[Path, typer.Option(help=GOLD_HELP)],
    pred: Annotated[Path, typer.Option(help="Parser output, in one of these formats.")],
    as_json: Json = False,
    rules: Rules = None,
    known: Known = None,
    clark_curran: ClarkCurran = None,
    skip_bad: SkipBad = None,
    reorder: Reorder = None,
    page: Page = None,
    marginals: Annotated[
        Path | None,
        typer.Option(
            help="Output of `parse --format json --marginals`. Adds calibration to --report."
        ),
    ] = None,
) -> None:
    """Score the output of a parser or tagger against a treebank."""
    from treewright.data.lines import check_rereadable
    from treewright.errors import ConfigError
    from treewright.models.evaluation import options_of
    from treewright.models.kinds import evaluation_of
    from treewright.report.pages import eval_page
    from treewright.storage.atomic import write_file

    if page is not None:
        check_rereadable(pred, gold)
    if marginals is not None and page is None:
        raise ConfigError("--marginals needs --report: calibration is part of the report")
    evaluation = evaluation_of(kind)
    asked = given(
        rules=rules, known=known, clark_curran=clark_curran, skip_bad=skip_bad, reorder=reorder
    )
    report = evaluation.report(pred, gold, options_of(kind, evaluation.options, asked))
    if page is not None:
        write_file(page, [eval_page(kind, pred, gold, report, marginals)])
    show(report, as_json)
