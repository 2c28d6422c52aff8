"""Rich tables for the terminal."""

from collections.abc import Sequence

from rich.table import Table

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
