"""`treewright runs`: the table, JSON and curves of runs."""

import io
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
    assert (code, error) == (2, f"{tmp_path}: contains no run")
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


def curve(name: str, *rows: dict[str, object]) -> list[dict[str, object]]:
    facts = {"optimise": name, "seconds": 1.0, "peak_rss_mb": 5.0}
    return [facts | {"iteration": i, "objective": 10 - i} | row for i, row in enumerate(rows, 1)]


TAGGER = [*curve("pos-local", {}, {}, {}), *curve("pos-chain", *[{"score": 0.97}] * 5)]


def test_a_tagger_in_a_parser_is_not_the_parser() -> None:
    own = curve("weights", {"score": 0.5}, {"score": 0.75})
    for records in (TAGGER + own, own + TAGGER):
        summary = History(Path("x"), {"kind": "const"}, records).summary()
        assert (summary["iterations"], summary["best_score"], summary["value"]) == (2, 0.75, 8)
    summary = History(Path("x"), {"kind": "const"}, TAGGER).summary()
    assert (summary["iterations"], summary["best_score"]) == (0, None)
    records = TAGGER + curve("super-local", {}) + curve("super-chain", {"score": 0.9}, {})
    summary = History(Path("x"), {"kind": "super"}, records).summary()
    assert (summary["iterations"], summary["best_score"]) == (2, 0.9)


def test_the_score_is_that_of_the_trained_model() -> None:
    records = curve("weights", {"score": 0.75}, {"score": 0.5})
    for patience, score in ((0, 0.5), (3, 0.75)):
        config = {"kind": "const", "optimiser": {"name": "lbfgs", "patience": patience}}
        summary = History(Path("x"), config, records).summary()
        assert (summary["score"], summary["best_score"]) == (score, 0.75)


def test_models_that_are_not_optimised_have_a_score() -> None:
    alone = {"score": 0.8, "seconds": 1.0, "peak_rss_mb": 5.0}
    for kind, records in (("const", [alone, *TAGGER]), ("tok", [*curve("tok-local", {}), alone])):
        summary = History(Path("x"), {"kind": kind}, records).summary()
        assert (summary["score"], summary["best_score"]) == (0.8, 0.8)
    own = [*curve("trees", {"score": 0.5}), alone]  # a parser with a tokeniser
    assert History(Path("x"), {"kind": "dep"}, own).final_score == 0.5


def test_an_svm_shows_its_method_and_the_best_of_several() -> None:
    config = {
        "kind": "const",
        "solver": "svm",
        "svm": {"method": "n-slack"},
        "optimiser": {"name": "lbfgs"},
    }
    records = [*curve("svm, c = 1", {}, {"score": 0.75}), *curve("svm, c = 2", {"score": 0.5})]
    summary = History(Path("x"), config, records).summary()
    assert (summary["optimiser"], summary["iterations"]) == ("n-slack", 2)
    assert summary["best_score"] == 0.75


def test_figures_are_whole_on_a_narrow_terminal() -> None:
    from rich.console import Console

    from treewright.report.tables import runs_table

    config = {"kind": "const", "objective": {"name": "softmax-margin", "loss": "sized-f1"}}
    rows = [{"score": 0.123456, "objective": 12345.678, "seconds": 98765.4, "peak_rss_mb": 8765.4}]
    history = History(Path("/a/long/way/to/a/run/of/many"), config, curve("weights", *rows))
    console = Console(width=80, record=True, file=io.StringIO())
    console.print(runs_table([history] * 3))
    text = console.export_text()
    assert max(map(len, text.splitlines())) <= 80
    for figure in ("0.12346", " 12346 ", "98765", "8765.4"):
        assert text.count(figure) == 3


def test_a_curve_has_one_colour_and_no_legend_over_it() -> None:
    from matplotlib.figure import Figure

    from treewright.report.plots import learning_curves

    plain = curve("weights", {}, {}, {})
    scored = curve("weights", {"score": 0.5}, {"score": 0.75})
    histories = [History(Path(n), {"kind": "toy"}, r) for n, r in (("a", plain), ("b", scored))]
    figure = Figure(layout="constrained")
    learning_curves(figure, histories)
    above, below = figure.axes
    colours = {line.get_label(): line.get_color() for line in above.lines}
    assert len(set(colours.values())) == 2
    assert [line.get_color() for line in below.lines] == [colours["b"]]
    assert above.get_legend() is None
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["a", "b"]


def test_a_plot_shows_parsers_and_not_their_taggers() -> None:
    from matplotlib.figure import Figure

    from treewright.report.plots import learning_curves

    own = curve("weights", {"score": 0.5}, {"score": 0.75})
    figure = Figure(layout="constrained")
    learning_curves(figure, [History(Path("a"), {"kind": "const"}, TAGGER + own)])
    above, below = figure.axes
    assert [list(line.get_ydata()) for line in above.lines] == [[9, 8]]
    assert [list(line.get_ydata()) for line in below.lines] == [[0.5, 0.75]]
