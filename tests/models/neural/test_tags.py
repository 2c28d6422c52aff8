"""Dependency parsers whose network takes tags as input."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="needs the extra treewright[torch]")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")

from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.errors import ConfigError, TreewrightError
from treewright.minibank.write import write_minibank
from treewright.models.kinds import load
from treewright.models.neural.dependency import NeuralDependencyParser
from treewright.models.training import plan_of, train
from treewright.neural.hashed import HashedEncoder
from treewright.scores.neural.words import ATTRIBUTES, HASHES, TAGS, HashedWords, tagged_word
from treewright.train.run import Run


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bank")
    write_minibank(place, 40, seed=3)
    return place


def config(
    bank: Path, kind: str = "dep", ending: str = "conllu", **more: object
) -> dict[str, object]:
    encoder = {"width": 16, "layers": 1, "rows": 100, "tags": True}
    scorer = {"kind": "neural", "iterations": 3, "rate": 1e-2, "encoder": encoder, "hidden": 16}
    return {"kind": kind, "train": str(bank / f"train.{ending}"), "scorer": scorer, **more}


@pytest.fixture(scope="module")
def directory(bank: Path) -> Path:
    plan = plan_of(config(bank, tokeniser=False, dev=str(bank / "dev.conllu")), "test")
    return train(plan, Run(bank / "run", threads=1, quiet=True))


def retagged(tree: DependencyTree, **tags: str) -> DependencyTree:
    return DependencyTree(tuple(word._replace(**tags) for word in tree.words))


def test_tags_are_input(directory: Path, bank: Path) -> None:
    model = load(directory)
    assert isinstance(model, NeuralDependencyParser)
    assert model.config.tags == "gold"
    assert set(model.network.labels) == {"arcs"}
    tree = next(iter(conllu.read(bank / "dev.conllu")))
    given, other = (model.parse(each) for each in (tree, retagged(tree, upos="PUNCT", xpos=".")))
    assert given.score != other.score
    assert [word.upos for word in given.tree.words] == [word.upos for word in tree.words]
    low = model.with_settings(decoder="min-risk").parse(tree)
    assert low.expected_gain is not None


def test_text_without_tags_has_those_of_the_tagger(
    directory: Path, bank: Path, tmp_path: Path
) -> None:
    model = load(directory)
    tree = next(iter(conllu.read(bank / "dev.conllu")))
    found = model.parse(list(tree.forms))
    assert all(word.upos != "_" for word in found.tree.words)
    again = model.parse(retagged(found.tree, head=0, deprel="_"))
    assert again.score == found.score
    model.save(tmp_path / "copy")
    assert load(tmp_path / "copy").parse(list(tree.forms)).score == found.score


def test_without_a_tagger_text_needs_tags(bank: Path, tmp_path: Path) -> None:
    plan = plan_of(config(bank, tokeniser=False, tagger=False), "test")
    model = load(train(plan, Run(tmp_path / "run", threads=1, quiet=True)))
    with pytest.raises(TreewrightError, match="no tags, and the model has no tagger"):
        model.parse(["The", "cat", "sleeps"])


def test_other_parsers_and_encoders_take_no_tags(bank: Path, tmp_path: Path) -> None:
    for kind, ending in (("ccg", "auto"), ("const", "mrg"), ("pos", "auto")):
        with pytest.raises(ConfigError, match="only dependency parsers take tags"):
            train(plan_of(config(bank, kind, ending), "test"), Run(tmp_path / kind, threads=1))
    bad = config(bank) | {"scorer": {"kind": "neural", "encoder": {"name": "en", "tags": True}}}
    with pytest.raises(ConfigError, match="tags need the encoder hashed"):
        plan_of(bad, "test")


def test_hashed_words_with_tags() -> None:
    codes, plain = HashedWords(50, ["cat"], tagged=True), HashedWords(50, ["cat"])
    words = [tagged_word("Cat", "NOUN", "NN"), tagged_word("Cat", "NOUN", "NNS"), "Cat", ""]
    found, size = codes.prepare(words), ATTRIBUTES * HASHES
    assert found.shape == (5, size + TAGS * HASHES + 1)
    without = plain.prepare(["Cat", "Cat", "Cat", ""])
    assert np.array_equal(np.delete(found, np.s_[size : size + TAGS * HASHES], 1), without)
    assert (found[1] != found[2]).sum() == HASHES
    assert codes.prepare([]).shape == (1, found.shape[1])
    encoder = HashedEncoder(8, 1, 50, 0.0, tagged=True).eval()
    batch = encoder.collate([encoder.prepare(words)])
    assert encoder(*batch).shape == (1, 5, 8)
