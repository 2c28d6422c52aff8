"""Rich tables for the terminal."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.table import Table

from treewright.metrics.significance import Comparison
from treewright.report.demo import Trained


def demo_table(results: Sequence[Trained]) -> Table:
    """Dependencies and supertags of every parser, and p-values against the first."""
    title = "Held-out dependencies (p: labelled F1 against likelihood's)"
    table = Table(title=title, box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("trained for", no_wrap=True)
    for name in ("LP", "LR", "LF", "UF", "supertags", "coverage", "p"):
        table.add_column(name, justify="right")
    for trained in results:
        scores, p = trained.scores, trained.against_first
        figures = (scores.labelled.p, scores.labelled.r, scores.labelled.f, scores.unlabelled.f)
        shown = [f"{100 * figure:.2f}" for figure in (*figures, scores.supertags or 0.0)]
        shown.append(f"{100 * scores.coverage:.1f}")
        table.add_row(trained.name, *shown, "" if p is None else f"{p.p_value:.3f}")
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
