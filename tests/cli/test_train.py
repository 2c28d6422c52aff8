"""`treewright train` and `parse`, end to end on the toy parser."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from treewright_toy.model import ToySettings
from typer.testing import CliRunner

import treewright
from treewright.cli.guard import report
from treewright.cli.main import app
from treewright.errors import StoreError
from treewright.models.kinds import load
from treewright.models.training import outcome, read_plan
from treewright.storage.bundle import Bundle, write_bundle

CONFIG = """
kind = "toy"
sentences = 40
dev_sentences = 5
[objective]
name = "softmax-margin"
[optimiser]
iterations = 4
"""
SENTENCE = "the man saw the dog with a telescope\n"


def run(*arguments: object) -> tuple[int, str]:
    """The exit code, and what a command printed on stdout or as its one error."""
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if result.exception is None or isinstance(result.exception, SystemExit):
        return result.exit_code, result.output
    return report(result.exception), str(result.exception)  # type: ignore[arg-type]


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "toy.toml"
    path.write_text(CONFIG)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("toy")
    (directory / "toy.toml").write_text(CONFIG)
    assert run("train", directory / "toy.toml", "--run", directory / "run")[0] == 0
    return directory / "run" / "model"


def test_a_trained_model_parses(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(SENTENCE + "no such word\n")
    code, output = run("parse", "--model", model, tmp_path / "in.txt")
    assert code == 0
    assert output.startswith("(TOP (S (NP (DET the) (NOUN man)) (VP")
    assert output.endswith("\n()\n")
    out = tmp_path / "out.txt"
    arguments = "--format", "spans", "--out", out
    assert run("parse", "--model", model, tmp_path / "in.txt", *arguments) == (0, "")
    assert out.read_text().startswith("TOP:0-8 S:0-8 NP:0-2")


def test_a_model_loads_in_python(model: Path, tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text(SENTENCE)
    loaded = treewright.load(model)
    assert loaded.formats[0] == "brackets"
    again = treewright.load(model).bundle().arrays["weights"]
    assert np.array_equal(loaded.bundle().arrays["weights"], again)
    assert again.any()


def test_the_default_run_directory(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(config.parent)
    result = CliRunner().invoke(app, ["train", str(config), "--set", "optimiser.iterations=1"])
    assert (result.exit_code, result.stdout) == (0, "runs/toy/model\n")
    assert "score on dev: 0." in result.stderr
    assert "next: treewright parse --model runs/toy/model FILE\n" in result.stderr
    resolved = (config.parent / "runs/toy/resolved.toml").read_text()
    assert "iterations = 1\n" in resolved
    assert (config.parent / "runs/toy/config.toml").read_text() == CONFIG


def test_the_outcome_names_the_metric(tmp_path: Path) -> None:
    row = {"optimise": "trees", "iteration": 1, "score": 0.41099, "seconds": 1, "peak_rss_mb": 1}
    (tmp_path / "records.jsonl").write_text(json.dumps(row) + "\n")
    for config, said in (
        ('kind = "dep"\npos_folds = 5\ntagger = true', "LAS on dev, with predicted tags: 41.10"),
        ('kind = "dep"\npos_folds = 5\ntagger = false', "LAS on dev: 41.10"),
        ('kind = "ccg"\npos_folds = 0', "labelled F1 on dev: 41.10"),
        ('kind = "ccg"\n[scorer]\nkind = "neural"', "score on dev: 0.4110"),
    ):
        (tmp_path / "resolved.toml").write_text(config)
        assert outcome(tmp_path).splitlines()[0] == said


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind = ", "toy.toml: not valid TOML"),
        ("sentences = 3", "toy.toml: missing key 'kind'"),
        ('kind = "tow"', "toy.toml: unknown kind of model 'tow': one of"),
        ("kind = 3", "toy.toml: unknown kind of model 3"),
        ('kind = "toy"\nseed = -1', "toy.toml: key 'seed' must be"),
        ('kind = "toy"\nsentence = 3', "unknown key 'sentence'; did you mean 'sentences'?"),
        ('kind = "toy"\n[optimiser]\nprior = 0', "[optimiser] prior must be positive"),
        ('kind = "toy"\n[objective]\nloss = "f"', "[objective] unknown loss 'f'"),
        ('kind = "toy"\n[objective]\nname = "nll"', "key 'objective.name' must be one of"),
    ],
)
def test_a_wrong_configuration_is_one_error(config: Path, text: str, message: str) -> None:
    config.write_text(text)
    code, error = run("train", config, "--run", config.parent / "run")
    assert code == 2
    assert message in error
    assert str(config) in error
    assert not (config.parent / "run").exists()


@pytest.mark.parametrize("change", ["prior", "=1", "optimiser..x=1", "sentences.x=1"])
def test_a_wrong_change_is_one_error(config: Path, change: str) -> None:
    code, error = run("train", config, "--run", config.parent / "run", "--set", change)
    assert code == 2
    assert f"--set {change}: " in error


def test_missing_files(config: Path, model: Path) -> None:
    missing = config.parent / "none"
    assert run("train", missing)[0] == 2
    assert run("train")[0] == 2
    assert run("train", "--resume", "--run", missing)[0] == 2
    assert run("parse", "--model", missing, config)[0] == 2
    assert run("parse", "--model", config, config)[0] == 2
    code, error = run("parse", "--model", model, missing, "--out", config.parent / "out")
    assert code == 2
    assert "none" in error
    assert not (config.parent / "out").exists()


def test_what_a_model_cannot_do(config: Path, model: Path) -> None:
    assert run("parse", "--model", model, config, "--format", "auto")[0] == 2
    assert "no settings" in run("parse", "--model", model, config, "--beam", 2)[1]


def test_a_wrong_kind_is_named(model: Path) -> None:
    with pytest.raises(StoreError, match="model: a model of kind 'toy', not 'pos'"):
        load(model, "pos")


@pytest.mark.parametrize(
    ("bundle", "message"),
    [
        (Bundle("tarot"), "unknown kind of model 'tarot'"),
        (Bundle("toy"), "not a valid model of kind 'toy': lacks 'weights'"),
    ],
)
def test_a_model_of_another_kind(tmp_path: Path, bundle: Bundle, message: str) -> None:
    write_bundle(bundle, tmp_path / "m")
    code, error = run("parse", "--model", tmp_path / "m", tmp_path / "in")
    assert code == 2
    assert message in error
    assert str(tmp_path / "m") in error


def test_every_default_can_be_seen(tmp_path: Path) -> None:
    code, output = run("train", "--defaults", "toy")
    assert code == 0
    assert "# standard deviation of the Gaussian prior; inf: no prior\nprior = 1.0\n" in output
    (tmp_path / "all.toml").write_text(output)
    assert read_plan(tmp_path / "all.toml").settings == ToySettings()
    assert run("train", "--defaults", "tow")[0] == 2


def shell(model: Path, text: bytes, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "treewright", "parse", "--model", str(model), *arguments]
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_sentences_from_a_pipe(model: Path, tmp_path: Path) -> None:
    code, output, _ = shell(model, SENTENCE.encode(), "-", "--format", "spans")
    assert (code, output[:12]) == (0, "TOP:0-8 S:0-")
    out = tmp_path / "out"
    code, output, error = shell(model, SENTENCE.encode() * 3 + b"\xff\n", "--out", str(out))
    assert (code, output) == (2, "")
    assert error.count("\n") == 1
    assert "stdin:" in error
    assert "not UTF-8" in error
    assert not list(tmp_path.iterdir())


def test_a_run_that_fails_at_once_leaves_its_directory_free(tmp_path: Path) -> None:
    (tmp_path / "pos.toml").write_text(f'kind = "pos"\ntrain = "{tmp_path / "train.auto"}"\n')
    command = ("train", tmp_path / "pos.toml", "--run", tmp_path / "run")
    code, error = run(*command)
    assert code == 2
    assert "train.auto: No such file or directory" in error
    (tmp_path / "train.auto").write_text("nonsense\n")
    code, error = run(*command)
    assert code == 2
    assert "train.auto:1: " in error
    assert [each.name for each in (tmp_path / "run").iterdir()] == ["lock"]


def test_a_finished_run_is_not_resumed_with_other_settings(model: Path, tmp_path: Path) -> None:
    directory = model.parent
    assert run("train", "--run", directory, "--resume")[0] == 0
    (tmp_path / "other.toml").write_text('kind = "toy"\nsentences = 11\n')
    code, error = run("train", tmp_path / "other.toml", "--run", directory, "--resume")
    assert code == 2
    assert "the run has different settings" in error


OWN = "def half_credit(n, d, size):\n    return 1 - n / (0.5 * d + 0.5 * size + 1)\n"


def test_a_loss_of_ones_own_needs_permission(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_metrics.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    own = ("train", config, "--set", "objective.loss=own_metrics:half_credit")
    code, error = run(*own, "--run", tmp_path / "refused")
    assert code == 2
    assert "use --allow-code to allow it" in error
    assert "own_metrics" not in sys.modules
    assert run(*own, "--allow-code", "--run", tmp_path / "own")[0] == 0
    plain = ("--set", "objective.loss=f1", "--run", tmp_path / "plain")
    assert run("train", config, *plain)[0] == 0
    one, other = (load(tmp_path / name / "model").bundle().arrays for name in ("own", "plain"))
    assert not np.array_equal(one["weights"], other["weights"])
    missing = ("--set", "objective.loss=own_metrics:none", "--run", tmp_path / "missing")
    code, error = run("train", config, "--allow-code", *missing)
    assert (code, "no loss 'own_metrics:none'" in error) == (2, True)


def test_texts_need_no_quotes(tmp_path: Path) -> None:
    (tmp_path / "pos.toml").write_text('kind = "pos"\n')
    plan = read_plan(tmp_path / "pos.toml", ["train=2024", "dev='x.auto'", "seed=3"])
    assert (plan.settings.train, plan.settings.dev, plan.seed) == (Path("2024"), Path("x.auto"), 3)
