"""`[scorer] kind = "neural"` in the configuration of a single formalism."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs torch: pip install treewright[torch]")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")

from tests.grammar.ccgbank_cases import cases
from tests.neural.tiny import write_encoder
from treewright.data.auto import write_auto
from treewright.data.records import Derivation, Leaf, Node
from treewright.errors import ConfigError
from treewright.minibank.write import write_minibank
from treewright.models.kinds import load
from treewright.models.neural.data import frequent
from treewright.models.training import plan_of, read_plan, train
from treewright.storage.bundle import read_bundle
from treewright.train.run import Run

FILES = {"dep": "conllu", "ccg": "auto", "const": "mrg", "pos": "auto", "super": "auto"}
CONFIG = """
kind = "{kind}"
train = "{bank}/train.{ending}"
dev = "{bank}/dev.{ending}"
[scorer]
kind = "neural"
iterations = 2
rate = 1e-2
hidden = 16
label_hidden = 8
dropout = 0.0
precision = "float32"
encoder = {{ width = 16, layers = 1, rows = 100{vectors} }}
"""
WORDS = ["The", "cat", "sleeps", "."]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bank")
    write_minibank(place, 40, seed=3)
    return place


@pytest.mark.parametrize("kind", FILES)
def test_every_kind_has_a_neural_scorer(kind: str, bank: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    (tmp_path / "vectors.txt").write_text("2 3\nthe 1 0 2\nsleeps 0 1 -1\n")
    vectors = f', vectors = "{tmp_path}/vectors.txt"' if kind == "super" else ""
    path.write_text(CONFIG.format(kind=kind, bank=bank, ending=FILES[kind], vectors=vectors))
    changes = ["tokeniser=false"] if kind == "dep" else []
    directory = train(read_plan(path, changes), Run(tmp_path / "run", threads=1, quiet=True))
    model = load(directory)
    assert model.kind == kind
    first, second = (next(iter(each.parse_many([WORDS]))) for each in (model, load(directory)))
    assert str(first) == str(second) != ""
    model.save(tmp_path / "again")
    assert str(load(tmp_path / "again").parse(WORDS)) == str(first)


def test_a_network_learns_from_derivations_in_ccgbanks_dialect(tmp_path: Path) -> None:
    leaves = Leaf("NP/N", "the", "DT", "DT"), Leaf("S", "so", "UH", "UH")
    odd = Derivation("odd", Node("NP", leaves, 0))
    write_auto(tmp_path / "train.auto", [odd, *(case.derivation for case in cases())])
    write_auto(tmp_path / "dev.auto", [case.derivation for case in cases()[:10]])
    path = tmp_path / "config.toml"
    path.write_text(CONFIG.format(kind="ccg", bank=tmp_path, ending="auto", vectors=""))
    changes = ["grammar.skip_bad=true", "grammar.entry_cutoff=1", "scorer.iterations=1"]
    model = load(train(read_plan(path, changes), Run(tmp_path / "run", threads=1, quiet=True)))
    assert model.parse(["The", "dog", "slept"]).words == ("The", "dog", "slept")
    records = (tmp_path / "run" / "records.jsonl").read_text().splitlines()
    (record,) = (each for each in map(json.loads, records) if "causes" in each)
    assert [cause["ids"] for cause in record["causes"].values()] == [["odd"]]


def test_scorers_that_no_kind_has() -> None:
    with pytest.raises(ConfigError, match="no scorer 'quantum': one of log-linear, neural"):
        plan_of({"kind": "dep", "scorer": {"kind": "quantum"}}, "x.toml")
    with pytest.raises(ConfigError, match="kind 'tok' has no scorer"):
        plan_of({"kind": "tok", "scorer": {"kind": "neural"}}, "x.toml")
    with pytest.raises(ConfigError, match="must be a table"):
        plan_of({"kind": "dep", "scorer": "neural"}, "x.toml")
    plan = plan_of({"kind": "dep", "scorer": {"kind": "log-linear"}}, "x.toml")
    assert plan.settings == plan_of({"kind": "dep"}, "x.toml").settings


@pytest.mark.parametrize("kind", ["dep", "ccg", "const"])
def test_losses_of_a_corpus_are_refused(kind: str) -> None:
    objective = {"name": "softmax-margin", "loss": "f1", "level": "corpus"}
    with pytest.raises(ConfigError, match="not trained with level = corpus"):
        plan_of({"kind": kind, "objective": objective, "scorer": {"kind": "neural"}}, "test")


def test_a_neural_scorer_needs_a_treebank(tmp_path: Path) -> None:
    plan = plan_of({"kind": "dep", "scorer": {"kind": "neural"}}, "x.toml")
    with pytest.raises(ConfigError, match="key 'train' is missing"):
        train(plan, Run(tmp_path / "run", quiet=True))


def test_a_trained_model_is_fine_tuned(bank: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG.format(kind="dep", bank=bank, ending="conllu", vectors=""))
    encoder = write_encoder(tmp_path / "encoder")
    changes = ["tokeniser=false", f'scorer.encoder={{name = "{encoder}", surface = 20}}']
    first = train(read_plan(path, changes), Run(tmp_path / "first", threads=1, quiet=True))
    changes[1] = f'scorer.encoder={{name = "{first}"}}'
    second = train(read_plan(path, changes), Run(tmp_path / "second", threads=1, quiet=True))
    records = (tmp_path / "second" / "records.jsonl").read_text().splitlines()
    record = next(each for each in map(json.loads, records) if "fine_tuned" in each)
    assert record["fine_tuned"] == ["arcs", "tag", "lemma"]
    values = []
    for run in ("first", "second"):
        records = (tmp_path / run / "records.jsonl").read_text().splitlines()
        values += [each["objective"] for each in map(json.loads, records) if "objective" in each]
    assert values == sorted(values, reverse=True)  # two passes each
    assert str(load(second).parse(WORDS)) != ""


@pytest.mark.parametrize("precision", ["float32", "int8"])
def test_only_heads_that_a_model_lacks_learn(bank: Path, tmp_path: Path, precision: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG.format(kind="ccg", bank=bank, ending="auto", vectors=""))
    encoder = write_encoder(tmp_path / "encoder")
    changes = ["rule_cutoff=0", f'scorer.precision="{precision}"']
    changes.append(f'scorer.encoder={{name = "{encoder}", surface = 20}}')
    first = train(read_plan(path, changes), Run(tmp_path / "first", threads=1, quiet=True))
    changes[0] = "rule_cutoff=1"
    changes[-1] = f'scorer.encoder={{name = "{first}"}}'
    changes.append("scorer.only_new_heads=true")
    second = train(read_plan(path, changes), Run(tmp_path / "second", threads=1, quiet=True))
    before, after = (read_bundle(each).parts["network"].arrays for each in (first, second))
    assert after.keys() - before.keys() == {"head.rules"}
    for name, graph in before.items():
        assert graph.tobytes() == after[name].tobytes(), name
    changes[-2] = f'scorer.encoder={{name = "{second}"}}'
    with pytest.raises(ConfigError, match="has all heads for these treebanks"):
        train(read_plan(path, changes), Run(tmp_path / "third", threads=1, quiet=True))
    changes[-2] = f'scorer.encoder={{name = "{encoder}"}}'
    with pytest.raises(ConfigError, match="is not a trained neural model"):
        train(read_plan(path, changes), Run(tmp_path / "fourth", threads=1, quiet=True))


@pytest.mark.parametrize(("kind", "heads"), [("dep", {"arcs", "tag", "lemma"}), ("ccg", {"super"})])
def test_a_network_learns_from_a_teacher(
    kind: str, heads: set[str], bank: Path, tmp_path: Path
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG.format(kind=kind, bank=bank, ending=FILES[kind], vectors=""))
    encoder = write_encoder(tmp_path / "encoder")
    changes = ["tokeniser=false"] * (kind == "dep")
    changes.append(f'scorer.encoder={{name = "{encoder}", surface = 20}}')
    teacher = train(read_plan(path, changes), Run(tmp_path / "teacher", threads=1, quiet=True))
    changes += [f'scorer.teachers=["{teacher}"]', "scorer.hidden=12"]
    run = tmp_path / "student"
    student = train(read_plan(path, changes), Run(run, threads=1, quiet=True))
    records = [json.loads(line) for line in (run / "records.jsonl").read_text().splitlines()]
    taught = {each["head"]: each["taught"] for each in records if "taught" in each}
    assert taught.keys() >= heads
    assert all(taught.values())
    again = train(read_plan(path, changes), Run(tmp_path / "again", threads=1, quiet=True))
    assert contents(again) == contents(student) != contents(teacher)


def contents(model: Path) -> dict[str, bytes]:
    """The weights of a model."""
    return {str(p.relative_to(model)): p.read_bytes() for p in model.rglob("*.safetensors")}


def test_what_cannot_teach(bank: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG.format(kind="dep", bank=bank, ending="conllu", vectors=""))
    changes = ["tokeniser=false", 'scorer.teachers=["nothing"]']
    with pytest.raises(ConfigError, match=r"neural\.teachers: no neural model 'nothing'"):
        train(read_plan(path, changes), Run(tmp_path / "run", quiet=True))
    with pytest.raises(ConfigError, match="teacher_weight must be from 0 up to 1"):
        read_plan(path, ["scorer.teacher_weight=1.5"])


def test_only_models_with_a_pretrained_encoder_are_fine_tuned(bank: Path, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(CONFIG.format(kind="dep", bank=bank, ending="conllu", vectors=""))
    changes = ["tokeniser=false", "scorer.iterations=1"]
    hashed = train(read_plan(path, changes), Run(tmp_path / "first", threads=1, quiet=True))
    changes.append(f'scorer.encoder={{name = "{hashed}"}}')
    with pytest.raises(ConfigError, match="a model without a pretrained encoder"):
        train(read_plan(path, changes), Run(tmp_path / "second", threads=1, quiet=True))


def test_labels_of_a_trained_network_come_first() -> None:
    assert frequent(["b", "a", "b"]) == ("b", "a")
    assert frequent(["b", "a", "b"], 1, ("a", "c")) == ("a", "c", "b")
    assert frequent(["b", "a", "b"], 1, ("x", "y")) == ("b", "a")  # another set of labels
