"""The experiments on integrated models run from end to end on a few sentences."""

from pathlib import Path

import pytest

from tests.small_ccg import bank, small_parser
from treewright.data.auto import write_auto
from treewright.errors import ConfigError
from treewright.experiments import experiment_named
from treewright.experiments.experiment import Beside, Context, Plot, Table
from treewright.experiments.files import settings_of
from treewright.experiments.integrated.systems import parser_in
from treewright.models.tagging.model import log_linear

FEW = {
    "table2": [],
    "table4": [],
    "table5": [],
    "table6": ["rounds=1"],
    "table7": ["train_sentences=10", "optimiser.iterations=1"],
    "figure4": ["iterations=3"],
    "figure5": [],
    "figure6": ["iterations=20"],
    "exact": ["max_words=9", "iterations=[1, 3]", 'schedules=["adaptive"]'],
    "pos": ["pos_beta=0.001"],
    "attribution": [
        "model.optimiser.iterations=2",
        'model.optimiser.name="adagrad"',
        'losses=["CLL"]',
        "margins=[12.0]",
        "seeds=[0, 1]",
    ],
    "losses": [
        "model.training.tagger_folds=0",
        "model.training.learns_tagger_weight=false",
        "model.optimiser.iterations=2",
    ],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("integrated")
    write_auto(folder / "train.auto", bank()[:70])
    write_auto(folder / "dev.auto", bank()[70:82])
    small_parser().save(folder / "model")
    return folder


def changes(name: str, files: Path) -> list[str]:
    found = [f'dev="{files / "dev.auto"}"', *FEW[name]]
    if name in ("losses", "attribution"):
        tagger = files / "model" / "parts" / "super"
        found += [f'model.train="{files / "train.auto"}"', f'model.supertagger="{tagger}"']
        return [*found, *([f'loss_supertagger="{tagger}"'] if name == "losses" else [])]
    if name == "table7":
        found.append(f'train="{files / "train.auto"}"')
    return [*found, f'model="{files / "model"}"']


@pytest.mark.parametrize("name", FEW)
def test_experiments_run(name: str, files: Path, tmp_path: Path) -> None:
    experiment = experiment_named(f"integrated/{name}")
    settings = settings_of(experiment, changes(name, files))
    context = Context(settings, tmp_path / "out", threads=1, quiet=True)
    results = list(experiment.run(context))
    tables = [each for each in results if isinstance(each, Table)]
    assert tables
    assert name.startswith("figure") == any(isinstance(each, Plot) for each in results)
    for table in tables:
        assert table.rows
        assert all(len(row) == len(table.columns) for row in table.rows)
    if name != "figure5":
        cells = [cell for table in tables for row in table.rows for cell in row]
        with_paper = [cell for cell in cells if isinstance(cell, Beside)]
        assert with_paper or name in ("attribution", "exact", "pos")


def test_beliefs_and_solutions_against_the_truth(files: Path, tmp_path: Path) -> None:
    """On the chains of order 2 that the parser ships with."""
    order = log_linear(parser_in(str(files / "model")).supertagger.tagger).order
    assert order == 2
    experiment = experiment_named("integrated/exact")
    own = [f'dev="{files / "train.auto"}"', "sentences=40", "iterations=[1, 25]"]
    options = [*changes("exact", files), *own]
    context = Context(settings_of(experiment, options), tmp_path / "out", threads=1, quiet=True)
    of_dual, of_beliefs = experiment.run(context)
    ((_, short, made, growth, certified, optimal, wrong),) = of_dual.rows
    assert 5 < made <= short
    assert growth > 1
    assert optimal >= certified > 50
    assert wrong == 0
    (_, _, first, most, _), (_, _, last, _, top) = of_beliefs.rows
    assert last <= first < most < 0.5
    assert last < 0.01
    assert top > 95


def test_derivations_for_a_part_of_the_treebank(files: Path, tmp_path: Path) -> None:
    experiment = experiment_named("integrated/partial")
    options = [f'model.train="{files / "train.auto"}"', f'dev="{files / "dev.auto"}"']
    options += ["model.tagger.local_passes=3", "model.tagger.chain.iterations=3"]
    options += ["model.pos.local_passes=1", "model.pos.chain.iterations=1"]
    options += ["model.optimiser.iterations=3", "optimiser.iterations=1", "shares=[0.5]"]
    options += ["sentences=40"]
    context = Context(settings_of(experiment, options), tmp_path, threads=1, quiet=True)
    table, plot = experiment.run(context)
    assert isinstance(plot, Plot)
    assert [row[:2] for row in table.rows] == [[50, 20]] * 4 + [[100, 40], [100, 0]]
    latent = [row[2] for row in table.rows]
    assert latent[:2] == [0, 0]
    assert all(3 < others <= 20 for others in latent[2:4])
    assert latent[4:] == [0, 40]
    assert all(0 < figure <= 100 for row in table.rows for figure in row[4:7])


def test_a_parser_is_needed(files: Path) -> None:
    with pytest.raises(ConfigError, match="kind 'ccg'"):
        parser_in(str(files / "model" / "parts" / "super"))
