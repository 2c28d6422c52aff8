"""Rich tables for the terminal."""

from collections.abc import Sequence

from rich.table import Table

from treewright.metrics.significance import Comparison
from treewright.report.demo import Trained


def demo_table(results: Sequence[Trained]) -> Table:
    """Precision, recall and F1 of every objective, and p-values against the first."""
    table = Table(title="Held-out brackets (p: F1 against likelihood's)")
    table.add_column("trained for", no_wrap=True)
    for name in ("P", "R", "F1", "exact", "F1 min-risk", "p"):
        table.add_column(name, justify="right")
    for trained in results:
        score, exact = trained.viterbi.score(), trained.viterbi.exact().score()
        p = trained.against_first
        table.add_row(
            trained.name,
            f"{100 * score.p:.2f}",
            f"{100 * score.r:.2f}",
            f"{100 * score.f:.2f}",
            f"{100 * exact.p:.1f}",
            f"{100 * trained.min_risk.score().f:.2f}",
            "" if p is None else f"{p.p_value:.3f}",
        )
    return table


def comparison_table(
    metric: str, scores: tuple[float, float], comparisons: Sequence[Comparison]
) -> Table:
    """Two systems' scores, their difference, and a p-value for each test."""
    first, second = (100 * score for score in scores)
    table = Table(title=f"{metric}: {first:.2f} and {second:.2f}, difference {first - second:+.2f}")
    table.add_column("test", no_wrap=True)
    table.add_column("p", justify="right")
    table.add_column("95 % interval of the difference", justify="right")
    for each in comparisons:
        interval = (
            ""
            if each.low is None or each.high is None
            else f"{100 * each.low:+.2f} to {100 * each.high:+.2f}"
        )
        table.add_row(each.test, f"{each.p_value:.4f}", interval)
    return table
