"""`treewright significance`: paired tests on two files of counts."""

from pathlib import Path
from typing import Annotated

import typer

from treewright.cli.options import Samples, Seed


def command(
    first: Annotated[
        Path, typer.Argument(help="Counts of the first parser, as TSV (docs/formats.md).")
    ],
    second: Annotated[
        Path, typer.Argument(help="Counts of the second parser on the same sentences.")
    ],
    metric: Annotated[
        str, typer.Option(help="Metric: precision, recall, f1, f<beta> or exact.")
    ] = "f1",
    samples: Samples = 10_000,
    seed: Seed = 0,
) -> None:
    """Test two files of counts for a significant difference."""
    from rich.console import Console

    from treewright.metrics.count_files import read_paired_counts
    from treewright.metrics.counts import corpus_score
    from treewright.metrics.significance import compare
    from treewright.report.tables import comparison_table

    a, b = read_paired_counts(first, second)
    scores = corpus_score(a, metric), corpus_score(b, metric)
    Console().print(comparison_table(metric, scores, compare(a, b, metric, samples, seed)))
