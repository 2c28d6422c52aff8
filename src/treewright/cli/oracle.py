"""`treewright oracle`: the best and the worst parses that a parser's charts hold."""

import json
from pathlib import Path
from typing import Annotated

import typer

BETAS = "0.075,0.03,0.01,0.005,0.001"


def command(
    model: Annotated[Path, typer.Option(help="A CCG model directory, as `train` writes it.")],
    gold: Annotated[Path, typer.Option(help="Derivations in an AUTO file.")],
    betas: Annotated[str, typer.Option(help="Beams of the supertagger, by commas.")] = BETAS,
    cutoff: Annotated[int, typer.Option(min=0, help="Of the word dictionary.")] = 20,
    sentences: Annotated[int, typer.Option(min=0, help="The first so many; 0 is all.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Labelled F1 of the best and the worst parse in the charts, at each beam."""
    from rich.console import Console
    from rich.table import Table

    from treewright.data.auto import read_auto
    from treewright.models.ccg import CcgModel
    from treewright.models.kinds import load
    from treewright.report.ccg_oracle import ccg_oracle

    found = load(model)
    if not isinstance(found, CcgModel):
        raise typer.BadParameter(f"{model} is no CCG model", param_hint="--model")
    derivations = list(read_auto(gold))[: sentences or None]
    rows = ccg_oracle(found.parser, derivations, _betas(betas), cutoff)
    if as_json:
        values = [
            {"beta": row.beam.beta, "categories": row.categories, "coverage": row.coverage}
            | {"best": row.best.score().as_dict(), "worst": row.worst.score().as_dict()}
            for row in rows
        ]
        typer.echo(json.dumps(values))
        return
    table = Table(title="Labelled F1 of parses in the charts")
    for name in ("beta", "categories/word", "coverage", "best F", "P", "R", "worst F", "P", "R"):
        table.add_column(name, justify="right")
    for row in rows:
        best, worst = row.best.score(), row.worst.score()
        figures = (row.coverage, best.f, best.p, best.r, worst.f, worst.p, worst.r)
        shown = [f"{100 * figure:.2f}" for figure in figures]
        table.add_row(f"{row.beam.beta:g}", f"{row.categories:.2f}", *shown)
    Console().print(table)


def _betas(text: str) -> list[float]:
    try:
        found = [float(beta) for beta in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no list of numbers", param_hint="--betas") from None
    if not all(0 < beta <= 1 for beta in found):
        raise typer.BadParameter("every beta lies in 0 to 1", param_hint="--betas")
    return found
