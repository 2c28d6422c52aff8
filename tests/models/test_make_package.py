"""`make models`: which parts of a package are made, and what is written of the others."""

from pathlib import Path

import pytest

from packages.make import Parts, Wanted, chosen, write_contents
from treewright.config import load
from treewright.models.installed import Contents, Part

EACH = (Path("train"), Path("dev"), "CC0-1.0", "Minibank")
PARTS = {
    "dep": Wanted("dep", *EACH),
    "tok": Wanted("tok", *EACH, inside="dep/parts/tok"),
    "ccg": Wanted("ccg", *EACH),
}


def test_only_names_parts_and_what_is_inside_them() -> None:
    assert list(chosen(PARTS, None)) == ["dep", "tok", "ccg"]
    assert list(chosen(PARTS, ["dep"])) == ["dep", "tok"]
    assert list(chosen(PARTS, ["ccg", "tok"])) == ["tok", "ccg"]
    with pytest.raises(SystemExit, match="no part cgc; there are dep, tok, ccg"):
        chosen(PARTS, ["cgc"])


def test_parts_that_are_not_made_stay_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "models.toml"
    parts = Parts(3, "dep", None, PARTS)
    dep = Part("dep", "dep", scores={"LAS": 82.17}, data={"train": "1f"})
    write_contents(file, parts, {"dep": dep, "tok": Part("tok", "dep/parts/tok")})
    write_contents(file, parts, {"ccg": Part("ccg", "ccg", scores={"LF": 80.0})})
    found = load(Contents, file)
    assert list(found.parts) == ["dep", "tok", "ccg"]
    assert found.parts["dep"] == dep
    write_contents(file, Parts(3, "dep", None, {"ccg": PARTS["ccg"]}), {"ccg": Part("ccg", "new")})
    assert load(Contents, file).parts == {"ccg": Part("ccg", "new")}
