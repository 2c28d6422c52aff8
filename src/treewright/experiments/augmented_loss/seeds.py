"""Augmented-loss experiments over several seeds: each with its own order of the treebank."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from statistics import mean, stdev

from treewright.experiments.augmented_loss.runs import per_cent
from treewright.experiments.experiment import Cell, Context, Table
from treewright.metrics.counts import Counts
from treewright.metrics.significance import paired_bootstrap

CONTROL = "again"  # the names of trainings that repeat trees begin with this
Scores = dict[tuple[str, str], tuple[Counts, ...]]  # by parser and training, plain training first


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
    """Means over seeds with standard deviations, and what each seed gains over the plain parser.

    p-values are for the sums of the seeds' counts: against the plain parser and, if there is one,
    against the control that repeats treebank trees.
    """
    first = dict(reversed(results[0]))
    control = next((name for _, name in results[0] if name.startswith(CONTROL)), None)
    rows: list[Sequence[Cell]] = []
    for family, training in results[0]:
        cells: list[Cell] = [family, training]
        for i in range(len(measures)):
            now, plain = (_counts(results, family, each, i) for each in (training, first[family]))
            cells += _means(now, plain)
            cells.append(_p_value(now, plain) if training != first[family] else None)
            if control:
                tested = training not in (first[family], control)
                other = _counts(results, family, control, i)
                cells.append(_p_value(now, other) if tested else None)
        rows.append(cells)
    kinds = ("gain", "of each seed", "p", *(["p, control"] if control else []))
    heads = [head for each in measures for head in (each, *kinds)]
    note = (
        "Mean and standard deviation over seeds, and the gain over the plain parser. p: paired "
        "bootstrap of the counts of all seeds, against the plain parser and the control."
    )
    return Table(f"{title}, {len(results)} seeds", ("parser", "training data", *heads), rows, note)


def _counts(results: Sequence[Scores], family: str, training: str, i: int) -> list[Counts]:
    """The counts of a measure, one per seed."""
    return [scores[family, training][i] for scores in results]


def _means(now: Sequence[Counts], plain: Sequence[Counts]) -> list[Cell]:
    """Mean and standard deviation, mean gain, and the gains of the seeds."""
    values = list(map(per_cent, now))
    gains = [a - per_cent(b) for a, b in zip(values, plain, strict=True)]
    spread = stdev(values) if len(values) > 1 else 0.0
    each = " ".join(f"{gain:+.2f}" for gain in gains)
    return [f"{mean(values):.2f} ± {spread:.2f}", mean(gains), each]


def _p_value(now: Sequence[Counts], other: Sequence[Counts]) -> float:
    return paired_bootstrap(Counts.sums(now), Counts.sums(other)).p_value
