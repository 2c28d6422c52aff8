"""Tables 1 and 3 of Hall et al. (2011), on augmented losses, with freely available treebanks.

Table 1: reordering. The first half of the treebank has trees; of the other half the learner only
sees the order that rules derive from the gold trees. Table 3: the arc-length score on the treebank
itself. Both have a control that the paper lacks: plain training with as many examples, where trees
of the treebank replace the second loss. Table 3 also has the second loss alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from treewright.config import setting
from treewright.data.dependency import DependencyTree
from treewright.experiments.augmented_loss.runs import (
    NOTE,
    AugmentedSettings,
    Family,
    Task,
    Trees,
    augmented,
    p_value,
    per_cent,
    scored,
)
from treewright.experiments.augmented_loss.seeds import CONTROL, Scores, by_seed
from treewright.experiments.experiment import Beside, Cell, Context, Experiment, Result, Table
from treewright.grammar.reorder import HEAD_FINAL, read_rules
from treewright.metrics.reordering import reordering_counts
from treewright.train.supervision import AugmentSettings, order_of, with_order

CONTROLLED = (
    f"{NOTE} Updates: how often training changed the weights. again-n: n trees of the treebank "
    "once more for each tree, without a second loss. alone: the second loss without the first."
)

# Table 1


@dataclass(frozen=True)
class ReorderingSettings(AugmentedSettings):
    """The reordering task."""

    schedules: tuple[float, ...] = setting((0.5, 1.0, 2.0), "augmented examples per treebank tree")
    rules: str = setting(HEAD_FINAL, "reordering rules: a TOML file or a built-in rule set")


# The paper's exact and reordering scores, by schedule.
TABLE1 = {
    "transition": {
        "plain": (35.29, 76.49),
        "order-0.5": (38.71, 78.19),
        "order-1": (39.02, 78.39),
        "order-2": (39.58, 78.67),
    },
    "graph": {
        "plain": (25.71, 69.84),
        "order-0.5": (28.99, 72.23),
        "order-1": (29.99, 72.88),
        "order-2": (30.03, 73.15),
    },
}


def reordering(context: Context) -> Iterator[Result]:
    """Table 1."""
    yield from by_seed(context, _reordering, "Reordering", ("exact", "reordering", "LAS", "UAS"))


def _reordering(context: Context) -> tuple[Table, Scores]:
    settings: ReorderingSettings = context.settings
    rules, trees = read_rules(settings.rules), settings.treebank(context.seed)
    half = len(trees) // 2
    ordered = [with_order(tree, rules) for tree in trees[half:]]
    wanted = [order_of(tree, rules) for tree in settings.dev_trees]
    rows: list[Sequence[Cell]] = []
    by_task: Scores = {}
    for family in settings.parsers:
        tasks = _by_schedule(settings, family, trees[:half], ordered)
        plain = None
        for task, counts, found in scored(context, tasks):
            chunks = reordering_counts([order_of(tree, rules) for tree in found], wanted)
            now = (chunks.exact(), chunks, counts["LAS"], counts["UAS"])
            plain = plain or now
            by_task[family, task.name], scores = now, tuple(map(per_cent, now))
            ps = [p_value(a, b, context.seed) for a, b in zip(now, plain, strict=True)]
            paper = TABLE1[family].get(task.name, (None, None))
            rows.append((
                family, task.name, task.updates(context),
                Beside(scores[0], paper[0]), ps[0], Beside(scores[1], paper[1]), ps[1],
                scores[2], ps[2], scores[3],
            ))  # fmt: skip
    columns = ("parser", "training", "updates", "exact", "p", "reordering", "p", "LAS", "p", "UAS")
    title = f"Reordering (the paper's table 1): {half} trees, {len(ordered)} further sentences "
    title += "with their order alone"
    return Table(title, columns, rows, CONTROLLED, digits=3), by_task


def _by_schedule(
    settings: ReorderingSettings,
    family: Family,
    trees: Sequence[DependencyTree],
    ordered: Sequence[DependencyTree],
) -> list[Task]:
    task = Task("plain", family, trees, settings.dev_trees, known=ordered)
    tasks = [task]
    for schedule in settings.schedules:
        how = AugmentSettings(
            settings.train, "order", "reordering", schedule, settings.k, rules=settings.rules
        )
        tasks.append(replace(task, name=f"order-{schedule:g}", others=augmented(how, ordered)))
    most = max(settings.schedules)
    return [*tasks, replace(task, name=f"{CONTROL}-{most:g}", again=most)]


# Table 3


@dataclass(frozen=True)
class ArcLengthSettings(AugmentedSettings):
    """The arc-length score as a second loss on the treebank."""

    schedule: float = setting(1.0, "augmented examples per treebank tree")


TABLE3: dict[tuple[str, str], tuple[float, ...]] = {
    ("transition", "plain"): (88.64, 91.64, 82.96),
    ("transition", "unlabelled"): (88.74, 91.91, 83.65),
    ("transition", "labelled"): (88.84, 91.91, 83.46),
    ("graph", "plain"): (85.75, 88.70, 73.88),
    ("graph", "unlabelled"): (85.80, 88.81, 74.26),
    ("graph", "labelled"): (85.85, 88.93, 74.40),
}
ARC_MEASURES = ("LAS", "UAS", "ALS", "labelled ALS")
SHOWN = ("LAS", "UAS", "arc lengths", "arc lengths, labelled")


def arc_length(context: Context) -> Iterator[Result]:
    """Table 3."""
    yield from by_seed(context, _arc_length, "Arc-length score", ARC_MEASURES)


def _arc_length(context: Context) -> tuple[Table, Scores]:
    settings: ArcLengthSettings = context.settings
    trees = settings.treebank(context.seed)
    rows: list[Sequence[Cell]] = []
    scores: Scores = {}
    for family in settings.parsers:
        plain = None
        for task, counts, _ in scored(context, _arc_length_tasks(settings, family, trees)):
            now = tuple(counts[metric] for metric in SHOWN)
            plain = plain or now
            scores[family, task.name] = now
            cells: list[Cell] = [family, task.name, task.updates(context)]
            theirs = (*TABLE3.get((family, task.name), (None,) * 3), None)
            for a, b, figure in zip(now, plain, theirs, strict=True):
                cells += [Beside(per_cent(a), figure), p_value(a, b, context.seed)]
            rows.append(cells)
    heads = [head for name in ARC_MEASURES for head in (name, "p")]
    columns = ("parser", "training", "updates", *heads)
    title = "Arc-length score (the paper's table 3)"
    return Table(title, columns, rows, CONTROLLED, digits=3), scores


def _arc_length_tasks(settings: ArcLengthSettings, family: Family, trees: Trees) -> list[Task]:
    """Plain training, each loss in addition to it and alone, and the control."""
    plain = Task("plain", family, trees, settings.dev_trees)
    how = AugmentSettings(settings.train, schedule=settings.schedule, k=settings.k)
    sets = {
        kind: augmented(replace(how, loss=f"arc-length-{kind}"), trees)
        for kind in ("unlabelled", "labelled")
    }
    return [
        plain,
        *(replace(plain, name=kind, others=others) for kind, others in sets.items()),
        replace(plain, name=f"{CONTROL}-{settings.schedule:g}", again=settings.schedule),
        *(replace(plain, name=f"{k}-alone", others=o, alone=True) for k, o in sets.items()),
    ]


EXPERIMENTS = (
    Experiment("augmented-loss/reordering", "Reordering", ReorderingSettings, reordering),
    Experiment("augmented-loss/arc-length", "Arc lengths", ArcLengthSettings, arc_length),
)
