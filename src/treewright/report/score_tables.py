"""Scores of constituency and dependency parses as rich tables."""

from rich.table import Table

from treewright.metrics.constituency import CUTOFF, ConstScores, Summary
from treewright.metrics.counts import Score
from treewright.metrics.dependency import DepScores

PARTS = ("P", "R", "F1")


def const_tables(scores: ConstScores) -> list[Table]:
    """EVALB's summary, with a column for all sentences and one for short ones."""
    table = _table("Brackets", "", "all", f"up to {CUTOFF} words")
    columns = [_summary_cells(each) for each in (scores.everything, scores.short)]
    for name in columns[0]:
        table.add_row(name, *(column[name] for column in columns))
    table.add_section()
    table.add_row("coverage", _percent(scores.coverage), "")
    table.add_row("F1, missing parses counted", _percent(scores.brackets_all.f), "")
    return [table]


def _summary_cells(summary: Summary) -> dict[str, str]:
    crossing = summary.average_crossing
    return {
        "sentences with a parse": str(summary.sentences),
        "precision": _percent(summary.brackets.p),
        "recall": _percent(summary.brackets.r),
        "F1": _percent(summary.brackets.f),
        "complete match": _percent(summary.complete),
        "crossing brackets a sentence": "" if crossing is None else f"{crossing:.2f}",
        "no crossing": _percent(summary.no_crossing),
        "2 or fewer crossing": _percent(summary.two_or_less_crossing),
        "tagging accuracy": _percent(summary.tagging),
    }


def dep_tables(scores: DepScores) -> list[Table]:
    """The metrics of words, of whole sentences, by length and by relation."""
    return [_words(scores), _sentences(scores), _lengths(scores), _relations(scores)]


def _words(scores: DepScores) -> Table:
    table = _table(f"Words of {scores.sentences} sentences", "metric", *PARTS, "aligned")
    for name, row in scores.words.items():
        table.add_row(name, *_cells(row.score), _percent(row.aligned_accuracy))
    return table


def _sentences(scores: DepScores) -> Table:
    table = _table("Arc lengths and whole trees", "metric", "unlabelled", "labelled")
    lengths = scores.arc_length_unlabelled, scores.arc_length_labelled
    exact = scores.exact_unlabelled, scores.exact_labelled
    table.add_row("arc-length score", *map(_percent, lengths))
    table.add_row("exact match", *map(_percent, exact))
    return table


def _lengths(scores: DepScores) -> Table:
    table = _table("By length of sentence", "words", "sentences", "UAS", "LAS")
    for name, row in scores.by_length.items():
        cells = _percent(row.unlabelled.f), _percent(row.labelled.f)
        table.add_row(name, str(row.sentences), *cells)
    return table


def _relations(scores: DepScores) -> Table:
    table = _table("Labelled attachment by relation", "relation", "gold", *PARTS)
    for name, row in scores.by_relation.items():
        table.add_row(name, str(row.due), *_cells(row))
    return table


def _table(title: str, first: str, *others: str) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first, no_wrap=True)
    for name in others:
        table.add_column(name, justify="right")
    return table


def _cells(score: Score) -> tuple[str, str, str]:
    return _percent(score.p), _percent(score.r), _percent(score.f)


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"
