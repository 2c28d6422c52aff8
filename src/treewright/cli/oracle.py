"""`treewright oracle`: oracle scores of a model's search space."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from treewright.cli.options import Json, given, show

T = TypeVar("T", int, float)


def command(
    model: Annotated[Path, typer.Option(help="Model directory.")],
    gold: Annotated[Path, typer.Option(help="Gold treebank, in the model's training format.")],
    kind: Annotated[
        str | None, typer.Option(help="Expected kind of model. Fail if the model has another kind.")
    ] = None,
    betas: Annotated[
        str | None,
        typer.Option(help="ccg, pos, super: tagger beams, separated by commas."),
    ] = None,
    cutoff: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="ccg, pos, super: tag dictionary cutoff. Default for ccg: 20, or 150 for 0.001.",
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0, help="ccg: pruning margin. Overrides both margins of the model. inf: no pruning."
        ),
    ] = None,
    max_items: Annotated[
        int | None, typer.Option(min=1, help="ccg: maximum number of items in a chart.")
    ] = None,
    thresholds: Annotated[
        str | None, typer.Option(help="const: pruning thresholds, separated by commas.")
    ] = None,
    max_words: Annotated[
        int | None, typer.Option(min=1, help="const: maximum sentence length. Default: 40.")
    ] = None,
    sizes: Annotated[
        str | None, typer.Option(help="dep: k-best list sizes, separated by commas.")
    ] = None,
    sentences: Annotated[
        int | None, typer.Option(min=0, help="Use only the first sentences. 0: all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Compute oracle scores: the best and worst analyses in a model's search space."""
    from treewright.models.evaluation import options_of
    from treewright.models.kinds import kind_named, load

    loaded = load(model, kind)
    oracle = kind_named(loaded.kind).oracle
    chosen = given(
        betas=_numbers(betas, float, "--betas"),
        cutoff=cutoff,
        margin=margin,
        max_items=max_items,
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
        raise typer.BadParameter(f"{text!r} is not a list of numbers", param_hint=option) from None
