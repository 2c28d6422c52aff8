"""`treewright eval`: its numbers and its errors."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

from treewright.cli.main import app
from treewright.errors import ConfigError, TreewrightError
from treewright.train.setup import data_hashes

HEADER = "ID={} PARSER=GOLD NUMPARSE=1\n"
HE_RUNS = r"(<T S 1 2> (<L NP PRP PRP He NP{1}>) (<L S\NP VBZ VBZ runs (S{2}\NP{1}){2}>) )" + "\n"
PARG = '<s id="{}"> 1\n0\t1\tS\\NP\t1\tHe\truns\n<\\s>\n'


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    auto, parg = tmp_path / "x.auto", tmp_path / "x.parg"
    auto.write_text(HEADER.format("a") + HE_RUNS)
    parg.write_text(PARG.format("a") + PARG.format("b"))
    return str(auto), str(parg)


def run(gold: str, pred: str, *options: str) -> str:
    arguments = ["eval", "--kind", "ccg", "--gold", gold, "--pred", pred, *options]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_json_of_auto_against_parg(files: tuple[str, str]) -> None:
    auto, parg = files
    found = json.loads(run(parg, auto, "--json"))
    assert {name: found["labelled"][name] for name in "prf"} == {"p": 1.0, "r": 1.0, "f": 1.0}
    assert found["unlabelled"]["f"] == 1.0
    assert found["labelled_all"]["r"] == 0.5
    assert found["coverage"] == 0.5
    assert found["supertags"] is None
    shown = run(parg, auto)
    assert "coverage" in shown
    assert "supertags" not in shown


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Makes a pipe that gives the text of a file, once."""
    threads: list[Thread] = []

    def make(source: str) -> str:
        name = tmp_path / f"pipe{len(threads)}"
        os.mkfifo(name)
        text = Path(source).read_bytes()
        threads.append(Thread(target=name.write_bytes, args=(text,), daemon=True))
        threads[-1].start()
        return str(name)

    yield make
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("kind", ["ccg", "pos", "super"])
def test_pipes_are_read_once(kind: str, files: tuple[str, str], pipe: Callable[[str], str]) -> None:
    gold, pred = pipe(files[0]), pipe(files[0])
    options = ["eval", "--kind", kind, "--json"]
    found = CliRunner().invoke(app, [*options, "--gold", gold, "--pred", pred])
    assert found.exit_code == 0, found.exception
    if kind == "ccg":
        gold = pipe(files[1])
        assert json.loads(run(gold, files[0], "--json"))["labelled"]["f"] == 1.0


def test_what_is_read_twice_is_no_pipe(files: tuple[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with pytest.raises(ConfigError, match="/dev/zero: a pipe or a device"):
        run("/dev/zero", files[0], "--report", str(page))
    options = ["compare", "--kind", "ccg", "--gold", "/dev/zero", *files]
    found = CliRunner().invoke(app, options)
    assert "/dev/zero: a pipe or a device" in str(found.exception)
    with pytest.raises(ConfigError, match="/dev/zero: a pipe or a device"):
        data_hashes([Path("/dev/zero")])


def test_auto_against_itself_knows_supertags(files: tuple[str, str]) -> None:
    auto, _ = files
    assert json.loads(run(auto, auto, "--json"))["supertags"] == 1.0
    row = next(row for row in run(auto, auto).splitlines() if "supertags" in row)
    assert "100.00" in row


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ((HEADER.format("a") + HE_RUNS) * 2, "sentence a appears twice"),
        (HEADER.format("a") + HE_RUNS.replace("{1}>)", "{1}{2}>)"), "sentence a: "),
        (HEADER.format("a") + HE_RUNS.replace(r"(S{2}\NP{1}){2}", "S{2}"), "1 heads for the 3"),
        (HEADER.format("a") + HE_RUNS.replace(r"(S{2}\NP{1}){2}", r"(S{2}\{1}"), "sentence a: "),
        (HEADER.format("a") + HE_RUNS.replace(r"L S\NP", r"L S\ "), "two spaces"),
        ("", "the file is empty"),
    ],
)
def test_files_that_cannot_be_scored(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.auto"
    path.write_text(text)
    with pytest.raises(TreewrightError, match=message) as caught:
        run(str(path), str(path))
    assert str(caught.value).startswith(str(path))


TREES = "(TOP (S (NP (N x)) (V y)))\n"
WORDS = "1\tx\t_\tX\t_\t_\t2\tnsubj\t_\t_\n2\ty\t_\tX\t_\t_\t0\troot\t_\t_\n\n"


def evaluate(kind: str, gold: str, pred: str, folder: Path, *options: str) -> str:
    paths = folder / "gold", folder / "pred"
    for path, text in zip(paths, (gold, pred), strict=True):
        path.write_text(text)
    files = ["--gold", str(paths[0]), "--pred", str(paths[1])]
    arguments = ["eval", "--kind", kind, *files, *options]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_brackets(tmp_path: Path) -> None:
    pred = "(TOP (S (N x) (V y)))\n()\n"
    found = json.loads(evaluate("const", TREES * 2, pred, tmp_path, "--json"))
    assert found["everything"]["brackets"]["r"] == 0.5
    assert found["brackets_all"]["due"] == 4
    assert found["coverage"] == 0.5
    rows = evaluate("const", TREES * 2, pred, tmp_path).splitlines()
    cells = [row.split()[1::2] for row in rows if len(row.split()) == 7]
    scores = [["precision", "100.00"], ["recall", "50.00"], ["F1", "66.67"]]
    assert [row[:2] for row in cells if row[0] in {"precision", "recall", "F1"}] == scores


def test_rules_of_brackets(tmp_path: Path) -> None:
    pred = TREES.replace("TOP", "S1")
    scores = {
        rules: json.loads(evaluate("const", TREES, pred, tmp_path, "--json", "--rules", rules))
        for rules in ("collins", "new")
    }
    assert [scores[name]["everything"]["complete"] for name in ("collins", "new")] == [0, 1]


def test_dependencies(tmp_path: Path) -> None:
    pred = WORDS.replace("nsubj", "[i]:smile:")
    found = json.loads(evaluate("dep", WORDS, pred, tmp_path, "--json"))
    assert found["words"]["LAS"]["score"]["f"] == 0.5
    assert found["words"]["UAS"]["aligned_accuracy"] == 1
    assert found["by_relation"]["root"]["f"] == 1
    assert found["by_length"]["1-10"]["sentences"] == 1
    text = evaluate("dep", WORDS, pred, tmp_path)
    row = next(row for row in text.splitlines() if "LAS " in row)
    assert row.split()[1::2] == ["LAS", "50.00", "50.00", "50.00", "50.00"]
    assert "[i] " in text


READS = (
    "1\tShe\t_\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\treads\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    "3\tbooks\t_\tNOUN\t_\t_\t2\tobj\t_\t_\n\n"
)
AS_IT_STANDS = READS.replace("obj", "dep")  # a relation that the rules do not move


@pytest.mark.parametrize(
    ("gold", "score", "exact"),
    [
        (READS, 0.0, 0.0),  # She books reads; nothing is beside what it should be
        ("# order = 1 2 3\n" + READS, 1.0, 1.0),  # the file's own order goes first
        ("# order = 3 1 2\n" + READS, 0.5, 0.0),
    ],
)
def test_word_orders(gold: str, score: float, exact: float, tmp_path: Path) -> None:
    rules = ("--reorder", "english-head-final")
    found = json.loads(evaluate("dep", gold, AS_IT_STANDS, tmp_path, "--json", *rules))
    assert (found["reordering"], found["reordering, exact"]) == (score, exact)
    text = evaluate("dep", gold, AS_IT_STANDS, tmp_path, *rules)
    assert f"{100 * score:.2f}" in next(row for row in text.splitlines() if "reordering " in row)
    assert "reordering" not in evaluate("dep", gold, AS_IT_STANDS, tmp_path)


def test_word_orders_need_the_words_of_gold(tmp_path: Path) -> None:
    one = "1\tShereadsbooks\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    evaluate("dep", READS, one, tmp_path)
    with pytest.raises(TreewrightError, match="pred: reordering scores need"):
        evaluate("dep", READS, one, tmp_path, "--reorder", "english-head-final")


@pytest.mark.parametrize(
    ("kind", "gold", "pred", "message"),
    [
        ("const", TREES, TREES.replace("y", "z"), "pred: sentence 1: word 2 is 'z'"),
        ("const", TREES, TREES * 2, "pred: 2 parses, but 1 trees in gold"),
        ("const", "()\n", "()\n", "gold:1: a sentence without a parse"),
        ("const", TREES, "(S", "pred:1: the tree is not closed"),
        ("dep", WORDS, WORDS.replace("y", "z"), "pred: the texts differ in sentence 1 of gold"),
        ("dep", WORDS * 2, WORDS, "the texts differ in sentence 2 of gold: '', gold 'xy'"),
    ],
)
def test_what_cannot_be_compared(
    kind: str, gold: str, pred: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(TreewrightError, match=message):
        evaluate(kind, gold, pred, tmp_path)


def test_rules_belong_to_brackets(files: tuple[str, str]) -> None:
    auto, _ = files
    with pytest.raises(ConfigError, match="'ccg' has no option --rules; it has: --clark-"):
        run(auto, auto, "--rules", "new")


POS, FOUND = "He|PRP runs|VBZ\nruns|NNS\n", "He|PRP runs|NNS\nruns|NNS\n"


def test_tags(tmp_path: Path) -> None:
    known = tmp_path / "train"
    known.write_text("He|PRP\n")
    found = json.loads(evaluate("pos", POS, FOUND, tmp_path, "--json", "--known", str(known)))
    assert [found[name]["f"] for name in ("words", "unknown", "exact")] == [2 / 3, 1 / 2, 1 / 2]
    assert [found["by_tag"]["NNS"][name] for name in "pr"] == [1 / 2, 1]
    assert list(found["by_tag"]) == ["PRP", "VBZ", "NNS"]
    text = evaluate("pos", POS, FOUND, tmp_path)
    assert "unknown words" not in text
    assert "66.67" in text


def test_supertags_of_lines_against_derivations(files: tuple[str, str], tmp_path: Path) -> None:
    auto = Path(files[0]).read_text()
    pred = "He|PRP|NP runs|VBZ|S/NP\n"
    found = json.loads(evaluate("super", auto, pred, tmp_path, "--json"))
    assert (found["words"]["correct"], found["words"]["due"]) == (1, 2)


def test_segments(tmp_path: Path) -> None:
    joined = "1\txy\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    found = json.loads(evaluate("tok", WORDS + WORDS, WORDS + joined, tmp_path, "--json"))
    assert found["Tokens"]["correct"] == found["Words"]["correct"] == 2
    assert (found["Tokens"]["produced"], found["Tokens"]["due"]) == (3, 4)
    assert found["Sentences"]["f"] == 1


@pytest.mark.parametrize(
    ("kind", "pred", "message"),
    [
        ("pos", FOUND.replace("He", "She"), "pred: sentence 1: word 1 is 'She', but 'He' in gold"),
        ("pos", "He|PRP\nruns|NNS\n", "pred: sentence 1: 1 words, but 2 in gold"),
        ("pos", "He|PRP runs|VBZ\n", "pred: 1 sentences, but 2 in gold"),
        ("pos", "He PRP\n", r"pred:1: expected word\|POS, not 'He'"),
        ("super", "He|PRP\n", r"pred:1: expected word\|POS\|category, not 'He\|PRP'"),
        ("nosuch", "", "unknown kind of model 'nosuch': one of ccg, const, dep, pos, tok, super"),
    ],
)
def test_tags_that_cannot_be_scored(kind: str, pred: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(TreewrightError, match=message):
        evaluate(kind, POS, pred, tmp_path)


def test_what_no_rule_explains_can_be_skipped(tmp_path: Path) -> None:
    good = HEADER.format("1") + HE_RUNS
    bad = HEADER.format("2") + "(<T S 1 2> (<L NP PRP PRP He NP>) (<L PP IN IN up PP>) )\n"
    auto = tmp_path / "a.auto"
    auto.write_text(good + bad)
    with pytest.raises(TreewrightError, match="sentence 2: no rule makes S of NP and PP"):
        run(str(auto), str(auto))
    options = "--skip-bad", "--clark-curran", "--json"
    values = json.loads(run(str(auto), str(auto), *options))
    assert (values["LF"], values["sentences"]) == (1.0, 1)
    assert values["skipped in gold"]["causes"]["no rule makes S of NP and PP"]["ids"] == ["2"]
    assert "1 of 2 sentences skipped in gold" in run(str(auto), str(auto), "--skip-bad")
