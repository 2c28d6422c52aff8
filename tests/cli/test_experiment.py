"""`treewright experiment`: the list, the reports, and what is refused."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest

from tests.cli.test_train import run
from treewright import experiments
from treewright.experiments import files
from treewright.experiments.cells import corrected
from treewright.experiments.experiment import Beside, Context, Experiment, Plot, Result, Table
from treewright.experiments.files import run_experiment, settings_of, stage_key, table_markdown
from treewright.experiments.page import experiment_page
from treewright.report.plots import save_figure
from treewright.storage.bundle import Bundle
from treewright.storage.tensors import write_tensors

SMALL = ("--set", "sizes=[5]", "--set", "tolerances=[0.01]")


def test_the_list_names_every_experiment() -> None:
    code, output = run("experiment")
    assert code == 0
    assert "core/expsum-terms  Terms of exponential sums" in output.splitlines()
    assert list(experiments.all_experiments()) == sorted(experiments.all_experiments())


def test_an_experiment_leaves_a_report(tmp_path: Path) -> None:
    code, output = run("experiment", "core/expsum-terms", "--out", tmp_path / "x", *SMALL)
    assert code == 0
    assert "| tau | size | 0.01 |" in output
    assert (tmp_path / "x" / "report.md").read_text() + "\n" == output
    found = json.loads((tmp_path / "x" / "report.json").read_text())
    assert found["settings"]["sizes"] == [5]
    assert found["machine"].keys() >= {"treewright", "numpy", "cpu simd"}
    (table,) = found["tables"]
    assert [row[:2] for row in table["rows"]] == [[1.0, 5], [5.0, 5]]
    assert all(1 <= row[2] <= 128 for row in table["rows"])
    assert (tmp_path / "x" / "terms.png").read_bytes().startswith(b"\x89PNG")


def test_results_of_other_settings_are_not_overwritten(tmp_path: Path) -> None:
    for _ in range(2):
        assert run("experiment", "core/expsum-terms", "--out", tmp_path, *SMALL)[0] == 0
    code, error = run("experiment", "core/expsum-terms", "--out", tmp_path, *SMALL, "--seed", 1)
    assert code == 2
    assert "choose another --out" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("no/such",), "unknown experiment 'no/such': one of augmented-loss"),
        (("core/expsum-terms", "--set", "size=3"), "unknown key 'size'; did you mean 'sizes'?"),
        (("core/expsum-terms", "--set", "loss=f"), "unknown loss 'f'"),
        (("core/expsum-terms", "--set", "loss=hamming"), "not a function of the counts"),
    ],
)
def test_wrong_arguments(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    code, error = run("experiment", *arguments, "--out", tmp_path / "x")
    assert code == 2
    assert message in error
    assert not (tmp_path / "x" / "report.md").exists()


def test_the_papers_figures_stand_beside_ours() -> None:
    table = Table("T", ("loss", "LF", "LP"), [("f1", Beside(84.1, 86.713), Beside(80.0, None))])
    text = table_markdown(table)
    assert "| f1 | 84.10 (86.71) | 80.00 |" in text
    assert text.endswith("In brackets: the paper's.")


def test_a_page_has_the_papers_figures_in_columns_of_their_own(tmp_path: Path) -> None:
    rows = [("f1", Beside(84.1, 86.713), 1), ("<none>", 80.0, 2)]
    results = [
        Table("T", ("loss", "LF", "runs"), rows),
        Plot("p", "A figure", lambda _: None),
        "So.",
    ]
    save_figure(tmp_path / "p.png", lambda _: None)
    experiment = Experiment("my/own", "Mine", Nothing, lambda _: results)
    text = experiment_page(experiment, Context(Nothing(), tmp_path), results)
    heads = "".join(f'<th scope="col">{name}</th>' for name in ("loss", "LF", "LF, paper", "runs"))
    assert heads in text
    assert "<td>f1</td><td>84.10</td><td>86.71</td><td>1</td>" in text
    assert "<td>&lt;none&gt;</td><td>80.00</td><td></td><td>2</td>" in text
    assert 'alt="A figure" src="data:image/png;base64,' in text


@dataclass(frozen=True)
class Nothing:
    """No settings."""


def test_trainings_inside_an_experiment_are_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True)
    class Nothing:
        pass

    def trains(context: Context) -> Iterator[Result]:
        for name in "ab":
            context.train(name, {"kind": "toy", "sentences": 4, "optimiser": {"iterations": 1}})
        yield "Some words."
        yield Plot("empty", "Nothing at all", lambda figure: figure.subplots())

    mine = Experiment("my/own", "Mine", Nothing, trains)
    monkeypatch.setattr(experiments, "all_experiments", lambda: {"my/own": mine})
    monkeypatch.chdir(tmp_path)
    code, output = run("experiment", "my/own")
    assert code == 0
    (made,) = (tmp_path / "experiments/my/own/runs").glob("*/b/model/manifest.json")
    trained = made.stat().st_mtime_ns
    assert run("experiment", "my/own")[0] == 0
    assert "Some words." in output
    assert "![Nothing at all](empty.png)" in output
    assert trained == made.stat().st_mtime_ns


def test_stages_of_other_data_or_another_version_are_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass(frozen=True)
    class OneFile:
        dev: Path = tmp_path / "dev.txt"

    made: list[str] = []

    def counts(context: Context) -> Iterator[Result]:
        def count() -> Bundle:
            made.append(context.settings.dev.read_text())
            return Bundle("count", {"lines": made[-1].count("\n")})

        yield str(context.run("one").stage("count", count).config["lines"])

    mine = Experiment("my/own", "Mine", OneFile, counts)
    for text, version, wanted in (
        ("a\nb\n", "1.0", 1),
        ("a\nb\n", "1.0", 1),
        ("a\n", "1.0", 2),
        ("a\n", "1.1", 3),
        ("a\nb\n", "1.0", 3),
    ):
        OneFile.dev.write_text(text)
        monkeypatch.setattr(files, "environment", lambda v=version: {"treewright": v})
        report = run_experiment(mine, Context(OneFile(), tmp_path / "out"))
        assert str(text.count("\n")) in report.splitlines()
        assert len(made) == wanted


def test_p_values_are_corrected_for_the_rows() -> None:
    rows = [("a", None, 1.0), ("b", 0.01, 2.0), ("c", "0.0300", 3.0), ("d", 0.9, 4.0)]
    table = corrected(Table("T", ("x", "p against a", "LF"), rows))
    text = table_markdown(table)
    assert "| b | 0.0100 [0.0300] | 2.00 |" in text
    assert "| c | 0.0300 [0.0600] | 3.00 |" in text
    assert "| d | 0.9000 [0.9000] | 4.00 |" in text
    assert text.endswith("(Holm).")
    one = Table("T", ("x", "p"), [("a", None), ("b", 0.01)])
    assert table_markdown(corrected(one)) == table_markdown(one)


def test_the_cost_of_training(tmp_path: Path) -> None:
    changes = ("sentences=8", "repeats=1", 'objectives=["likelihood", "softmax-margin f1"]')
    options = [each for change in changes for each in ("--set", change)]
    code, output = run("experiment", "training/cost", "--out", tmp_path, *options)
    assert code == 0
    assert output.startswith("# Cost of training objectives")
    first, threads = json.loads((tmp_path / "report.json").read_text())["tables"]
    assert first["rows"][0][3] == {"ours": 1.0, "paper": None}
    assert first["rows"][1][3]["paper"] == "about 10"
    assert all(row[4] > 10 for row in first["rows"])
    assert [row[0] for row in threads["rows"]] == [1, 2]
    wrong = ("--out", tmp_path / "wrong", "--set", 'objectives=["nll"]')
    code, error = run("experiment", "training/cost", *wrong)
    assert (code, "objective 'nll': unknown objective" in error) == (2, True)


def test_the_cost_of_tau(tmp_path: Path) -> None:
    changes = ("forests=6", "repeats=1", 'losses=["f1"]', "taus=[1.0, 10.0]")
    options = [each for change in changes for each in ("--set", change)]
    code, _ = run("experiment", "training/tau", "--out", tmp_path, *options)
    assert code == 0
    (table,) = json.loads((tmp_path / "report.json").read_text())["tables"]
    assert [row[:2] for row in table["rows"]] == [["likelihood", None], ["f1", 1.0], ["f1", 10.0]]
    trees = tmp_path / "train.mrg"
    trees.write_text("(S (NP (D the) (N dog)) (VP (V saw) (NP (D a) (N cat))))\n" * 6)
    more = ("--set", f"trees={trees}", "--set", "batches=[3]", "--set", "epochs=1")
    code, _ = run("experiment", "training/tau", "--out", tmp_path / "charts", *options, *more)
    assert code == 0
    tables = json.loads((tmp_path / "charts" / "report.json").read_text())["tables"]
    assert [len(each["rows"]) for each in tables] == [3, 2, 3, 2]  # zero weights, then trained
    assert [row[2:4] for row in tables[1]["rows"]] == [[2, 2], [2, 2]]
    weights = tmp_path / "weights.safetensors"
    write_tensors(weights, {"weights": np.zeros(1)}, {})
    wrong = ("--out", tmp_path / "wrong", "--set", f"weights={weights}", "--set", "forests=2")
    code, error = run("experiment", "training/tau", *wrong)
    assert (code, "no weights for the" in error) == (2, True)


NOT_FILES = {"schedule", "graph_features", "transition_features", "loss", "rules", "feature"}


def test_settings_that_name_files_are_paths() -> None:
    """Only then do hashes of data and stage keys know of them."""
    for name, each in experiments.all_experiments().items():
        texts = {f.name for f in fields(each.settings) if f.type in ("str", str)}
        assert texts <= NOT_FILES, name


def test_a_changed_treebank_gives_other_stages(tmp_path: Path) -> None:
    experiment = experiments.all_experiments()["max-margin/table1"]
    bank = tmp_path / "train.mrg"
    keys = set()
    for text in ("(S (NN a))", "(S (NN b))"):
        bank.write_text(text)
        settings = settings_of(experiment, [f"train={bank}", f"test={bank}"])
        keys.add(stage_key(experiment, Context(settings, tmp_path)))
    assert len(keys) == 2
