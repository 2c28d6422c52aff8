"""The constituency experiments run through on a small treebank."""

from pathlib import Path

import pytest

from treewright.experiments.constituency.accuracy import AccuracySettings, accuracy
from treewright.experiments.constituency.objectives import (
    ObjectiveComparisonSettings,
    objectives,
)
from treewright.experiments.constituency.solvers import SolverSettings, solvers
from treewright.experiments.constituency.speed import SpeedSettings, speed
from treewright.experiments.experiment import Context, Plot, Table
from treewright.experiments.max_margin.tables import Table1Settings, table1
from treewright.minibank.brackets import bracketed
from treewright.minibank.sentences import sample


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bank") / "train.mrg"
    path.write_text("".join(bracketed(each) + "\n" for each in sample(60, 1)))
    return path


def test_table1(treebank: Path, tmp_path: Path) -> None:
    settings = Table1Settings(train=treebank, test=treebank, held_out=12, c=(10.0, 100.0), passes=2)
    results = list(table1(Context(settings, tmp_path, threads=1, quiet=True)))
    table, tried = (each for each in results if isinstance(each, Table))
    baselines = ["span model alone", "PCFG", "PCFG, else span model", "PCFG, pruned"]
    losses = ["0/1 (bin.)", "#FP (bin.)", "F1 (bin.)", "F1"]
    assert [row[0] for row in table.rows] == baselines + losses
    assert [row[0] for row in tried.rows] == losses
    assert all(float(row[5]) > 50 for row in table.rows)  # type: ignore[arg-type]
    assert sum(isinstance(each, Plot) for each in results) == 1
    again = list(table1(Context(settings, tmp_path, threads=1, quiet=True)))
    assert [each.rows for each in again if isinstance(each, Table)] == [table.rows, tried.rows]


def test_table1_without_pruning(treebank: Path, tmp_path: Path) -> None:
    """Relative frequencies score the same in charts of which nothing is pruned."""
    settings = Table1Settings(
        train=treebank, test=treebank, held_out=12, c=(10.0,), passes=1, threshold=0.0
    )
    table, _ = (
        each
        for each in table1(Context(settings, tmp_path, threads=1, quiet=True))
        if isinstance(each, Table)
    )
    rows = {row[0]: row[1:] for row in table.rows}
    assert rows["PCFG, pruned"] == rows["PCFG, else span model"]


def test_accuracy_and_speed(treebank: Path, tmp_path: Path) -> None:
    both = ("likelihood", "softmax-margin")
    settings = AccuracySettings(
        train=treebank, test=treebank, passes=2, automatic=False, objectives=both
    )
    [table] = accuracy(Context(settings, tmp_path, threads=1, quiet=True))
    assert isinstance(table, Table)
    assert table.rows[0][1] == "PCFG, h=1, v=2"
    assert all(float(row[4]) > 70 for row in table.rows)  # type: ignore[arg-type]
    compared = [(row[6] is not None, row[8] is not None) for row in table.rows]
    assert compared == [(False, False), *[(True, False)] * 2, *[(True, True)] * 2]
    fast = SpeedSettings(train=treebank, test=treebank, passes=2, objectives=both, most=5)
    found = list(speed(Context(fast, tmp_path, threads=1, quiet=True)))
    rates, training = (each for each in found if isinstance(each, Table))
    assert len(rates.rows) == len(table.rows)
    assert [row[0] for row in training.rows] == list(both)


def test_solvers(treebank: Path, tmp_path: Path) -> None:
    pytest.importorskip("clarabel")
    settings = SolverSettings(train=treebank, test=treebank, rounds=4, losses=("f1",))
    [table] = solvers(Context(settings, tmp_path, threads=1, quiet=True))
    assert isinstance(table, Table)
    assert [row[1] for row in table.rows] == ["one-slack", "n-slack", "frank-wolfe"]
    assert all(0 < float(row[7]) < 1 for row in table.rows[:2])  # type: ignore[arg-type]
    assert all(-1e-9 <= float(row[4]) <= 1 for row in table.rows)  # type: ignore[arg-type]


def test_objectives(treebank: Path, tmp_path: Path) -> None:
    settings = ObjectiveComparisonSettings(
        *(treebank, treebank),
        held_out=12,
        tau=(1.0,),
        prior=(1.0,),
        passes=1,
        shared_bits=8,
        samples=50,
    )
    [table] = objectives(Context(settings, tmp_path, threads=1, quiet=True))
    assert isinstance(table, Table)
    assert table.rows[0][:1] == ("likelihood",)
    assert table.rows[0][5] == 0
    assert all(float(row[3]) > 70 for row in table.rows)  # type: ignore[arg-type]
