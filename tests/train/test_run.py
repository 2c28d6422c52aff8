"""Run directories: what they record, keep, and refuse."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ConfigError, StoreError, TreewrightError
from treewright.losses.batch import SparseGradient
from treewright.models import training
from treewright.models.kinds import kind_named
from treewright.storage.bundle import Bundle
from treewright.train.minibatch import optimiser_for
from treewright.train.run import Run
from treewright.train.settings import OptimiserSettings
from treewright.train.setup import data_hashes

CONFIG = 'kind = "toy"\nsentences = 10\ndev_sentences = 2\n[optimiser]\niterations = 2\n'


class Bowl:
    """(w - 3)^2."""

    features = 1

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        return float(((weights - 3) ** 2).sum()), 2 * (weights - 3)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run(tmp_path / "run", threads=1)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "toy.toml"
    path.write_text(CONFIG)
    return path


def records(run: Run) -> list[dict[str, object]]:
    text = (run.directory / "records.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def test_records_are_json_lines(run: Run) -> None:
    run.record(event="a", value=1.5)
    run.record(event="b")
    first, second = records(run)
    assert (first["event"], first["value"], second["event"]) == ("a", 1.5, "b")
    assert first.keys() >= {"seconds", "peak_rss_mb"}


def test_half_a_record_is_dropped(run: Run) -> None:
    run.record(event="a")
    with (run.directory / "records.jsonl").open("a") as file:
        file.write('{"event": "b", "val')
    Run(run.directory).record(event="c")
    assert [each["event"] for each in records(run)] == ["a", "c"]


def test_a_stage_is_made_once(run: Run) -> None:
    made = []

    def make() -> Bundle:
        made.append(1)
        return Bundle("pos", {"x": 1}, {"w": np.ones(2)})

    for _ in range(2):
        assert run.stage("tagger", make).config == {"x": 1}
    assert Run(run.directory).stage("tagger", make).arrays["w"].tolist() == [1, 1]
    assert len(made) == 1


def test_the_last_checkpoint_is_found(run: Run) -> None:
    assert run.load_checkpoint("x") is None
    run.save_checkpoint("x", {"a": np.arange(3)}, {"passes": 2, "name": "ü"})
    run.save_checkpoint("x", {"a": np.arange(4)}, {"passes": 3, "name": "ü"})
    found = run.load_checkpoint("x")
    assert found is not None
    assert found[0]["a"].tolist() == [0, 1, 2, 3]
    assert found[1] == {"passes": 3, "name": "ü"}


def test_a_damaged_checkpoint_is_named(run: Run) -> None:
    run.save_checkpoint("x", {"a": np.arange(3)})
    path = run.directory / "checkpoints" / "x.safetensors"
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(TreewrightError, match=r"x\.safetensors: damaged"):
        run.load_checkpoint("x")


WHOLE: dict[str, object] = {"iteration": 1, "evaluations": 1, "converged": False, "stuck": False}
WHOLE |= {"pairs": 0, "value": 9.0}
WATCH = {"best": None, "waited": 0}


@pytest.mark.parametrize(
    ("arrays", "values"),
    [
        ({}, {}),
        ({}, {"learner": WHOLE, "watch": WATCH}),
        ({"learner.weights": np.zeros(1)}, {"learner": WHOLE, "watch": WATCH}),
        ({"learner.weights": np.zeros(1, np.int8)}, {"learner": WHOLE, "watch": WATCH}),
        ({}, {"learner": WHOLE | {"iteration": 1e300}, "watch": WATCH}),
        ({}, {"learner": WHOLE | {"iteration": "x"}, "watch": WATCH}),
        ({}, {"learner": WHOLE | {"pairs": 10**9}, "watch": WATCH}),
        ({}, {"learner": WHOLE | {"advance": 1}, "watch": WATCH}),
        ({}, {"learner": WHOLE, "watch": WATCH | {"waited": []}}),
        ({"learner.weights": np.zeros(2)}, {"learner": WHOLE, "watch": WATCH}),
        ({}, {"finished": True}),
        ({"model.weights": np.zeros((1, 1))}, {"finished": True}),
    ],
)
def test_a_state_that_is_not_of_this_training(
    run: Run, arrays: dict[str, Floats], values: dict[str, object]
) -> None:
    """Its checksum is right: it was made so, or is of another training."""
    run.save_checkpoint("x", arrays, values)
    with pytest.raises(StoreError, match="the checkpoint 'x' belongs to another training"):
        run.optimise("x", Bowl(), OptimiserSettings())


class Bowls(Bowl):
    """The same for minibatches."""

    def __len__(self) -> int:
        return 1

    def value_and_gradient_on(self, _: Integers, weights: Floats) -> SparseGradient:
        value, gradient = self.value_and_gradient(weights)
        return SparseGradient(value, np.zeros(1, np.int32), gradient, np.ones(1))

    def uses(self) -> Indices:
        return np.ones(1, np.int32)


@pytest.mark.parametrize(
    "change", [{"passes": -1}, {"batch": -3}, {"passes": 0.5}, {"steps": True}]
)
@pytest.mark.parametrize("short", ["weights", "late"])
def test_a_state_of_minibatches_that_is_not_of_this_training(
    run: Run, change: dict[str, object], short: str
) -> None:
    how = OptimiserSettings(name="adam", iterations=4, batch=1, averaging=True)
    learner = optimiser_for(Bowls(), how, 0)
    learner.advance()
    arrays, values = learner.state()
    for bad in (arrays | {short: np.zeros(0)}, arrays):
        saved = {f"learner.{name}": array for name, array in bad.items()}
        new = values if bad is not arrays else values | change
        run.save_checkpoint("x", saved, {"learner": new, "watch": WATCH})
        with pytest.raises(StoreError, match="belongs to another training"):
            run.optimise("x", Bowls(), how)


def test_early_stopping_keeps_the_best(run: Run) -> None:
    scores = iter([0.1, 0.5, 0.4, 0.5, 0.9])
    seen: list[Floats] = []

    def score(weights: Floats) -> float:
        seen.append(weights)
        return next(scores)

    settings = OptimiserSettings(prior=100.0, tolerance=0.0, patience=2)
    # A quartic takes many iterations.
    bowl = Bowl()
    bowl.value_and_gradient = lambda w: (float(((w - 3) ** 4).sum()), 4 * (w - 3) ** 3)  # type: ignore[method-assign]
    weights = run.optimise("w", bowl, settings, score)
    assert len(seen) == 4
    assert weights is seen[1]
    assert [each.get("score") for each in records(run)] == [0.1, 0.5, 0.4, 0.5]
    assert np.array_equal(run.optimise("w", bowl, settings, score), weights)  # from the disk


def test_the_score_is_asked_for_now_and_then(run: Run) -> None:
    settings = OptimiserSettings(tolerance=0.0, iterations=3, score_every=2)
    run.optimise("w", Bowl(), settings, lambda weights: float(weights.sum()))
    assert [each["iteration"] for each in records(run)] == [1, 2, 3]
    assert [each["iteration"] for each in records(run) if "score" in each] == [2, 3]


def test_patience_needs_a_score(run: Run) -> None:
    with pytest.raises(ConfigError, match="w: patience needs a dev score"):
        run.optimise("w", Bowl(), OptimiserSettings(patience=1))


def test_an_objective_that_runs_away_is_an_error(run: Run) -> None:
    bowl = Bowl()
    bowl.value_and_gradient = lambda w: (float("inf"), w)  # type: ignore[method-assign]
    with pytest.raises(TreewrightError, match="w: the objective is inf after iteration 1"):
        run.optimise("w", bowl, OptimiserSettings())


def test_minibatches_need_an_objective_that_has_them(run: Run) -> None:
    with pytest.raises(ConfigError, match="sgd needs minibatches"):
        run.optimise("w", Bowl(), OptimiserSettings("sgd"))


def test_a_finished_run_is_not_overwritten(config: Path, run: Run) -> None:
    plan = training.read_plan(config)
    model = training.train(plan, run)
    before = (model / "manifest.json").stat().st_mtime_ns
    with pytest.raises(TreewrightError, match="contains a finished run"):
        training.train(plan, run)
    assert training.train(plan, run, mode="resume") == model
    assert (model / "manifest.json").stat().st_mtime_ns == before


def test_an_unfinished_run_needs_resume(config: Path, run: Run) -> None:
    resolved = training.read_plan(config).resolved()
    (run.directory / "resolved.toml").write_text(f"# another version's comment\n{resolved}")
    (run.directory / "run.json").write_text('{"data": {}, "format": 2}')
    with pytest.raises(TreewrightError, match="--resume continues it, --restart discards it"):
        training.train(training.read_plan(config), run)
    with pytest.raises(ConfigError, match=r"has different settings: see resolved\.toml; --restart"):
        training.train(training.read_plan(config, ["sentences=11"]), run, mode="resume")
    training.train(training.resumed_plan(run.directory), run, mode="resume")
    assert records(run)[0]["event"] == "resumed"


def test_a_run_can_be_started_anew_with_mended_settings(
    config: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = kind_named("toy")

    def fails(settings: object, run: Run) -> None:
        run.stage("tagger", lambda: Bundle("pos"))
        raise MemoryError

    monkeypatch.setattr(training, "kind_named", lambda _: replace(kind, train=fails))
    with pytest.raises(MemoryError):
        training.train(training.read_plan(config), run)
    monkeypatch.undo()
    mended = training.read_plan(config, ["sentences=11"])
    with pytest.raises(TreewrightError, match="--restart discards it"):
        training.train(mended, run)
    training.train(mended, run, mode="restart")
    assert "sentences = 11\n" in (run.directory / "resolved.toml").read_text()
    assert not (run.directory / "stages").exists()
    with pytest.raises(TreewrightError, match="contains a finished run"):
        training.train(mended, run, mode="restart")


def test_any_error_at_the_start_leaves_the_directory_free(
    config: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = kind_named("toy")

    def fails(settings: object, run: Run) -> None:
        run.record(event="started")
        raise ZeroDivisionError

    monkeypatch.setattr(training, "kind_named", lambda _: replace(kind, train=fails))
    with pytest.raises(ZeroDivisionError):
        training.train(training.read_plan(config), run)
    monkeypatch.undo()
    assert [each.name for each in run.directory.iterdir()] == ["lock"]
    training.train(training.read_plan(config, ["sentences=11"]), run)


def test_a_run_of_an_older_format_is_not_continued(config: Path, run: Run) -> None:
    (run.directory / "resolved.toml").write_text(training.read_plan(config).resolved())
    (run.directory / "run.json").write_text('{"data": {}, "versions": {"treewright": "0.0.9"}}')
    with pytest.raises(TreewrightError, match=r"a run of Treewright 0\.0\.9, which this version"):
        training.train(training.read_plan(config), run, mode="resume")
    training.train(training.read_plan(config), run, mode="restart")


def test_two_processes_cannot_share_a_run(config: Path, run: Run) -> None:
    with run.locked(), pytest.raises(TreewrightError, match="another process is using this run"):
        training.train(training.read_plan(config), Run(run.directory))
    training.train(training.read_plan(config), Run(run.directory))


def test_a_kind_without_ray_says_so(
    config: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = replace(kind_named("toy"), ray=False)
    monkeypatch.setattr(training, "kind_named", lambda _: alone)
    plan, run = training.read_plan(config), Run(run.directory, ray="auto")
    with pytest.raises(ConfigError, match="kind 'toy' does not support --ray"):
        training.train(plan, run)


def test_a_directory_of_something_else_is_left_alone(config: Path, run: Run) -> None:
    (run.directory / "thesis.tex").touch()
    with pytest.raises(TreewrightError, match="not empty and not a run"):
        training.train(training.read_plan(config), run)


def test_a_run_knows_what_it_was(config: Path, run: Run) -> None:
    training.train(training.read_plan(config, ["optimiser.prior=0.5"], seed=5), run)
    about = json.loads((run.directory / "run.json").read_bytes())
    assert (about["kind"], about["seed"], about["set"]) == ("toy", 5, ["optimiser.prior=0.5"])
    assert about["versions"].keys() >= {"treewright", "numpy", "core simd", "core compiler"}
    assert (run.directory / "config.toml").read_text() == CONFIG
    again = training.read_plan(run.directory / "resolved.toml")
    assert again.settings.optimiser.prior == 0.5
    assert (again.seed, again.settings.sentences) == (5, 10)


def test_data_files_are_hashed_wherever_they_stand(tmp_path: Path) -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Inner:
        files: tuple[Path, ...]

    @dataclass(frozen=True)
    class Outer:
        train: Path
        inner: Inner
        named: dict[str, Path]

    for name in "abc":
        (tmp_path / name).write_text(name)
    where = [tmp_path / name for name in "abc"]
    found = data_hashes(Outer(where[0], Inner((where[1],)), {"c": where[2]}))
    assert list(found) == [str(path) for path in where]
    # sha256sum of the file "a"
    assert found[str(where[0])].startswith("ca978112ca1bbdcafac231b39a23dc4d")


def test_changed_data_stops_a_resume(tmp_path: Path) -> None:
    from dataclasses import dataclass

    from treewright.train.setup import Plan, check_continues, set_up

    @dataclass(frozen=True)
    class Settings:
        train: Path

    data = tmp_path / "train.txt"
    data.write_text("a")
    run, plan = Run(tmp_path / "run"), Plan("toy", Settings(data))
    set_up(run, plan)
    check_continues(run.directory, plan)
    data.write_text("b")
    with pytest.raises(TreewrightError, match=r"train\.txt: changed since the run started"):
        check_continues(run.directory, plan)
    data.unlink()
    with pytest.raises(TreewrightError, match=r"train\.txt: changed since the run started"):
        check_continues(run.directory, plan)
