"""Scores of constituency trees in bracket files, and oracle scores of charts.

Brackets are counted as EVALB does; `()` is a missing parse. Oracles compare charts at several
pruning thresholds.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.data.brackets import Bracketed
from treewright.data.ptb import read, read_parses
from treewright.errors import ConfigError
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.grammar.binarise import Binariser
from treewright.inference import oracle
from treewright.metrics.brackets import COLLINS, RULES, Rules, bracket_counts, match_trees
from treewright.metrics.constituency import CUTOFF, ConstScores, Summary, score
from treewright.metrics.counts import Counts
from treewright.metrics.sentences import NamedCounts, const_counts
from treewright.models.constituency.analysis import original_tree
from treewright.models.constituency.data import Item, read_items
from treewright.models.constituency.parser import ConstParser
from treewright.models.contract import Analysis, Parser
from treewright.models.evaluation import (
    Evaluation,
    Extremes,
    Oracle,
    Report,
    Table,
    check_shares,
    errors_of,
    extremes_report,
    percent,
)


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
    """EVALB's summary, with columns for all sentences and for short ones."""
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


@dataclass(frozen=True)
class ConstOracleOptions:
    """Pruning thresholds (None: the default ones), maximum length and number of sentences."""

    thresholds: tuple[float, ...] | None = None
    max_words: int = 40
    sentences: int = 0

    def __post_init__(self) -> None:
        if self.thresholds is not None:
            check_shares("thresholds", self.thresholds)


def _oracle(parser: Parser[Analysis], gold: Path, options: ConstOracleOptions) -> Report:
    if not isinstance(parser, ConstParser):
        raise ConfigError("this model does not prune charts, so its oracle can be any tree")
    items = read_items(gold, Binariser(), options.max_words)[: options.sentences or None]
    rows = const_oracle(parser, items, parser.thresholds(options.thresholds))
    title = "F1 of the best and the worst trees in the charts"
    columns = ("threshold", "edges per word", "coverage", "exact")
    return extremes_report(title, columns, [_extremes(row) for row in rows])


def _extremes(row: "ConstOracleRow") -> Extremes:
    figures = {
        "threshold": row.threshold,
        "edges": row.edges,
        "coverage": row.coverage,
        "best_exact": row.exact,
    }
    shares = percent(row.coverage), percent(row.exact)
    return Extremes(
        figures, (f"{row.threshold:g}", f"{row.edges:.1f}", *shares), row.best, row.worst
    )


ORACLE = Oracle(_oracle, ConstOracleOptions)


@dataclass(frozen=True)
class ConstOracleRow:
    """Brackets of the best and the worst trees, over the sentences that have a chart."""

    threshold: float
    edges: float  # per word
    coverage: float
    best: Counts
    worst: Counts

    @property
    def exact(self) -> float:
        """The proportion of charts that contain the gold tree."""
        return self.best.exact().score().f


def const_oracle(
    parser: ConstParser,
    items: Sequence[Item],
    thresholds: Iterable[float],
    rules: Rules = COLLINS,
) -> list[ConstOracleRow]:
    """The oracle at each threshold of the span model's posteriors, one row each."""
    counter = ConstituentCounter(parser.grammar, rules)
    return [_oracle_row(parser, items, threshold, counter) for threshold in thresholds]


def _oracle_row(
    parser: ConstParser, items: Sequence[Item], threshold: float, counter: ConstituentCounter
) -> ConstOracleRow:
    edges = words = 0
    triples: list[tuple[Bracketed, Bracketed, Bracketed]] = []
    for item in items:
        chart = parser.chart(item.sentence, threshold)
        words += len(item.words)
        if chart is None:
            continue
        edges += chart.forest.edges
        counts = counter.count(chart, item.binary, item.tags)
        forest = chart.forest.with_counts(counts.counts, counts.due)
        best, worst = (
            original_tree(parser.grammar, chart, extreme(forest).edges, item.sentence)
            for extreme in (oracle.best_f1, oracle.worst_f1)
        )
        triples.append((best, worst, item.tree))
    # Trees are scored: counts on parts are only a bound if words are deleted (const_counts).
    best_trees, worst_trees, gold = zip(*triples, strict=True) if triples else ((), (), ())
    best_counts, worst_counts = (
        bracket_counts(match_trees(trees, gold, counter.rules))
        for trees in (best_trees, worst_trees)
    )
    coverage = len(triples) / max(len(items), 1)
    return ConstOracleRow(threshold, edges / max(words, 1), coverage, best_counts, worst_counts)
