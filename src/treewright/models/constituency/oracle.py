"""How good and how bad the trees in a constituency parser's charts can be, by pruning threshold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from treewright.data.brackets import Bracketed
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.grammar.binarise import Binariser
from treewright.inference import oracle
from treewright.metrics.brackets import COLLINS, Rules, bracket_counts, match_trees
from treewright.metrics.counts import Counts
from treewright.models.constituency.analysis import original_tree
from treewright.models.constituency.data import Item, read_items
from treewright.models.constituency.parser import ConstParser
from treewright.models.evaluation import (
    Extremes,
    Oracle,
    Report,
    check_shares,
    extremes_report,
    percent,
)


@dataclass(frozen=True)
class ConstOracleOptions:
    """Pruning thresholds (None: the usual ones), the longest sentences, and how much is read."""

    thresholds: tuple[float, ...] | None = None
    max_words: int = 40
    sentences: int = 0

    def __post_init__(self) -> None:
        if self.thresholds is not None:
            check_shares("thresholds", self.thresholds)


def _report(parser: ConstParser, gold: Path, options: ConstOracleOptions) -> Report:
    items = read_items(gold, Binariser(), options.max_words)[: options.sentences or None]
    found = const_oracle(parser, items, parser.thresholds(options.thresholds))
    title = "F1 of the best and the worst trees in the charts"
    columns = ("threshold", "edges per word", "coverage", "exact")
    return extremes_report(title, columns, [_shown(row) for row in found])


def _shown(row: "ConstOracleRow") -> Extremes:
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


ORACLE = Oracle(_report, ConstOracleOptions)


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
        """The share of the charts that hold a tree without a fault."""
        return self.best.exact().score().f


def const_oracle(
    parser: ConstParser,
    items: Sequence[Item],
    thresholds: Iterable[float],
    rules: Rules = COLLINS,
) -> list[ConstOracleRow]:
    """One row per threshold of the span model's posteriors."""
    counter = ConstituentCounter(parser.grammar, rules)
    return [_row(parser, items, threshold, counter) for threshold in thresholds]


def _row(
    parser: ConstParser, items: Sequence[Item], threshold: float, counter: ConstituentCounter
) -> ConstOracleRow:
    edges = words = 0
    found: list[tuple[Bracketed, Bracketed, Bracketed]] = []
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
        found.append((best, worst, item.tree))
    # Trees are scored: counts on parts are but a bound where words are deleted (const_counts).
    best_trees, worst_trees, gold = zip(*found, strict=True) if found else ((), (), ())
    best_counts, worst_counts = (
        bracket_counts(match_trees(trees, gold, counter.rules))
        for trees in (best_trees, worst_trees)
    )
    coverage = len(found) / max(len(items), 1)
    return ConstOracleRow(threshold, edges / max(words, 1), coverage, best_counts, worst_counts)
