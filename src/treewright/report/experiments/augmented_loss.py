"""Tables 1 to 3 of Hall et al. (2011), on augmented losses, with treebanks that anyone can have.

Table 1: reordering. Half of the treebank gives trees, of the other half the learner sees only the
order that rules give to the gold trees. Table 2: questions, of which the learner sees the root and
nothing else. Table 3: the arc-length score of the treebank itself.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from treewright.config import setting
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.grammar.reorder import HEAD_FINAL, read_rules
from treewright.metrics.reordering import reordering_counts
from treewright.report.experiment import Beside, Cell, Context, Experiment, Result, Table
from treewright.report.experiments.augmented_runs import (
    AugmentedSettings,
    Family,
    Task,
    p_value,
    per_cent,
    scored,
)
from treewright.scores.encoding import Encoder
from treewright.train.augmented import DataSet
from treewright.train.supervision import AugmentSettings, augmented_set, order_of, with_order

ATIS = Path("../shared/data/dep-atis")
NOTE = (
    "Per cent, ours and the paper's. p: paired bootstrap over sentences against the plain parser. "
    "LAS and UAS as the CoNLL 2018 scorer computes them."
)
Others = Callable[[Encoder], Sequence[DataSet]]


def augmented(settings: AugmentSettings, trees: Sequence[DependencyTree]) -> Others:
    """One data set of these sentences, made when the encoder is known."""
    return lambda encoder: [augmented_set(settings, trees, encoder)]


# Table 1


@dataclass(frozen=True)
class ReorderingSettings(AugmentedSettings):
    """The reordering task."""

    schedules: tuple[float, ...] = setting((0.5, 1.0, 2.0), "augmented examples for each tree")
    rules: str = setting(HEAD_FINAL, "a TOML file of rules, or a name")


# Exact and reordering score of the paper, by schedule (0 is plain).
TABLE1 = {
    "transition": {0: (35.29, 76.49), 0.5: (38.71, 78.19), 1: (39.02, 78.39), 2: (39.58, 78.67)},
    "graph": {0: (25.71, 69.84), 0.5: (28.99, 72.23), 1: (29.99, 72.88), 2: (30.03, 73.15)},
}


def reordering(context: Context) -> Iterator[Result]:
    """Table 1."""
    settings: ReorderingSettings = context.settings
    rules, trees = read_rules(settings.rules), settings.treebank(context.seed)
    half = len(trees) // 2
    ordered = [with_order(tree, rules) for tree in trees[half:]]
    wanted = [order_of(tree, rules) for tree in settings.dev_trees]
    rows: list[Sequence[Cell]] = []
    for family in settings.parsers:
        tasks = _by_schedule(settings, family, trees[:half], ordered)
        plain = None
        for schedule, (_, counts, found) in zip(
            (0.0, *settings.schedules), scored(context, tasks), strict=True
        ):
            chunks = reordering_counts([order_of(tree, rules) for tree in found], wanted)
            now = (chunks.exact(), chunks, counts["LAS"], counts["UAS"])
            plain = plain or now
            scores = [per_cent(each) for each in now]
            ps = [p_value(a, b, context.seed) for a, b in zip(now, plain, strict=True)]
            paper = TABLE1[family].get(schedule, (None, None))
            rows.append((
                family, schedule or "plain",
                Beside(scores[0], paper[0]), ps[0], Beside(scores[1], paper[1]), ps[1],
                scores[2], ps[2], scores[3],
            ))  # fmt: skip
    columns = ("parser", "schedule", "exact", "p", "reordering", "p", "LAS", "p", "UAS")
    yield f"{half} trees, {len(ordered)} further sentences with their order alone."
    yield Table("Reordering (the paper's table 1)", columns, rows, NOTE, digits=3)


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
    return tasks


# Table 2

Domain = Literal["questions", "atis"]


@dataclass(frozen=True)
class QuestionSettings(AugmentedSettings):
    """Domain adaptation by roots alone."""

    atis_train: Path = setting(ATIS / "train.conllu", "the second target domain")
    atis_dev: Path = setting(ATIS / "dev.conllu", "and its trees to score on")
    domains: tuple[Domain, ...] = setting(("questions", "atis"), "which to adapt to")
    schedule: float = setting(1.0, "sentences of the target domain for each tree")


TABLE2: dict[tuple[str, str], tuple[float, ...]] = {
    ("transition", "plain"): (67.97, 73.52, 47.60),
    ("transition", "trees"): (84.59, 89.59, 91.06),
    ("transition", "root"): (76.27, 86.42, 83.41),
}
TRAININGS = {
    "plain": "treebank",
    "root": "treebank, and the roots of the domain",
    "trees": "treebank, and the trees of the domain",
}


def is_question(tree: DependencyTree) -> bool:
    """Whether a sentence ends in a question mark, closing quotes and brackets aside."""
    forms = [form for form in tree.forms if form not in {'"', "''", ")", "'"}]
    return bool(forms) and forms[-1].endswith("?")


def questions(context: Context) -> Iterator[Result]:
    """Table 2, on the treebank's own questions and on spoken queries."""
    settings: QuestionSettings = context.settings
    trees = settings.treebank(context.seed)
    if "questions" in settings.domains:
        plain = [tree for tree in trees if not is_question(tree)]
        own = [tree for tree in trees if is_question(tree)]
        test = [tree for tree in settings.dev_trees if is_question(tree)]
        yield _adaptation(context, "questions", plain, own, test, TABLE2)
    if "atis" not in settings.domains:
        return
    atis = [one_tag_set(tree) for tree in conllu.read(settings.atis_train)]
    atis_test = [one_tag_set(tree) for tree in conllu.read(settings.atis_dev)]
    yield _adaptation(context, "atis", list(map(one_tag_set, trees)), atis, atis_test, {})


def one_tag_set(tree: DependencyTree) -> DependencyTree:
    """The sentence with UPOS in place of XPOS: the two treebanks share no other tags."""
    return replace(tree, words=tuple(word._replace(xpos=word.upos) for word in tree.words))


def _adaptation(
    context: Context,
    name: str,
    trees: Sequence[DependencyTree],
    domain: Sequence[DependencyTree],
    test: Sequence[DependencyTree],
    paper: dict[tuple[str, str], tuple[float, ...]],
) -> Table:
    settings: QuestionSettings = context.settings
    how = AugmentSettings(settings.train, "root", "root", settings.schedule, settings.k)
    rows: list[Sequence[Cell]] = []
    for family in settings.parsers:
        task = Task(f"{name}-plain", family, trees, test, known=domain)
        tasks = (
            task,
            replace(task, name=f"{name}-root", others=augmented(how, domain)),
            replace(task, name=f"{name}-trees", trees=[*trees, *domain], known=()),
        )
        plain = None
        for kind, (_, counts, _) in zip(TRAININGS, scored(context, tasks), strict=True):
            now = tuple(counts[metric] for metric in ("LAS", "UAS", "Root"))
            plain = plain or now
            cells: list[Cell] = [family, TRAININGS[kind]]
            theirs = paper.get((family, kind), (None, None, None))
            for a, b, figure in zip(now, plain, theirs, strict=True):
                cells += [Beside(per_cent(a), figure), p_value(a, b, context.seed)]
            rows.append(cells)
    title = f"Adaptation to {name} (the paper's table 2): {len(trees)} trees, {len(domain)} "
    title += f"sentences of the domain, {len(test)} to score on"
    columns = ("parser", "training data", "LAS", "p", "UAS", "p", "root F1", "p")
    return Table(title, columns, rows, NOTE, digits=3)


# Table 3


@dataclass(frozen=True)
class ArcLengthSettings(AugmentedSettings):
    """The arc-length score as a second loss on the treebank."""

    schedule: float = setting(1.0, "augmented examples for each tree")


TABLE3: dict[tuple[str, str], tuple[float, ...]] = {
    ("transition", "plain"): (88.64, 91.64, 82.96),
    ("transition", "unlabelled"): (88.74, 91.91, 83.65),
    ("transition", "labelled"): (88.84, 91.91, 83.46),
    ("graph", "plain"): (85.75, 88.70, 73.88),
    ("graph", "unlabelled"): (85.80, 88.81, 74.26),
    ("graph", "labelled"): (85.85, 88.93, 74.40),
}
SHOWN = ("LAS", "UAS", "arc lengths", "arc lengths, labelled")


def arc_length(context: Context) -> Iterator[Result]:
    """Table 3."""
    settings: ArcLengthSettings = context.settings
    trees = settings.treebank(context.seed)
    rows: list[Sequence[Cell]] = []
    for family in settings.parsers:
        task = Task("plain", family, trees, settings.dev_trees)
        tasks = [task]
        for kind in ("unlabelled", "labelled"):
            how = AugmentSettings(
                settings.train, "trees", f"arc-length-{kind}", settings.schedule, settings.k
            )
            tasks.append(replace(task, name=f"als-{kind}", others=augmented(how, trees)))
        plain = None
        for kind, (_, counts, _) in zip(
            ("plain", "unlabelled", "labelled"), scored(context, tasks), strict=True
        ):
            now = tuple(counts[metric] for metric in SHOWN)
            plain = plain or now
            cells: list[Cell] = [family, kind]
            theirs = (*TABLE3[family, kind], None)
            for a, b, figure in zip(now, plain, theirs, strict=True):
                cells += [Beside(per_cent(a), figure), p_value(a, b, context.seed)]
            rows.append(cells)
    columns = ("parser", "augmented loss", "LAS", "p", "UAS", "p", "ALS", "p", "labelled ALS", "p")
    yield Table("Arc-length score (the paper's table 3)", columns, rows, NOTE, digits=3)


EXPERIMENTS = (
    Experiment("augmented-loss/reordering", "Reordering", ReorderingSettings, reordering),
    Experiment("augmented-loss/questions", "Questions", QuestionSettings, questions),
    Experiment("augmented-loss/arc-length", "Arc lengths", ArcLengthSettings, arc_length),
)
