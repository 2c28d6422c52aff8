"""Augmented-loss experiments over several seeds: each with its own order of the treebank."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import mean, stdev

from treewright.experiments.experiment import Cell, Context, Table

Scores = dict[tuple[str, str], tuple[float, ...]]  # by parser and training, plain training first


def by_seed(
    context: Context,
    experiment: Callable[[Context], tuple[Table, Scores]],
    title: str,
    measures: Sequence[str],
) -> Iterator[Table]:
    """The table of `--seed`, or with `seeds` those of each of them, and their means."""
    if not context.settings.seeds:
        yield experiment(context)[0]
        return
    results = []
    for seed in context.settings.seeds:
        table, scores = experiment(replace(context, seed=seed, out=context.out / f"seed-{seed}"))
        results.append(scores)
        yield replace(table, title=f"{table.title}, seed {seed}")
    yield over_seeds(title, results, measures)


def over_seeds(title: str, results: Sequence[Scores], measures: Sequence[str]) -> Table:
    """Means over seeds with standard deviations, and what each seed gains over the plain parser."""
    first = dict(reversed(results[0]))
    rows: list[Sequence[Cell]] = []
    for family, training in results[0]:
        plain = [scores[family, first[family]] for scores in results]
        now = [scores[family, training] for scores in results]
        cells: list[Cell] = [family, training]
        for i in range(len(measures)):
            values = [each[i] for each in now]
            gains = [a - each[i] for a, each in zip(values, plain, strict=True)]
            spread = stdev(values) if len(values) > 1 else 0.0
            cells += [f"{mean(values):.2f} ± {spread:.2f}", mean(gains)]
            cells.append(" ".join(f"{gain:+.2f}" for gain in gains))
        rows.append(cells)
    heads = [head for each in measures for head in (each, "gain", "of each seed")]
    note = "Mean and standard deviation over seeds, and the gain over the plain parser."
    return Table(f"{title}, {len(results)} seeds", ("parser", "training data", *heads), rows, note)
