"""Table 2 of Hall et al. (2011): adaptation to questions with only their roots annotated.

The better tree comes from the k-best list, as in the paper, or from a search for trees with the
gold root, as in footnote 2 of the paper for the graph-based parser. The target domains are the
questions of the treebank itself, and spoken queries (ATIS).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

from treewright.config import setting
from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.experiments.augmented_loss.runs import (
    NOTE,
    AugmentedSettings,
    Task,
    Trees,
    augmented,
    p_value,
    per_cent,
    scored,
)
from treewright.experiments.augmented_loss.seeds import Scores, by_seed
from treewright.experiments.experiment import Beside, Cell, Context, Experiment, Result, Table
from treewright.train.supervision import AugmentSettings

ATIS = Path("data/dep-atis")
Domain = Literal["questions", "atis"]


@dataclass(frozen=True)
class QuestionSettings(AugmentedSettings):
    """Domain adaptation with root annotation."""

    atis_train: Path = setting(ATIS / "train.conllu", "training trees of the second target domain")
    atis_dev: Path = setting(ATIS / "dev.conllu", "dev trees of the second target domain")
    domains: tuple[Domain, ...] = setting(("questions", "atis"), "target domains")
    schedule: float = setting(1.0, "target-domain sentences per treebank tree")


TABLE2: dict[tuple[str, str], tuple[float, ...]] = {
    ("transition", "plain"): (67.97, 73.52, 47.60),
    ("transition", "trees"): (84.59, 89.59, 91.06),
    ("transition", "root"): (76.27, 86.42, 83.41),
}
MEASURES = ("LAS", "UAS", "root F1")
TRAININGS = {
    "plain": "treebank",
    "root": "and the roots of the domain, by lists",
    "forced": "and the roots of the domain, by forced search",
    "trees": "and the trees of the domain",
}


def is_question(tree: DependencyTree) -> bool:
    """Whether a sentence ends in a question mark, ignoring closing quotes and brackets."""
    forms = [form for form in tree.forms if form not in {'"', "''", ")", "'"}]
    return bool(forms) and forms[-1].endswith("?")


def questions(context: Context) -> Iterator[Result]:
    """Table 2, on the treebank's own questions and on spoken queries."""
    settings: QuestionSettings = context.settings
    for name in settings.domains:
        adapted = partial(_adaptation, name=name)
        yield from by_seed(context, adapted, f"Adaptation to {name}", MEASURES)


def _domain(context: Context, name: Domain) -> tuple[Trees, Trees, Trees]:
    """The treebank, target sentences to learn from, and target sentences to score."""
    settings: QuestionSettings = context.settings
    trees = settings.treebank(context.seed)
    if name == "atis":
        atis = (conllu.read(path) for path in (settings.atis_train, settings.atis_dev))
        train, test = ([one_tag_set(tree) for tree in each] for each in atis)
        return [one_tag_set(tree) for tree in trees], train, test
    own = [tree for tree in trees if is_question(tree)]
    test = [tree for tree in settings.dev_trees if is_question(tree)]
    return [tree for tree in trees if not is_question(tree)], own, test


def one_tag_set(tree: DependencyTree) -> DependencyTree:
    """The sentence with UPOS in place of XPOS: the two treebanks share no other tags."""
    return replace(tree, words=tuple(word._replace(xpos=word.upos) for word in tree.words))


def _adaptation(context: Context, name: Domain) -> tuple[Table, Scores]:
    trees, domain, test = _domain(context, name)
    paper = TABLE2 if name == "questions" else {}
    settings: QuestionSettings = context.settings
    lists = AugmentSettings(settings.train, "root", "root", settings.schedule, settings.k)
    forced = replace(lists, search="forced")
    rows: list[Sequence[Cell]] = []
    scores: Scores = {}
    for family in settings.parsers:
        task = Task(f"{name}-plain", family, trees, test, known=domain)
        tasks = (
            task,
            replace(task, name=f"{name}-root", others=augmented(lists, domain)),
            replace(task, name=f"{name}-forced", others=augmented(forced, domain)),
            replace(task, name=f"{name}-trees", trees=[*trees, *domain], known=()),
        )
        plain = None
        for kind, (_, counts, _) in zip(TRAININGS, scored(context, tasks), strict=True):
            now = tuple(counts[metric] for metric in ("LAS", "UAS", "Root"))
            plain = plain or now
            scores[family, TRAININGS[kind]] = now
            cells: list[Cell] = [family, TRAININGS[kind]]
            theirs = paper.get((family, kind), (None, None, None))
            for a, b, figure in zip(now, plain, theirs, strict=True):
                cells += [Beside(per_cent(a), figure), p_value(a, b, context.seed)]
            rows.append(cells)
    title = f"Adaptation to {name} (the paper's table 2): {len(trees)} trees, {len(domain)} "
    title += f"sentences of the domain, {len(test)} to score on"
    heads = [head for each in MEASURES for head in (each, "p")]
    return Table(title, ("parser", "training data", *heads), rows, NOTE, digits=3), scores


EXPERIMENTS = (Experiment("augmented-loss/questions", "Questions", QuestionSettings, questions),)
