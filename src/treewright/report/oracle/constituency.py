"""How good and how bad the trees in a constituency parser's charts can be, by pruning threshold."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from treewright.data.brackets import Bracketed
from treewright.forests.constituency.counts import ConstituentCounter
from treewright.inference import oracle
from treewright.metrics.brackets import COLLINS, Rules, bracket_counts, match_trees
from treewright.metrics.counts import Counts
from treewright.models.constituency.analysis import original_tree
from treewright.models.constituency.data import Item
from treewright.models.constituency.parser import ConstParser


@dataclass(frozen=True)
class ConstOracleRow:
    """Brackets of the best and the worst trees, over the sentences that have a chart."""

    threshold: float
    edges: float  # a word
    coverage: float
    best: Counts
    worst: Counts

    def as_dict(self) -> dict[str, object]:
        """The figures by name, ready for JSON."""
        return {
            "threshold": self.threshold,
            "edges": self.edges,
            "coverage": self.coverage,
            "best": self.best.score().as_dict(),
            "best_exact": self.exact,
            "worst": self.worst.score().as_dict(),
        }

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
    """One row a threshold of the span model's posteriors."""
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
