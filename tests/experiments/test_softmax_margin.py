"""The softmax-margin experiments run from end to end on a sampled treebank."""

from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from tests.brute import Brute
from tests.checks import seeded
from tests.examples import random_example
from treewright.data.auto import write_auto
from treewright.experiments import experiment_named
from treewright.experiments.experiment import Context, Plot, Result, Table
from treewright.experiments.files import settings_of
from treewright.experiments.softmax_margin.forests import node_states
from treewright.experiments.softmax_margin.systems import LossBench
from treewright.forests.forest import Forest
from treewright.minibank.sentences import sample
from treewright.models.ccg.parser import CcgParser
from treewright.models.kinds import load
from treewright.models.training import plan_of, train
from treewright.train.run import Run

TAGGER = {"local_passes": 4, "chain": {"iterations": 5}}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bank") / "train.auto"
    write_auto(path, sample(60, 1))
    return path


@pytest.fixture(scope="module")
def supertagger(bank: Path) -> Path:
    config = {"kind": "super", "train": str(bank), "tagger": TAGGER, "pos": TAGGER}
    return train(plan_of(config, "test"), Run(bank.parent / "super", 1, quiet=True))


@pytest.fixture
def context_of(bank: Path, supertagger: Path, tmp_path: Path) -> object:
    def make(name: str, *changes: str) -> list[Result]:
        experiment = experiment_named(f"softmax-margin/{name}")
        own = [f'model.train="{bank}"', f'model.supertagger="{supertagger}"']
        short = [f'dev="{bank}"', "dev_sentences=20", "model.optimiser.iterations=4"]
        short = [] if name == "growth" else short
        chosen = settings_of(experiment, [*own, *short, *changes])
        return list(experiment.run(Context(chosen, tmp_path, threads=1, quiet=True)))

    return make


@pytest.mark.parametrize(
    ("name", "rows", "plots", "changes"),
    [
        ("table4", [9, 9], 0, []),
        ("table5", [4, 4], 0, []),
        ("table3", [5], 0, []),
        ("figure6", [4], 1, ["taus=[3.0]"]),
        ("splits", [1], 2, ["forests=3"]),
        ("growth", [2], 0, ["sentences=20", "margins=[3.0, inf]"]),
        ("corpus", [6], 0, ["batches=[2, 8]", "passes=2", "model.training.sentences=20"]),
    ],
)
def test_experiments_run(
    name: str, rows: list[int], plots: int, changes: list[str], context_of
) -> None:  # type: ignore[no-untyped-def]
    found = context_of(name, *changes)
    tables = [each for each in found if isinstance(each, Table)]
    if name == "growth":
        (pruned, free), edges = tables[0].rows, tables[0].columns.index("edges")
        assert pruned[edges] < free[edges]
    if name == "splits":
        assert all(row[2] <= row[3] for row in tables[0].rows)
    else:
        assert [len(table.rows) for table in tables] == rows
    assert all(len(row) == len(table.columns) for table in tables for row in table.rows)
    assert sum(isinstance(each, Plot) for each in found) == plots


def test_without_a_supertagger_one_is_trained_once(bank: Path, tmp_path: Path) -> None:
    experiment = experiment_named("softmax-margin/splits")
    chosen = settings_of(experiment, [f'model.train="{bank}"', f'dev="{bank}"'])
    context = Context(chosen, tmp_path, threads=1, quiet=True, key="key")
    found = LossBench(context).model.supertagger
    assert found is not None
    assert load(found).kind == "super"
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["key"]


@settings(max_examples=40)
@given(seeded(random_example))
def test_states_are_those_of_all_derivations(example: object) -> None:
    forest: Forest = example.forest  # type: ignore[attr-defined]
    assume(forest.counts is not None)
    brute = Brute(forest, [0.0] * forest.parts)
    _, states = node_states(forest)
    for node, derivations in enumerate(brute.derivations_of):
        wanted = {brute.totals(edges)[:2] for edges in derivations}
        assert set(states[node]) == wanted
        assert len(states[node]) == len(wanted)


def test_a_parser_learns_what_its_supertagger_is_worth(bank: Path, supertagger: Path) -> None:
    config = {
        "kind": "ccg", "train": str(bank), "supertagger": str(supertagger), "tagger": TAGGER,
        "training": {"tagger_folds": 2, "learns_tagger_weight": True},
        "optimiser": {"iterations": 8},
    }  # fmt: skip
    run = Run(bank.parent / "ccg", 1, quiet=True)
    model = load(train(plan_of(config, "test"), run))
    assert isinstance(model, CcgParser)
    assert model.settings.tagger_weight not in (0.0, 1.0)
    assert {each.name for each in (run.directory / "stages").iterdir()} >= {
        "supertagger-0",
        "supertagger-1",
    }
    assert str(model.parse("the dog sleeps"))
