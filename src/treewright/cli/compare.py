"""`treewright compare`: two parsers' output against a treebank, and whether they differ."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.cli.eval import (
    BracketRules,
    Formalism,
    ccg_analyses,
    check_rules,
    errors_of,
    print_tables,
)

if TYPE_CHECKING:
    from treewright.metrics.sentences import NamedCounts


def command(
    kind: Annotated[Formalism, typer.Option(help="Kind of analysis.")],
    gold: Annotated[Path, typer.Option(help="Gold treebank, in a format that `eval` reads.")],
    first: Annotated[Path, typer.Argument(metavar="A", help="Output of the first parser.")],
    second: Annotated[Path, typer.Argument(metavar="B", help="Output of the second parser.")],
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object per metric.")
    ] = False,
    rules: Annotated[
        BracketRules | None,
        typer.Option(help="const: count brackets as EVALB's COLLINS.prm (default) or new.prm."),
    ] = None,
    samples: Annotated[
        int, typer.Option(min=1, help="Number of samples in the resampling tests.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the resampling tests.")] = 0,
) -> None:
    """Compare the output of two parsers in every metric, with three significance tests."""
    from treewright.report.comparison import differences, differences_table

    check_rules(kind, rules)
    readers: dict[Formalism, Callable[[Path, Path], NamedCounts]] = {
        Formalism.CCG: _ccg,
        Formalism.CONST: partial(_const, rules=rules or BracketRules.COLLINS),
        Formalism.DEP: _dep,
    }
    a, b = (readers[kind](path, gold) for path in (first, second))
    rows = list(differences(a, b, samples, seed))
    if as_json:
        for row in rows:
            typer.echo(json.dumps(row.as_dict()))
    else:
        print_tables([differences_table(rows, (str(first), str(second)))])


def _ccg(pred: Path, gold: Path) -> "NamedCounts":
    from treewright.metrics.sentences import ccg_counts

    parses, trees = ccg_analyses(pred), ccg_analyses(gold)
    with errors_of(pred):
        return ccg_counts(parses, trees)


def _const(pred: Path, gold: Path, rules: BracketRules) -> "NamedCounts":
    from treewright.data.ptb import read, read_parses
    from treewright.metrics.brackets import RULES
    from treewright.metrics.sentences import const_counts

    parses, trees = [tree for _, tree in read_parses(pred)], list(read(gold))
    with errors_of(pred):
        return const_counts(parses, trees, RULES[rules])


def _dep(pred: Path, gold: Path) -> "NamedCounts":
    from treewright.data.conllu import read
    from treewright.metrics.sentences import dep_counts

    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        return dep_counts(parses, trees)
