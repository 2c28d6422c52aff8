"""Taggers trained on a sampled treebank: gradients, determinism, round trips, the command."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from tests.scores.small_tagger import CORPUS, POS, WORDS, settings
from tests.small_tokeniser import small_tokeniser
from treewright.cli.guard import report
from treewright.cli.main import app
from treewright.data.auto import read_auto, write_auto
from treewright.errors import ConfigError, StoreError
from treewright.grammar.lexicon import Lexicon
from treewright.losses.settings import ObjectiveSettings
from treewright.minibank.sentences import sample
from treewright.models.kinds import load
from treewright.models.tagging.pos import PosTagger
from treewright.models.tagging.supertagger import Supertagger, jackknife, super_corpus
from treewright.models.tagging.training import TaggedCorpus, _Trainer, train_tagger
from treewright.models.tokenising import TokeniserModel
from treewright.scores.tagging.local import LocalLikelihood
from treewright.scores.tagging.tagger import Tagger
from treewright.storage.bundle import Bundle, read_bundle, write_bundle
from treewright.train.run import Run
from treewright.train.settings import OptimiserSettings

SHORT = """
[{table}]
local_passes = 6
[{table}.chain]
iterations = 6
"""
SENTENCES = 80


def run(*arguments: object) -> tuple[int, str]:
    """The exit code, and what a command printed on stdout or as its one error."""
    result = CliRunner().invoke(app, [str(each) for each in arguments])
    if result.exception is None or isinstance(result.exception, SystemExit):
        return result.exit_code, result.output
    return report(result.exception), str(result.exception)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bank") / "train.auto"
    write_auto(path, sample(SENTENCES, 3))
    return path


@pytest.fixture(scope="module")
def models(bank: Path) -> dict[str, Path]:
    found = {}
    for kind, tables in ("pos", ["pos"]), ("super", ["tagger", "pos"]):
        config = bank.parent / f"{kind}.toml"
        text = "".join(SHORT.format(table=table) for table in tables)
        config.write_text(f'kind = "{kind}"\ntrain = "{bank}"\n{text}')
        directory = bank.parent / kind
        assert run("train", config, "--run", directory, "--threads", 1)[0] == 0
        found[kind] = directory / "model"
    return found


def _local() -> LocalLikelihood:
    trainer = _Trainer(CORPUS, settings(0))
    return trainer.local(trainer.gold)


@pytest.mark.parametrize("seed", range(3))
def test_the_local_gradient_is_that_of_the_value(seed: int) -> None:
    local = _local()
    weights = np.random.default_rng(seed).normal(size=local.features)
    _, gradient = local.value_and_gradient(weights)
    for i in range(0, local.features, 3):
        step = np.zeros(local.features)
        step[i] = 1e-5
        above = local.value_and_gradient(weights + step)[0]
        below = local.value_and_gradient(weights - step)[0]
        assert gradient[i] == pytest.approx((above - below) / 2e-5, abs=1e-6)


def test_local_training_takes_the_value_down() -> None:
    local = _local()
    values = [local.value_and_gradient(local.fit(n, 0.1, np.inf, 0.0, 0))[0] for n in (1, 5, 20)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < 1


@pytest.mark.parametrize("name", ["likelihood", "softmax-margin", "risk", "hinge", "perceptron"])
def test_any_objective_trains_the_chain(name: str) -> None:
    how = settings(2, objective=ObjectiveSettings(name, "hamming"))  # type: ignore[arg-type]
    tagger = train_tagger(CORPUS, how)
    assert tagger.tag_batch(WORDS, POS) == CORPUS.tags


@pytest.mark.parametrize("name", ["lbfgs", "adagrad"])
def test_training_is_the_same_every_time(name: str, tmp_path: Path) -> None:
    how = settings(2, chain=OptimiserSettings(name, iterations=2))  # type: ignore[arg-type]
    found = []
    for number in range(2):
        each = Run(tmp_path / f"{name}{number}", 1, quiet=True)
        trained = train_tagger(CORPUS, how, each)
        found.append(trained.weights.arrays())
    for array, again in zip(found[0].values(), found[1].values(), strict=True):
        assert np.array_equal(array, again)


def test_a_model_comes_back_from_its_directory(models: dict[str, Path], tmp_path: Path) -> None:
    for kind, directory in models.items():
        model = load(directory)
        write_bundle(model.bundle(), tmp_path / kind)
        for file in directory.rglob("*.*"):
            assert file.read_bytes() == (tmp_path / kind / file.relative_to(directory)).read_bytes()


def test_the_supertagger_knows_its_training_sentences(models: dict[str, Path], bank: Path) -> None:
    model, pos = Supertagger.load(models["super"]), PosTagger.load(models["pos"])
    derivations = list(read_auto(bank))
    right = [[], []]
    for derivation in derivations:
        words = [leaf.word for leaf in derivation.leaves]
        tags = pos.tag(words)
        right[0] += [a == leaf.pos for a, leaf in zip(tags, derivation.leaves, strict=True)]
        categories = model.tag(words)
        gold = [leaf.category for leaf in derivation.leaves]
        right[1] += [a == b for a, b in zip(categories, gold, strict=True)]
        beam = model.multitag(words, beta=0.001)
        assert all(row[0][1] >= row[-1][1] for row in beam)
    assert [np.mean(each) > 0.9 for each in right] == [True, True]


def test_entries_are_tags_and_categories_their_plain_form(bank: Path) -> None:
    derivations = list(read_auto(bank))
    corpus = super_corpus(derivations, Lexicon().learn(derivations))
    plain = super_corpus(derivations, None)
    assert len({tag for row in corpus.tags for tag in row}) >= len(
        {tag for row in plain.tags for tag in row}
    )
    tagger = train_tagger(corpus, settings(0))
    shown = Supertagger(tagger, tagger).shown
    names, group = shown.names, shown.group
    number = {tag: i for i, tag in enumerate(tagger.tags)}
    for row, gold in zip(corpus.tags, plain.tags, strict=True):
        assert [names[group[number[tag]]] for tag in row] == gold


def test_jackknifed_tags_come_from_taggers_that_have_not_seen_them(tmp_path: Path) -> None:
    words = [["a"], ["b"], ["a"], ["b"]]
    corpus = TaggedCorpus(words, None, [["X"], ["Y"], ["Z"], ["Y"]])
    found = jackknife(corpus, 4, settings(0, templates=["word[0]"]), Run(tmp_path, 1, quiet=True))
    assert found[0] == ["Z"]
    assert found[2] == ["X"]
    assert found[1] == found[3] == ["Y"]


def test_the_command_tags(models: dict[str, Path], tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("she saw the dog .\n\nhe sleeps .\n")
    code, output = run("tag", "--model", models["pos"], source)
    lines = output.split("\n")
    assert code == 0
    assert [len(line.split()) for line in lines] == [5, 0, 3, 0]
    tokens = [token.split("|") for token in lines[0].split()]
    assert [word for word, _ in tokens] == ["she", "saw", "the", "dog", "."]
    (tmp_path / "tagged.txt").write_text(lines[0] + "\n")
    code, output = run("tag", "--model", models["super"], "--tagged", tmp_path / "tagged.txt")
    assert (code, output.startswith(f"{lines[0].split()[0]}|")) == (0, True)
    code, output = run("parse", "--model", models["super"], source)
    assert (code, output.startswith("she|")) == (0, True)
    arguments = ("--multi", "--beta", 0.001, "--format", "json", source)
    code, output = run("tag", "--model", models["super"], *arguments)
    first = json.loads(output.split("\n")[0])
    assert first["words"] == ["she", "saw", "the", "dog", "."]
    assert all(0 < sum(row.values()) <= 1 + 1e-9 for row in first["multitags"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--tagged"], "reads words, not"),
        (["--multi", "--beta", "0"], "beta must be above 0"),
        (["--format", "xml"], "unknown format 'xml'"),
    ],
)
def test_bad_options_are_one_line(
    models: dict[str, Path], tmp_path: Path, arguments: list[str], message: str
) -> None:
    (tmp_path / "in.txt").write_text("a|B\n")
    code, output = run("tag", "--model", models["pos"], *arguments, tmp_path / "in.txt")
    assert code == 2
    assert message in output


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"a\0b\n", "NUL"), (b"\xff\n", "not UTF-8"), (b"", "empty"), (b"word\n", "word|POS")],
)
def test_bad_text_is_one_line(
    models: dict[str, Path], tmp_path: Path, content: bytes, message: str
) -> None:
    (tmp_path / "in.txt").write_bytes(content)
    code, output = run("tag", "--model", models["super"], "--tagged", tmp_path / "in.txt")
    assert code == 2
    assert message in output


def test_a_very_long_line_is_tagged(models: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "in.txt").write_text("dog " * 10_000 + "\n")
    code, output = run("tag", "--model", models["super"], tmp_path / "in.txt")
    assert code == 0
    assert len(output.split()) == 10_000


def test_other_models_are_no_taggers(models: dict[str, Path], tmp_path: Path) -> None:
    bundle = read_bundle(models["pos"])
    with pytest.raises(StoreError, match="expected a model of kind 'super'"):
        Supertagger.from_bundle(Bundle("other", bundle.config, parts={"pos": bundle}))
    code, output = run("tag", "--model", tmp_path / "none")
    assert (code, "No such file" in output) == (2, True)
    TokeniserModel(small_tokeniser()).save(tmp_path / "tok")
    code, output = run("tag", "--model", tmp_path / "tok")
    assert (code, "treewright parse prints the tags" in output) == (2, True)


def test_settings_are_checked() -> None:
    for changes in ({"order": 3}, {"beta": 0.0}, {"cutoff": 0}):
        with pytest.raises(ValueError, match=next(iter(changes))):
            settings(**({"order": 1} | changes))  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="unknown attribute 'wurd'"):
        train_tagger(CORPUS, settings(1, templates=["wurd[0]"]))
    assert isinstance(train_tagger(CORPUS, settings(0)), Tagger)
