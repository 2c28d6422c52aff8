"""`treewright eval`: the scores of a parser's output against a treebank."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.errors import GrammarError, TreewrightError

if TYPE_CHECKING:
    from rich.table import Table

    from treewright.data.records import Dependencies, Derivation
    from treewright.metrics.ccgdeps import Analysis, CcgScores

WIDE = 120  # columns of a file or pipe: figures must not be cut there


class Formalism(StrEnum):
    """The kinds of analysis that can be scored."""

    CCG = "ccg"
    CONST = "const"
    DEP = "dep"


class BracketRules(StrEnum):
    """EVALB's parameter files."""

    COLLINS = "collins"
    NEW = "new"


def command(
    kind: Annotated[Formalism, typer.Option(help="Kind of analysis.")],
    gold: Annotated[
        Path, typer.Option(help="Gold treebank. ccg: AUTO or PARG; const: brackets; dep: CoNLL-U.")
    ],
    pred: Annotated[Path, typer.Option(help="Output of a parser, in one of these formats.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    rules: Annotated[
        BracketRules | None,
        typer.Option(help="const: count brackets as EVALB's COLLINS.prm (default) or new.prm."),
    ] = None,
) -> None:
    """Score the output of a parser against a treebank."""
    check_rules(kind, rules)
    evaluations: dict[Formalism, Callable[[Path, Path], Report]] = {
        Formalism.CCG: ccg_report,
        Formalism.CONST: partial(const_report, rules=rules or BracketRules.COLLINS),
        Formalism.DEP: dep_report,
    }
    report = evaluations[kind](pred, gold)
    if as_json:
        typer.echo(json.dumps(report.values))
    else:
        print_tables(report.tables)


def check_rules(kind: Formalism, rules: BracketRules | None) -> None:
    """Refuses rules of brackets for what has none."""
    if rules and kind is not Formalism.CONST:
        raise typer.BadParameter("only --kind const has rules", param_hint="--rules")


@dataclass(frozen=True)
class Report:
    """Scores by name, ready for JSON, and as tables or text."""

    values: dict[str, object]
    tables: "Sequence[str | Table]"


def print_tables(tables: "Sequence[str | Table]") -> None:
    """Prints tables and lines of text."""
    from rich.console import Console

    # Names in treebanks may look like markup.
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, WIDE)
    for table in tables:
        console.print(table, soft_wrap=isinstance(table, str))


def const_report(pred: Path, gold: Path, rules: BracketRules) -> Report:
    """The scores of one bracket file against another; `()` is a missing parse."""
    from treewright.data.ptb import read, read_parses
    from treewright.metrics.brackets import RULES
    from treewright.metrics.constituency import score
    from treewright.report.score_tables import const_tables

    parses, trees = [tree for _, tree in read_parses(pred)], list(read(gold))
    with errors_of(pred):
        scores = score(parses, trees, RULES[rules])
    return Report(scores.as_dict(), const_tables(scores))


def dep_report(pred: Path, gold: Path) -> Report:
    """The scores of one CoNLL-U file against another."""
    from treewright.data.conllu import read
    from treewright.metrics.dependency import score
    from treewright.report.score_tables import dep_tables

    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        scores = score(parses, trees)
    return Report(scores.as_dict(), dep_tables(scores))


@contextmanager
def errors_of(path: Path) -> Iterator[None]:
    """Errors in the block are about the file at `path`."""
    try:
        yield
    except TreewrightError as error:
        raise TreewrightError(f"{path}: {error}") from error


def ccg_report(pred: Path, gold: Path) -> Report:
    """The scores of one CCGbank file against another."""
    from treewright.metrics.ccgdeps import score

    scores = score(ccg_analyses(pred), ccg_analyses(gold))
    return Report(scores.as_dict(), [ccg_table(scores)])


def ccg_analyses(path: Path) -> "dict[str, Analysis]":
    """The analyses of a CCGbank file by sentence id."""
    from treewright.data.ccgbank import read_ccgbank
    from treewright.data.records import FRAGMENTS, Derivation

    found: dict[str, Analysis] = {}
    for sentence in read_ccgbank(path):
        if isinstance(sentence, Derivation) and sentence.root.category == FRAGMENTS:
            continue  # no parse
        if sentence.id in found:
            raise GrammarError(f"{path}: sentence {sentence.id} appears twice")
        try:
            found[sentence.id] = _analysis(sentence)
        except GrammarError as error:
            raise GrammarError(f"{path}: {error}") from error
    return found


def _analysis(sentence: "Derivation | Dependencies") -> "Analysis":
    from treewright.data.records import Derivation
    from treewright.grammar.dependencies import dependencies_of
    from treewright.metrics.ccgdeps import Analysis

    if isinstance(sentence, Derivation):
        supertags = tuple(leaf.category for leaf in sentence.leaves)
        return Analysis(frozenset(dependencies_of(sentence)), supertags)
    return Analysis(frozenset(sentence.rows))


def ccg_table(scores: "CcgScores") -> str:
    """The scores as lines of text."""
    supertags = "unknown" if scores.supertags is None else f"{scores.supertags:.2%}"
    return "\n".join(
        [
            f"labelled              {scores.labelled}",
            f"unlabelled            {scores.unlabelled}",
            f"labelled, all         {scores.labelled_all}",
            f"unlabelled, all       {scores.unlabelled_all}",
            f"supertags             {supertags}",
            f"coverage              {scores.coverage:.2%} of {scores.sentences} sentences",
        ]
    )
