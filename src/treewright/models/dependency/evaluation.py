"""Scores of dependency trees in CoNLL-U files, as in the CoNLL 2018 shared task."""

from pathlib import Path

from treewright.data.conllu import read
from treewright.metrics.dependency import DepScores, score
from treewright.metrics.sentences import NamedCounts, dep_counts
from treewright.models.evaluation import (
    PARTS,
    Evaluation,
    NoOptions,
    Report,
    Table,
    cells,
    errors_of,
    percent,
)


def _report(pred: Path, gold: Path, _: NoOptions) -> Report:
    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        scores = score(parses, trees)
    tables = [_words(scores), _sentences(scores), _lengths(scores), _relations(scores)]
    return Report(scores.as_dict(), tables)


def _counts(pred: Path, gold: Path, _: NoOptions) -> NamedCounts:
    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        return dep_counts(parses, trees)


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


EVALUATION = Evaluation(_report, _counts)
