"""`treewright oracle`: the best and the worst parses that a parser's charts hold."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.eval import Formalism

if TYPE_CHECKING:
    from treewright.metrics.counts import Counts
    from treewright.models.ccg.parser import CcgParser
    from treewright.models.constituency.parser import ConstParser

BETAS = "0.075,0.03,0.01,0.005,0.001"
THRESHOLDS = "0.1,0.01,0.001,0.0001"
TITLE = "Labelled F1 of parses in the charts; categories and edges are a word's"
Rows = Sequence[tuple[dict[str, object], Sequence[str], "Counts", "Counts"]]


def command(
    model: Annotated[Path, typer.Option(help="Model directory.")],
    gold: Annotated[Path, typer.Option(help="Gold treebank. ccg: AUTO; const: brackets.")],
    kind: Annotated[
        Formalism | None,
        typer.Option(help="Kind of model: ccg or const. Another model is an error."),
    ] = None,
    betas: Annotated[
        str, typer.Option(help="ccg: beams of the supertagger, separated by commas.")
    ] = BETAS,
    cutoff: Annotated[int, typer.Option(min=0, help="ccg: cutoff of the word dictionary.")] = 20,
    margin: Annotated[
        float | None,
        typer.Option(min=0, help="ccg: margin of the charts, in place of both of the model's own."),
    ] = None,
    thresholds: Annotated[
        str, typer.Option(help="const: pruning thresholds, separated by commas.")
    ] = THRESHOLDS,
    max_words: Annotated[int, typer.Option(min=1, help="const: leave out longer sentences.")] = 40,
    sentences: Annotated[
        int, typer.Option(min=0, help="Number of sentences, from the first; 0: all.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show the F1 of the best and worst parses in a model's charts, by beam or threshold."""
    from treewright.models.ccg.parser import CcgParser
    from treewright.models.constituency.parser import ConstParser
    from treewright.models.kinds import load

    found = load(model)
    if isinstance(found, CcgParser) and kind in (None, Formalism.CCG):
        columns: tuple[str, ...] = ("beta", "categories", "coverage")
        limits = _shares(betas, "--betas")
        rows = _ccg(found, gold, limits, cutoff, margin, sentences)
    elif isinstance(found, ConstParser) and kind in (None, Formalism.CONST):
        columns = ("threshold", "edges", "coverage", "exact")
        limits = _shares(thresholds, "--thresholds")
        rows = _const(found, gold, limits, max_words, sentences)
    elif kind is not None and found.kind != kind:
        raise typer.BadParameter(f"{model} is a model of kind {found.kind!r}, not {kind!r}")
    else:
        raise typer.BadParameter(
            f"{model}: models of kind {found.kind!r} have no oracle: only ccg and const have charts"
        )
    if as_json:
        typer.echo(json.dumps([values for values, *_ in rows]))
    else:
        _print(columns, rows)


def _ccg(
    model: "CcgParser",
    gold: Path,
    betas: Sequence[float],
    cutoff: int,
    margin: float | None,
    sentences: int,
) -> Rows:
    from treewright.data.auto import read_auto
    from treewright.report.oracle.ccg import ccg_oracle

    derivations = list(read_auto(gold))[: sentences or None]
    found = ccg_oracle(model, derivations, betas, cutoff, margin)
    return [
        (
            {"beta": row.beam.beta, "categories": row.categories, "coverage": row.coverage}
            | {"best": row.best.score().as_dict(), "worst": row.worst.score().as_dict()},
            (f"{row.beam.beta:g}", f"{row.categories:.2f}", f"{100 * row.coverage:.2f}"),
            row.best,
            row.worst,
        )
        for row in found
    ]


def _const(
    parser: "ConstParser", gold: Path, thresholds: Sequence[float], max_words: int, sentences: int
) -> Rows:
    from treewright.grammar.binarise import Binariser
    from treewright.models.constituency.data import read_items
    from treewright.report.oracle.constituency import const_oracle

    items = read_items(gold, Binariser(), max_words)[: sentences or None]
    return [
        (
            row.as_dict(),
            (
                f"{row.threshold:g}",
                f"{row.edges:.1f}",
                f"{100 * row.coverage:.2f}",
                f"{100 * row.exact:.2f}",
            ),
            row.best,
            row.worst,
        )
        for row in const_oracle(parser, items, thresholds)
    ]


def _print(columns: Sequence[str], rows: Rows) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(title=TITLE, box=SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    for name in (*columns, "best F", "P", "R", "worst F", "P", "R"):
        table.add_column(name, justify="right", min_width=len(name) if name in columns else 5)
    for _, shown, *extremes in rows:
        scores = [each.score() for each in extremes]
        figures = (100 * figure for s in scores for figure in (s.f, s.p, s.r))
        table.add_row(*shown, *(f"{figure:.2f}" for figure in figures))
    Console().print(table)


def _shares(text: str, option: str) -> list[float]:
    """Numbers by commas, all of them in 0 to 1."""
    try:
        found = [float(each) for each in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no list of numbers", param_hint=option) from None
    if not all(0 < each <= 1 for each in found):
        raise typer.BadParameter("every number lies in 0 to 1", param_hint=option)
    return found
