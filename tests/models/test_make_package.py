"""`make models`: which parts of a package are made, and what is written of the others."""

from pathlib import Path

import pytest

from packages import make
from packages.make import Network, Parts, Teacher, Wanted, chosen, make_family, write_contents
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


def test_taught_trainings_learn_from_the_teacher_and_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # make_family makes runs
    plans: list[tuple[str, list[str]]] = []
    packed: list[tuple[str, str]] = []
    monkeypatch.setattr(make, "read_plan", lambda path, changes: plans.append((path.name, changes)))
    monkeypatch.setattr(make, "train", lambda *_: None)
    monkeypatch.setattr(make, "pack", lambda *paths: packed.append(tuple(p.name for p in paths)))
    family = Network(
        ["a.toml", "b.toml", "c.toml"],
        "model",
        ["b.toml", "c.toml"],
        {"dep.train": Path("dep"), "const.train": Path("const")},
        {"ccg.features": Path("en/ccg")},
        {"dep.features": "graph.toml"},
        Teacher("large.toml", "b.toml", Path("encoder"), ["dep", "ccg"]),
    )
    make_family(family, tmp_path / "packages" / "en" / "en", Path("data"), Path("runs"), 1)
    features = f'ccg.features="{tmp_path}/packages/en/ccg"'
    both = ['dep.train="data/dep"', 'const.train="data/const"', features]
    first, second = "runs/en-1-packed", "runs/en-2-packed"
    learnt = f'neural.teachers=["runs/en-teacher/model", "{first}"]'
    again = f'neural.teachers=["{second}"]'
    helper = 'dep.features="runs/en-graph/model"'
    assert plans == [
        ("a.toml", both),
        ("large.toml", [both[0], features, 'neural.encoder.name="data/encoder"']),
        ("b.toml", [*both, f'neural.encoder.name="{first}"', learnt]),
        ("graph.toml", ['train="data/dep"']),
        ("c.toml", [*both, helper, f'neural.encoder.name="{second}"', again]),
    ]
    assert packed == [("model", "en-1-packed"), ("model", "en-2-packed"), ("model", "model")]
