"""Files in, files out: names, counts, causes, and all files or none."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli.main import app
from treewright.convert.ptb_ccg import tree_files
from treewright.data.auto import read_auto
from treewright.data.parg import read_parg
from treewright.errors import ConfigError, StoreError
from treewright.grammar.indices import dependencies_of
from treewright.grammar.rules import read_rules, underivable

GOOD = "( (S (NP-SBJ (DT The) (NN cell)) (VP (VBZ divides)) (. .)) )\n"
EMPTY = "( (S (NP-SBJ (-NONE- *PRO*)) (VP (-NONE- *?*))) )\n"


def run(tmp_path: Path, *trees: Path) -> tuple[int, dict[str, object]]:
    out = {name: tmp_path / f"out.{name}" for name in ("auto", "parg", "report")}
    options = [part for name, path in out.items() for part in (f"--{name}", str(path))]
    result = CliRunner().invoke(app, ["convert", "ptb-ccg", *map(str, trees), *options])
    report = json.loads(out["report"].read_text()) if out["report"].exists() else {}
    return result.exit_code, report


def test_trees_are_numbered_whether_or_not_others_are_converted(tmp_path: Path) -> None:
    trees = tmp_path / "some.mrg"
    trees.write_text(GOOD + EMPTY + GOOD)
    code, report = run(tmp_path, trees)
    assert code == 0
    assert (report["sentences"], report["converted"]) == (3, 2)
    assert report["causes"] == {"no words": 1}
    derivations = list(read_auto(tmp_path / "out.auto"))
    assert [d.id for d in derivations] == ["some.1", "some.3"]
    assert [d.id for d in read_parg(tmp_path / "out.parg")] == ["some.1", "some.3"]


def test_directories_of_trees(tmp_path: Path) -> None:
    (tmp_path / "trees" / "nw").mkdir(parents=True)
    with pytest.raises(ConfigError, match=r"trees: no files that end in \.mrg, \.parse"):
        list(tree_files([tmp_path / "trees"]))
    names = ["a.parse", "b.tree", "c.mrg", "d.xml", "nw/e.mrg"]
    for name in [*names, "README.txt"]:
        (tmp_path / "trees" / name).touch()
    assert list(tree_files([tmp_path / "trees"])) == [tmp_path / "trees" / each for each in names]


def test_the_files_agree_with_each_other_and_with_the_grammar(tmp_path: Path) -> None:
    trees = tmp_path / "a.mrg"
    trees.write_text(GOOD)
    run(tmp_path, trees)
    (derivation,) = read_auto(tmp_path / "out.auto")
    (rows,) = read_parg(tmp_path / "out.parg")
    assert [leaf.word for leaf in derivation.leaves] == ["The", "cell", "divides", "."]
    assert underivable(derivation, read_rules([derivation])) == []
    assert list(rows.rows) == dependencies_of(derivation)


def test_directories_are_searched_in_order(tmp_path: Path) -> None:
    for name in ("b.mrg", "a.mrg", "c.txt"):
        (tmp_path / "trees" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "trees" / name).write_text(GOOD)
    run(tmp_path, tmp_path / "trees")
    assert [d.id for d in read_auto(tmp_path / "out.auto")] == ["a.1", "b.1"]


def test_the_xml_of_genia_is_read_as_well(tmp_path: Path) -> None:
    subject = '<cons cat="NP" role="SBJ"><tok cat="NNS">Cells</tok></cons>'
    verb = '<cons cat="VP"><tok cat="VBP">divide</tok></cons>'
    (tmp_path / "trees").mkdir()
    text = f'<a><sentence id="s1"><cons cat="S">{subject}{verb}</cons></sentence></a>'
    (tmp_path / "trees" / "7.xml").write_text(text)
    run(tmp_path, tmp_path / "trees")
    (derivation,) = read_auto(tmp_path / "out.auto")
    assert derivation.id == "7.1"
    assert [str(leaf.category) for leaf in derivation.leaves] == ["N", "S[dcl]\\NP"]


def test_a_malformed_file_leaves_nothing_behind(tmp_path: Path) -> None:
    trees = tmp_path / "bad.mrg"
    trees.write_text(GOOD + "( (S (NN a)\n")
    result = CliRunner().invoke(
        app, ["convert", "ptb-ccg", str(trees), "--auto", "x", "--parg", "y", "--report", "z"]
    )
    assert result.exit_code != 0
    assert "bad.mrg:2" in str(result.exception)
    assert not Path("x").exists()


def test_all_files_or_none(tmp_path: Path) -> None:
    trees = tmp_path / "a.mrg"
    trees.write_text(GOOD)
    options = ["--auto", str(tmp_path / "o.auto"), "--parg", str(tmp_path / "no" / "o.parg")]
    result = CliRunner().invoke(
        app, ["convert", "ptb-ccg", str(trees), *options, "--report", str(tmp_path / "r.json")]
    )
    assert isinstance(result.exception, StoreError)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mrg"]


def test_lists_of_arguments_are_learnt_and_read(tmp_path: Path) -> None:
    trees = tmp_path / "a.mrg"
    verb = "( (S (NP-SBJ (PRP It)) (VP (VBZ {0}) (PP (IN {1}) (NP (NN x)))) (. .)) )\n"
    plain = "( (S (NP-SBJ (PRP It)) (VP (VBZ runs)) (. .)) )\n"
    trees.write_text(verb.format("dwells", "upon") * 5 + plain * 95)
    out = tmp_path / "lists.toml"
    result = CliRunner().invoke(app, ["convert", "arguments", str(trees), "--out", str(out)])
    assert result.exit_code == 0
    assert '"upon" = ["dwell"]' in out.read_text()


@pytest.mark.parametrize("depth", [200, 900])
def test_a_deep_tree_is_reported(tmp_path: Path, depth: int) -> None:
    trees = tmp_path / "a.mrg"
    trees.write_text("(NP " * depth + "(NN a) (NN b)" + ")" * depth)
    code, report = run(tmp_path, trees)
    assert code == 0
    assert report["causes"] == {"too deep": 1}


@pytest.mark.parametrize("many", ["(NN a)", "(NP-1 (-NONE- *T*-1))", "(, ,)"])
def test_a_large_tree_is_reported_and_the_rest_goes_on(tmp_path: Path, many: str) -> None:
    trees = tmp_path / "a.mrg"
    plain = "( (S (NP-SBJ (PRP It)) (VP (VBZ runs)) (. .)) )\n"
    trees.write_text(plain + f"( (S (NN a) {many * 100_000}) )\n" + plain)
    code, report = run(tmp_path, trees)
    assert code == 0
    assert report["causes"] == {"too large": 1}
    assert report["converted"] == 2
