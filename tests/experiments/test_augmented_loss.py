"""The augmented-loss experiments run from end to end on a few sentences."""

import io
from dataclasses import replace
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest

from tests.models.dependency.test_parser import treebank
from treewright.data import conllu
from treewright.experiments import experiment_named
from treewright.experiments.augmented_loss.questions import is_question, one_tag_set
from treewright.experiments.augmented_loss.runs import Task, augmented
from treewright.experiments.augmented_loss.seeds import over_seeds
from treewright.experiments.experiment import Context, Table
from treewright.experiments.files import run_experiment, settings_of
from treewright.metrics.counts import Counts
from treewright.metrics.significance import paired_bootstrap
from treewright.models.dependency.algorithms import TrainingData
from treewright.models.dependency.training import encoded
from treewright.scores.dependency.encoder import TreeEncoder
from treewright.train.augmented import FullTree, Ranked
from treewright.train.supervision import AugmentSettings


def files(folder: Path) -> list[str]:
    """A treebank of which every third sentence ends in a question mark; options that name it."""
    trees = list(conllu.read(treebank(folder / "plain.conllu")))
    asked = [
        replace(tree, words=(*tree.words[:-1], tree.words[-1]._replace(form="what?")))
        if i % 3 == 0
        else tree
        for i, tree in enumerate(trees)
    ]
    conllu.write(asked, folder / "trees.conllu")
    assert sum(map(is_question, asked)) == 6
    return [f'{key}="{folder / "trees.conllu"}"' for key in ("train", "dev")]


@pytest.mark.parametrize(
    ("name", "rows", "options"),
    [
        ("reordering", [6], ["schedules=[2.0]"]),
        ("arc-length", [12], []),
        ("questions", [8, 8], ["atis_train", "atis_dev"]),
    ],
)
def test_experiments_run(name: str, rows: list[int], options: list[str], tmp_path: Path) -> None:
    changes = files(tmp_path)
    path = tmp_path / "trees.conllu"
    changes += [each if "=" in each else f'{each}="{path}"' for each in options]
    experiment = experiment_named(f"augmented-loss/{name}")
    settings = settings_of(experiment, [*changes, "passes=2", "k=4", "beam=4"])
    context = Context(settings, tmp_path / "out", seed=1, threads=1, quiet=True)
    tables = [each for each in experiment.run(context) if isinstance(each, Table)]
    assert [len(table.rows) for table in tables] == rows
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    # A second run takes the parses from the run directories.
    assert [each.rows for each in experiment.run(context) if isinstance(each, Table)] == [
        table.rows for table in tables
    ]
    assert "paper" in run_experiment(experiment, replace(context, out=tmp_path / "out"))


def test_the_control_sees_as_many_examples(tmp_path: Path) -> None:
    trees = list(conllu.read(treebank(tmp_path / "plain.conllu")))
    encoder = TreeEncoder.fit([t.words for t in trees], (w.deprel for t in trees for w in t.words))
    data = TrainingData(encoder, *encoded(encoder, [tree.words for tree in trees]), [], [])
    how = AugmentSettings(loss="arc-length-unlabelled", schedule=2.0)
    plain = Task("plain", "graph", trees, trees)
    ranked = replace(plain, others=augmented(how, trees))

    def sets(task: Task) -> list[tuple[type, int, float]]:
        found = task._sets(data)
        return [(type(each.examples[0]), len(each.examples), each.schedule) for each in found]

    first = (FullTree, len(trees), 1.0)
    assert sets(plain) == [first]
    assert sets(ranked) == [first, (Ranked, len(trees), 2.0)]
    assert sets(replace(plain, again=2.0)) == [first, (FullTree, len(trees), 2.0)]
    assert sets(replace(ranked, alone=True)) == [(Ranked, len(trees), 2.0)]


def test_one_tag_set() -> None:
    tree = next(iter(conllu.read(io.StringIO("1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n\n"))))
    assert one_tag_set(tree).xpos == ("VERB",)
    assert not is_question(tree)


@pytest.mark.parametrize(
    ("name", "column", "options"),
    [
        ("questions", 2, ['domains=["questions"]']),
        ("reordering", 3, ["schedules=[2.0]"]),
        ("arc-length", 3, []),
    ],
)
def test_means_over_seeds(name: str, column: int, options: list[str], tmp_path: Path) -> None:
    changes = [*files(tmp_path), *options, 'parsers=["graph"]', "passes=2"]
    experiment = experiment_named(f"augmented-loss/{name}")
    settings = settings_of(experiment, [*changes, "seeds=[1, 2]", "k=4"])
    context = Context(settings, tmp_path / "out", threads=1, quiet=True)
    one, two, both = experiment.run(context)
    assert one.title.endswith("seed 1")
    assert two.title.endswith("seed 2")
    las = [table.rows[1][column].ours for table in (one, two)]
    plain = [table.rows[0][column].ours for table in (one, two)]
    row = both.rows[1]
    assert row[2] == f"{mean(las):.2f} ± {stdev(las):.2f}"
    assert row[3] == pytest.approx(mean(las) - mean(plain))
    assert [float(gain) for gain in row[4].split()] == [
        round(a - b, 2) for a, b in zip(las, plain, strict=True)
    ]
    heads = list(both.columns)
    assert row[heads.index("p")] is not None
    assert both.rows[0][heads.index("p")] is None
    controls = [r[1] for r in both.rows if str(r[1]).startswith("again")]
    assert ("p, control" in heads) == bool(controls) == (name != "questions")
    if controls:
        place = heads.index("p, control")
        tested = {row[1] for row in both.rows if row[place] is not None}
        assert tested == {row[1] for row in both.rows} - {"plain", *controls}
    # A seed by itself gives the same.
    alone = replace(context, settings=replace(settings, seeds=()), seed=2, out=tmp_path / "alone")
    assert next(iter(experiment.run(alone))).rows == two.rows


def test_p_values_are_for_the_counts_of_all_seeds() -> None:
    rng = np.random.default_rng(0)

    def counts() -> tuple[Counts]:
        return (Counts(rng.integers(0, 6, 50), np.full(50, 6), np.full(50, 6)),)

    names = ("plain", "order-1", "again-1")
    results = [{("graph", name): counts() for name in names} for _ in range(3)]
    table = over_seeds("T", results, ("LAS",))
    for column, other in (("p", "plain"), ("p, control", "again-1")):
        a, b = (Counts.sums(r["graph", x][0] for r in results) for x in ("order-1", other))
        assert table.rows[1][list(table.columns).index(column)] == paired_bootstrap(a, b).p_value


def test_objectives_on_trees(tmp_path: Path) -> None:
    changes = [*files(tmp_path), "passes=2", "tuning=10", "held_out=6", "tuning_passes=1"]
    experiment = experiment_named("augmented-loss/forests")
    options = ["taus=[1.0, 2.0]", "graph.bits=14", 'algorithms=["mst"]']
    settings = settings_of(experiment, changes + options)
    context = Context(settings, tmp_path / "out", threads=1, quiet=True)
    table, weights = experiment.run(context)
    assert [row[1:4:2] for row in table.rows] == [
        ("likelihood", "viterbi"),
        ("likelihood", "min-risk"),
        ("softmax-margin", "viterbi"),
        ("softmax-margin", "min-risk"),
    ]
    assert len(weights.rows) == 1
    best = weights.rows[0][2:]
    assert table.rows[2][2] == (1.0, 2.0)[best.index(max(best))]
