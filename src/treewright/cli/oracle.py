"""`treewright oracle`: the best and the worst analyses in a model's search space."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from treewright.cli.options import Json, given, show

T = TypeVar("T", int, float)


def command(
    model: Annotated[Path, typer.Option(help="Model directory.")],
    gold: Annotated[
        Path, typer.Option(help="Gold treebank, in a format that the model trains on.")
    ],
    kind: Annotated[
        str | None, typer.Option(help="Kind of model. A model of another kind is an error.")
    ] = None,
    betas: Annotated[
        str | None,
        typer.Option(help="ccg, pos, super: beams of the tagger, separated by commas."),
    ] = None,
    cutoff: Annotated[
        int | None, typer.Option(min=0, help="ccg, pos, super: cutoff of the word dictionary.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(min=0, help="ccg: margin of the charts, in place of both of the model's own."),
    ] = None,
    thresholds: Annotated[
        str | None, typer.Option(help="const: pruning thresholds, separated by commas.")
    ] = None,
    max_words: Annotated[
        int | None, typer.Option(min=1, help="const: leave out longer sentences. Default: 40.")
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(help="dep: lengths of k-best lists, separated by commas.")
    ] = None,
    sentences: Annotated[
        int | None, typer.Option(min=0, help="Number of sentences, from the first; 0: all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Score the best and the worst analyses in a model's charts, beams or lists."""
    from treewright.models.evaluation import options_of
    from treewright.models.kinds import kind_named, load

    loaded = load(model, kind)
    oracle = kind_named(loaded.kind).oracle
    chosen = given(
        betas=_numbers(betas, float, "--betas"),
        cutoff=cutoff,
        margin=margin,
        thresholds=_numbers(thresholds, float, "--thresholds"),
        max_words=max_words,
        sizes=_numbers(sizes, int, "--sizes"),
        sentences=sentences,
    )
    show(oracle.report(loaded, gold, options_of(loaded.kind, oracle.options, chosen)), as_json)


def _numbers(text: str | None, number: Callable[[str], T], option: str) -> list[T] | None:
    """Numbers separated by commas."""
    try:
        return None if text is None else [number(each) for each in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no list of numbers", param_hint=option) from None
