"""`treewright eval`: the scores of a parser's output against a treebank."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from treewright.errors import GrammarError

if TYPE_CHECKING:
    from treewright.data.records import Dependencies, Derivation
    from treewright.metrics.ccgdeps import Analysis, CcgScores


class Formalism(StrEnum):
    """The kinds of analysis that can be scored."""

    CCG = "ccg"


def command(
    kind: Annotated[Formalism, typer.Option(help="The kind of analysis.")],
    gold: Annotated[Path, typer.Option(help="The treebank (ccg: AUTO or PARG).")],
    pred: Annotated[Path, typer.Option(help="The parses, in any of the same formats.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Score parses against a treebank."""
    scores = {Formalism.CCG: ccg_scores}[kind](pred, gold)
    typer.echo(json.dumps(scores.as_dict()) if as_json else ccg_table(scores))


def ccg_scores(pred: Path, gold: Path) -> "CcgScores":
    """The scores of one CCGbank file against another."""
    from treewright.metrics.ccgdeps import score

    return score(ccg_analyses(pred), ccg_analyses(gold))


def ccg_analyses(path: Path) -> "dict[str, Analysis]":
    """The analyses of a CCGbank file by sentence id."""
    from treewright.data.ccgbank import read_ccgbank

    found: dict[str, Analysis] = {}
    for sentence in read_ccgbank(path):
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
