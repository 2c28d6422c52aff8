"""Treebanks that networks meet in practice: tiny ones, single words, labels that only dev has."""

import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra treewright[torch]")
pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")

from treewright.data.auto import write_auto
from treewright.data.records import Derivation, Leaf
from treewright.errors import TreewrightError
from treewright.minibank.write import write_minibank
from treewright.models.contract import Analysis, Parser
from treewright.models.kinds import load
from treewright.models.training import plan_of, train
from treewright.train.run import Run

ODD = [
    [],
    ["a"],
    ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u00a0", "\u200b"],
    ["x" * 5000, "-LRB-", "\u2400"],
]
TREE = "1\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n\n"
OTHER = (
    "1\tyes\tyes\tINTJ\tUH\tA=B\t2\tdiscourse\t_\t_\n2\tsleep\tsleep\tX\tXX\t_\t0\troot\t_\t_\n\n"
)


def trained(kind: str, place: Path, ending: str, **more: object) -> Parser[Analysis]:
    encoder = {"width": 8, "layers": 1, "rows": 20}
    scorer = {"kind": "neural", "iterations": 2, "encoder": encoder, "precision": "float32"}
    files = {name: str(place / f"{name}.{ending}") for name in ("train", "dev")}
    plan = plan_of({"kind": kind, **files, "scorer": scorer, **more}, "test")
    return load(train(plan, Run(place / "run", threads=1, quiet=True)))


def test_dependency_trees_of_one_word_and_labels_that_only_dev_has(tmp_path: Path) -> None:
    (tmp_path / "train.conllu").write_text(TREE)
    (tmp_path / "dev.conllu").write_text(OTHER)
    model = trained("dep", tmp_path, "conllu", tokeniser=False)
    for words in ODD:
        assert len(model.parse(words).words) == len(words)


def test_trees_of_several_roots_are_learnt_word_by_word(tmp_path: Path) -> None:
    rows = [f"{i}\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\t_\n" for i in (1, 2)]
    (tmp_path / "train.conll").write_text("".join(rows) + "\n")
    (tmp_path / "dev.conll").write_text(TREE)
    with pytest.raises(TreewrightError, match=r"train\.conll: 1 trees have several roots"):
        trained("dep", tmp_path, "conll", tokeniser=False)
    model = trained("dep", tmp_path, "conll", tokeniser=False, local=True)
    assert len(model.parse(["sleep", "sleep"]).words) == 2


def test_derivations_without_dependencies(tmp_path: Path) -> None:
    derivations = [Derivation(str(i), Leaf("NP", "yes", "UH", "UH")) for i in range(4)]
    for name in ("train", "dev"):
        write_auto(tmp_path / f"{name}.auto", derivations)
    model = trained("ccg", tmp_path, "auto", grammar={"entry_cutoff": 1})
    assert model.parse(["yes"]).words == ("yes",)


def test_trees_whose_labels_are_all_rare(tmp_path: Path) -> None:
    for name in ("train", "dev"):
        (tmp_path / f"{name}.mrg").write_text("(TOP (S (NP (DT the) (NN cat)) (VBZ sleeps)))\n")
    with pytest.raises(TreewrightError, match="label_cutoff"):
        trained("const", tmp_path, "mrg")
    model = trained("const", tmp_path, "mrg", label_cutoff=1)
    for words in ODD:
        assert len(model.parse(words).words) == len(words)


def test_trees_with_rare_labels_are_counted(tmp_path: Path) -> None:
    tree = "(TOP (S (NP (DT the) (NN {0})) ({0} (VBZ sleeps))))\n"
    (tmp_path / "dev.mrg").write_text(tree.format("cat"))
    trees = [tree.format(word) for word in ("cat", "dog", "fox", "owl")]
    (tmp_path / "train.mrg").write_text("".join(trees))
    with pytest.raises(TreewrightError, match=r"train\.mrg: nothing .* label_cutoff"):
        trained("const", tmp_path, "mrg")
    more = [tree.format(word).replace(f"({word} ", "(VP ") for word in ("ant", "bee", "cow")]
    (tmp_path / "train.mrg").write_text("".join(trees + more))
    trained("const", tmp_path, "mrg")
    begin = json.loads((tmp_path / "run" / "records.jsonl").read_text().splitlines()[0])
    assert (begin["sentences"], begin["annotated"]) == (7, {"spans": 3, "pos": 7})


@pytest.mark.parametrize(("kind", "ending"), [("dep", "conllu"), ("ccg", "auto"), ("const", "mrg")])
def test_treebanks_whose_sentences_are_all_too_long(kind: str, ending: str, tmp_path: Path) -> None:
    write_minibank(tmp_path, 4, seed=1)
    with pytest.raises(TreewrightError, match=rf"train.{ending}: nothing to learn from: no sent"):
        trained(kind, tmp_path, ending, max_words=1)
