"""Scores of constituency trees in bracket files, as EVALB counts them; `()` is a missing parse."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.data.brackets import Bracketed
from treewright.data.ptb import read, read_parses
from treewright.metrics.brackets import RULES
from treewright.metrics.constituency import CUTOFF, ConstScores, Summary, score
from treewright.metrics.sentences import NamedCounts, const_counts
from treewright.models.evaluation import Evaluation, Report, Table, errors_of, percent


@dataclass(frozen=True)
class ConstOptions:
    """EVALB's parameter file: COLLINS.prm or new.prm."""

    rules: Literal["collins", "new"] = "collins"


def _files(pred: Path, gold: Path) -> tuple[list[Bracketed | None], list[Bracketed]]:
    return [tree for _, tree in read_parses(pred)], list(read(gold))


def _report(pred: Path, gold: Path, options: ConstOptions) -> Report:
    parses, trees = _files(pred, gold)
    with errors_of(pred):
        scores = score(parses, trees, RULES[options.rules])
    return Report(scores.as_dict(), [_table(scores)])


def _counts(pred: Path, gold: Path, options: ConstOptions) -> NamedCounts:
    parses, trees = _files(pred, gold)
    with errors_of(pred):
        return const_counts(parses, trees, RULES[options.rules])


def _table(scores: ConstScores) -> Table:
    """EVALB's summary, with a column for all sentences and one for short ones."""
    columns = [_summary(each) for each in (scores.everything, scores.short)]
    rows = [(name, *(column[name] for column in columns)) for name in columns[0]]
    rows.append(("coverage", percent(scores.coverage), ""))
    rows.append(("F1, missing parses counted", percent(scores.brackets_all.f), ""))
    return Table("Brackets", ("", "all", f"up to {CUTOFF} words"), rows)


def _summary(summary: Summary) -> dict[str, str]:
    crossing = summary.average_crossing
    return {
        "sentences with a parse": str(summary.sentences),
        "precision": percent(summary.brackets.p),
        "recall": percent(summary.brackets.r),
        "F1": percent(summary.brackets.f),
        "complete match": percent(summary.complete),
        "crossing brackets per sentence": "" if crossing is None else f"{crossing:.2f}",
        "no crossing": percent(summary.no_crossing),
        "2 or fewer crossing": percent(summary.two_or_less_crossing),
        "tagging accuracy": percent(summary.tagging),
    }


EVALUATION = Evaluation(_report, _counts, ConstOptions)
