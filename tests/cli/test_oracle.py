"""`treewright oracle` on a small CCG parser."""

import json
from pathlib import Path

import pytest

from tests.cli.test_train import run
from tests.small_ccg import bank, small_parser
from treewright.data.auto import write_auto


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("oracle")
    small_parser().save(found / "model")
    write_auto(found / "dev.auto", bank()[70:])
    return found


def rows(place: Path, *more: object) -> list[dict[str, dict[str, float]]]:
    files = ("--model", place / "model", "--gold", place / "dev.auto")
    code, output = run("oracle", *files, "--betas", "0.1,0.001", "--json", *more)
    assert code == 0
    found: list[dict[str, dict[str, float]]] = json.loads(output)
    return found


def test_wider_charts_hold_better_and_worse_parses(place: Path) -> None:
    narrow, wide = rows(place, "--margin", 1), rows(place, "--margin", "inf")
    for few, many in zip(narrow[:2], wide[:2], strict=True):
        assert many["best"]["f"] >= few["best"]["f"] > many["worst"]["f"]
        assert few["worst"]["f"] >= many["worst"]["f"]
    assert wide[1]["categories"] > wide[0]["categories"]


def test_cutoffs_are_the_papers_or_given(place: Path) -> None:
    assert [row.get("cutoff") for row in rows(place)] == [20, 150, None]
    assert [row.get("cutoff") for row in rows(place, "--cutoff", 5)] == [5, 5, None]


def test_gold_supertags_leave_only_what_the_grammar_lacks(place: Path) -> None:
    *beams, gold = rows(place, "--margin", "inf")
    assert gold["beta"] is None
    assert gold["best"]["f"] >= max(row["best"]["f"] for row in beams)
    assert gold["worst"]["f"] > beams[1]["worst"]["f"]


def test_charts_may_be_too_large(place: Path) -> None:
    assert rows(place, "--max-items", 1)[0]["coverage"] == 0


def test_no_ccg_model_is_an_error(place: Path) -> None:
    files = ("--model", place / "model", "--gold", place / "dev.auto")
    assert run("oracle", *files, "--kind", "const")[0] == 2
    assert run("oracle", *files, "--betas", "2")[0] == 2
    assert run("oracle", *files, "--betas", "x")[0] == 2
    assert run("oracle", *files, "--sizes", "3")[0] == 2
