"""Scores of dependency trees in CoNLL-U files, as in the CoNLL 2018 shared task.

With rules of reordering, also the word order that they give to the trees (Hall et al. 2011, section
4.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treewright.config import setting
from treewright.data.conllu import read
from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError
from treewright.grammar.reorder import read_rules
from treewright.metrics.counts import Counts
from treewright.metrics.dependency import DepScores, score
from treewright.metrics.reordering import reordering_counts
from treewright.metrics.sentences import NamedCounts, dep_counts
from treewright.models.evaluation import (
    PARTS,
    Evaluation,
    Report,
    Table,
    cells,
    errors_of,
    percent,
)
from treewright.train.supervision import has_order, order_of, reference_order


@dataclass(frozen=True)
class DependencyEvaluationOptions:
    """What counts beside the trees."""

    reorder: str | None = setting(None, "Score word orders by these rules, a TOML file or a name.")


def _report(pred: Path, gold: Path, options: DependencyEvaluationOptions) -> Report:
    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        scores = score(parses, trees)
        orders = _orders(parses, trees, options)
    tables = [_words(scores), _sentences(scores), _lengths(scores), _relations(scores)]
    shares = {name: each.score().r for name, each in orders.items()}
    if shares:
        rows = [(name, percent(share)) for name, share in shares.items()]
        tables.insert(2, Table(f"Word order by {options.reorder}", ("metric", "score"), rows))
    return Report({**scores.as_dict(), **shares}, tables)


def _counts(pred: Path, gold: Path, options: DependencyEvaluationOptions) -> NamedCounts:
    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        return dep_counts(parses, trees) | _orders(parses, trees, options)


def _orders(
    parses: Sequence[DependencyTree],
    trees: Sequence[DependencyTree],
    options: DependencyEvaluationOptions,
) -> NamedCounts:
    """Word orders against gold's comments, or the orders of gold's trees where it has none."""
    if options.reorder is None:
        return {}
    if [tree.forms for tree in parses] != [tree.forms for tree in trees]:
        raise TreewrightError("word orders are scored on the sentences and words of gold alone")
    rules = read_rules(options.reorder)
    wanted = [reference_order(t) if has_order(t) else order_of(t, rules) for t in trees]
    found: Counts = reordering_counts([order_of(tree, rules) for tree in parses], wanted)
    return {"reordering": found, "reordering, exact": found.exact()}


def _words(scores: DepScores) -> Table:
    title, columns = f"Words of {scores.sentences} sentences", ("metric", *PARTS, "aligned")
    rows = scores.words.items()
    shown = [(name, *cells(row.score), percent(row.aligned_accuracy)) for name, row in rows]
    return Table(title, columns, shown)


def _sentences(scores: DepScores) -> Table:
    lengths = scores.arc_length_unlabelled, scores.arc_length_labelled
    exact = scores.exact_unlabelled, scores.exact_labelled
    rows = [("arc-length score", *map(percent, lengths)), ("exact match", *map(percent, exact))]
    return Table("Arc lengths and whole trees", ("metric", "unlabelled", "labelled"), rows)


def _lengths(scores: DepScores) -> Table:
    rows = [
        (name, str(row.sentences), percent(row.unlabelled.f), percent(row.labelled.f))
        for name, row in scores.by_length.items()
    ]
    return Table("By sentence length", ("words", "sentences", "UAS", "LAS"), rows)


def _relations(scores: DepScores) -> Table:
    rows = [(name, str(row.due), *cells(row)) for name, row in scores.by_relation.items()]
    return Table("Labelled attachment by relation", ("relation", "gold", *PARTS), rows)


EVALUATION = Evaluation(_report, _counts, DependencyEvaluationOptions)
