"""`treewright eval`: its numbers and its errors."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from treewright.cli.main import app
from treewright.errors import TreewrightError

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


def test_auto_against_itself_knows_supertags(files: tuple[str, str]) -> None:
    auto, _ = files
    assert json.loads(run(auto, auto, "--json"))["supertags"] == 1.0
    assert "supertags             100.00%" in run(auto, auto)


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
