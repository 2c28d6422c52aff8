"""`treewright compare`: all metrics of two systems, with the scores that `eval` gives."""

import json
from pathlib import Path

import pytest

from tests.cli.test_train import run
from treewright.data import conllu
from treewright.data.parg import read_ccgbank
from treewright.grammar.reorder import read_rules
from treewright.metrics.reordering import reordering_counts
from treewright.train.supervision import order_of

FORMATS = {"ccg": "auto", "const": "mrg", "dep": "conllu"}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("bank")
    assert run("minibank", "--out", place, "--sentences", 60)[0] == 0
    return place


def spoilt(path: Path, kind: str) -> Path:
    """A worse parser: it mixes up a label, or leaves out the last sentence."""
    text = path.read_text()
    if kind == "const":
        text = text.replace("(NP ", "(ADJP ", 40)
    elif kind == "dep":
        text = text.replace("\tnsubj\t", "\tobj\t", 12)
    else:
        *lines, _, _ = text.splitlines(keepends=True)
        text = "".join(lines)
    out = path.with_name(f"spoilt-{path.name}")
    out.write_text(text)
    return out


def compared(kind: str, *arguments: object) -> dict[str, dict[str, float]]:
    code, output = run("compare", "--kind", kind, "--json", "--samples", 200, *arguments)
    assert code == 0, output
    return {row["metric"]: row for row in map(json.loads, output.splitlines())}


def gold_file(bank: Path, kind: str) -> Path:
    (found,) = sorted(bank.rglob(f"train*.{FORMATS[kind]}"))
    return found


@pytest.mark.parametrize(
    ("kind", "metric", "evaluated"),
    [
        ("ccg", "labelled F1", ("labelled_all", "f")),
        ("const", "brackets F1", ("everything", "brackets", "f")),
        ("dep", "LAS", ("words", "LAS", "score", "f")),
    ],
)
def test_the_scores_are_those_of_eval(
    bank: Path, kind: str, metric: str, evaluated: tuple[str, ...]
) -> None:
    gold = gold_file(bank, kind)
    worse = spoilt(gold, kind)
    row = compared(kind, "--gold", gold, gold, worse)[metric]
    code, output = run("eval", "--kind", kind, "--gold", gold, "--pred", worse, "--json")
    assert code == 0
    found = json.loads(output)
    for key in evaluated:
        found = found[key]
    assert row["second"] == pytest.approx(found)
    assert row["first"] == 1.0
    assert row["difference"] == pytest.approx(1 - found)
    assert found < 1
    tests = {each["test"]: each for each in row["tests"]}
    assert tests.keys() == {"paired bootstrap", "approximate randomisation", "wilcoxon"}
    assert all(0 < each["p_value"] <= 1 for each in tests.values())


def test_word_orders(bank: Path) -> None:
    """The experiment's score: chunks by the rules on the trees of output and gold."""
    gold = gold_file(bank, "dep")
    worse, rules = spoilt(gold, "dep"), read_rules()
    assert "reordering" not in compared("dep", "--gold", gold, gold, worse)
    rows = compared("dep", "--gold", gold, gold, worse, "--reorder", "english-head-final")
    orders = [[order_of(tree, rules) for tree in conllu.read(path)] for path in (worse, gold)]
    counts = reordering_counts(*orders)
    assert rows["reordering"]["second"] == pytest.approx(counts.score().f)
    assert rows["reordering, exact"]["second"] == pytest.approx(counts.exact().score().f)
    assert rows["reordering"]["first"] == 1.0 > rows["reordering"]["second"]


def test_a_system_does_not_differ_from_itself(bank: Path) -> None:
    gold = gold_file(bank, "dep")
    for row in compared("dep", "--gold", gold, gold, gold).values():
        assert row["difference"] == 0
        assert all(test["p_value"] == 1 for test in row["tests"])  # type: ignore[attr-defined]


def test_the_table_names_both_systems(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    gold = gold_file(bank, "ccg")
    worse = spoilt(gold, "ccg")
    arguments = ("--kind", "ccg", "--gold", gold, gold, worse, "--samples", 100)
    code, output = run("compare", *arguments)
    assert code == 0
    assert worse.name in output
    assert "bootstrap randomised wilcoxon" in output
    assert "supertags" in output
    sentences = sum(1 for _ in read_ccgbank(gold))
    assert f"{100 * (sentences - 1) / sentences:.2f}" in output  # coverage


def test_ccg_as_clark_and_curran_without_what_no_rule_explains(tmp_path: Path) -> None:
    gold, parsed = tmp_path / "gold.auto", tmp_path / "parsed.auto"
    bad = "(<T S 1 2> (<L NP PRP PRP He NP>) (<L PP IN IN up PP>) )\n"
    theirs = "(<T NP 1 2> (<L NP{}/N DT DT the NP{}/N>) (<L N NN NN dog N>) )\n"
    gold.write_text(f"ID=1\n{theirs.replace('{}', '[nb]')}ID=2\n{bad}")
    parsed.write_text(f"ID=1\n{theirs.replace('{}', '')}")
    files = "--gold", gold, parsed, parsed
    assert run("compare", "--kind", "ccg", *files)[0] == 2
    with pytest.warns(match="1 of 2 sentences skipped"):
        strict = compared("ccg", "--skip-bad", *files)
    with pytest.warns(match="1 of 2 sentences skipped"):
        found = compared("ccg", "--skip-bad", "--clark-curran", *files)
    assert (strict["labelled F1"]["first"], found["labelled F1"]["first"]) == (0.0, 1.0)


def test_wrong_files_are_named(bank: Path, tmp_path: Path) -> None:
    gold = gold_file(bank, "const")
    short = tmp_path / "short.mrg"
    short.write_text("".join(gold.read_text().splitlines(keepends=True)[:-1]))
    code, error = run("compare", "--kind", "const", "--gold", gold, gold, short)
    assert code == 2
    assert str(short) in error
    assert run("compare", "--kind", "dep", "--gold", gold, gold, gold)[0] == 2
    assert run("compare", "--kind", "ccg", "--gold", tmp_path / "none", gold, gold)[0] == 2
