"""`treewright runs`: the table, JSON and curves of runs."""

import json
from pathlib import Path

import pytest

from tests.cli.test_train import CONFIG, run
from treewright.report.plots import save_figure
from treewright.train.history import History


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("runs")
    (place / "toy.toml").write_text(CONFIG)
    for name in ("lbfgs", "adam"):
        changes = "--set", f"optimiser.name={name}"
        assert run("train", place / "toy.toml", "--run", place / name, *changes)[0] == 0
    return place


def test_one_object_a_run(runs: Path) -> None:
    code, output = run("runs", runs / "lbfgs", runs / "adam", "--json")
    assert code == 0
    first, second = map(json.loads, output.splitlines())
    assert (first["optimiser"], second["optimiser"]) == ("lbfgs", "adam")
    assert (first["objective"], first["state"]) == ("softmax-margin, f1", "finished")
    assert first["iterations"] == second["iterations"] == 4
    assert 0 < first["best_score"] <= 1
    assert first["value"] > 0
    assert first["seconds"] > 0


def test_a_directory_of_runs_is_a_table(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    code, output = run("runs", runs)
    assert code == 0
    assert "softmax-margin, f1" in output
    assert output.index("/adam") < output.index("/lbfgs")


@pytest.mark.parametrize(("suffix", "magic"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_learning_curves(runs: Path, tmp_path: Path, suffix: str, magic: bytes) -> None:
    for name in "ab":
        assert run("runs", runs, "--plot", tmp_path / f"{name}.{suffix}")[0] == 0
    first, second = ((tmp_path / f"{name}.{suffix}").read_bytes() for name in "ab")
    assert first.startswith(magic)
    assert first == second


def test_what_is_wrong_is_one_error(runs: Path, tmp_path: Path) -> None:
    code, error = run("runs", runs, "--plot", tmp_path / "a.gif")
    assert (code, "a.gif: a figure must end in" in error) == (2, True)
    code, error = run("runs", tmp_path)
    assert (code, error) == (2, f"{tmp_path}: no run in it")
    assert run("runs", tmp_path / "none")[0] == 2
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "resolved.toml").write_text('kind = "toy"')
    for line in ("{", "[]", '{"seconds": 1}'):
        (tmp_path / "run" / "records.jsonl").write_text(f"{line}\n")
        code, error = run("runs", tmp_path / "run")
        assert (code, "records.jsonl:1: not a record" in error) == (2, True)
    (tmp_path / "run" / "resolved.toml").write_text("kind =")
    assert "resolved.toml: not valid TOML" in run("runs", tmp_path / "run")[1]


def test_figures_without_matplotlib(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(Exception, match=r"treewright\[plot\]"):
        save_figure(tmp_path / "a.png", lambda _: None)


def test_work_done_twice_counts_once() -> None:
    def row(iteration: int, value: float, seconds: float) -> dict[str, object]:
        return {
            "optimise": "w",
            "iteration": iteration,
            "objective": value,
            "seconds": seconds,
            "peak_rss_mb": 5.0,
        }

    event = {"event": "resumed", "seconds": 0.5, "peak_rss_mb": 9.0}
    records = [row(1, 9, 1), row(2, 8, 2), event, row(2, 8, 3), row(3, 7, 4)]
    history = History(Path("x"), {"kind": "toy"}, records)
    assert [each["objective"] for each in history.curves["w"]] == [9, 8, 7]
    assert history.seconds == 6
    summary = history.summary()
    assert (summary["iterations"], summary["value"], summary["peak_rss_mb"]) == (3, 7, 9.0)
