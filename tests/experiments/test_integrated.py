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

FEW = {
    "table2": [],
    "table4": [],
    "table5": [],
    "table6": ["rounds=1"],
    "table7": ["train_sentences=10", "optimiser.iterations=1"],
    "figure4": ["iterations=3"],
    "figure5": [],
    "figure6": ["iterations=20"],
    "pos": ["pos_beta=0.001"],
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
    if name == "losses":
        tagger = files / "model" / "parts" / "super"
        found += [f'model.train="{files / "train.auto"}"', f'model.supertagger="{tagger}"']
        return [*found, f'loss_supertagger="{tagger}"']
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
        assert with_paper or name == "pos"


def test_a_parser_is_needed(files: Path) -> None:
    with pytest.raises(ConfigError, match="kind 'ccg'"):
        parser_in(str(files / "model" / "parts" / "super"))
