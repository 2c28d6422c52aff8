"""Pictures of JSON objects are those of the analyses; what is no analysis is refused."""

import json
from typing import Any

import pytest

from treewright.draw.objects import VIEWS, Sight, picture_of
from treewright.errors import TreewrightError

CCG: dict[str, Any] = {
    "kind": "ccg",
    "words": ["He", "sleeps"],
    "xpos": ["PRP", "VBZ"],
    "supertags": ["NP", "S\\NP"],
    "dependencies": [{"functor": 1, "category": "S\\NP", "slot": 1, "argument": 0}],
    "nodes": [
        {"category": "NP", "word": 0},
        {"category": "S\\NP", "word": 1},
        {"category": "S", "rule": "<", "head": 1, "children": [0, 1]},
    ],
    "marginals": {
        "dependencies": [
            {"functor": 1, "category": "S\\NP", "slot": 1, "argument": 0, "probability": 0.5}
        ],
        "constituents": [{"begin": 0, "end": 2, "label": "S", "probability": 0.5}],
    },
}
CONST: dict[str, Any] = {
    "kind": "const",
    "words": ["He", "sleeps"],
    "tree": "( (S (NP (PRP He)) (VP (VBZ sleeps))))",
    "marginals": {"constituents": [{"begin": 0, "end": 2, "label": "S", "probability": 0.5}]},
}
DEP: dict[str, Any] = {
    "kind": "dep",
    "words": ["He", "sleeps"],
    "upos": ["PRON", None],
    "heads": [2, 0],
    "labels": ["nsubj", "root"],
    "marginals": {
        "arcs": [
            [{"head": 2, "label": "nsubj", "probability": 0.5}],
            [{"head": 0, "label": "root", "probability": 1.0}],
        ]
    },
}
POS: dict[str, Any] = {
    "kind": "pos",
    "words": ["He", "sleeps"],
    "xpos": ["PRP", "VBZ"],
    "marginals": {"xpos": [{"PRP": 0.5}, {"VBZ": 1.0}]},
}
ALL = {values["kind"]: values for values in (CCG, CONST, DEP, POS)}


@pytest.mark.parametrize("kind", ALL)
def test_every_view_is_drawn(kind: str) -> None:
    for view in VIEWS[kind]:
        picture = picture_of(ALL[kind], Sight(view, shaded=True))
        assert picture.width > 0
        assert "0.5" in picture.content


@pytest.mark.parametrize("kind", ["ccg", "const", "dep"])
def test_probabilities_are_seen_on_hover_and_as_shades_if_asked(kind: str) -> None:
    for shaded in (False, True):
        content = picture_of(ALL[kind], Sight(shaded=shaded)).content
        assert "probability 0.500" in content
        assert ('class="shade"' in content) == shaded


@pytest.mark.parametrize(
    ("values", "change", "expected"),
    [
        (CCG, {"dependencies": []}, {"missed": 1}),
        (DEP, {"labels": ["obj", "root"]}, {"wrong": 1, "missed": 1}),
        (CONST, {"tree": "( (S (NP (PRP He) (VBZ sleeps))))"}, {"wrong": 2}),
    ],
)
def test_what_differs_is_marked(
    values: dict[str, Any], change: dict[str, Any], expected: dict[str, int]
) -> None:
    view = "arcs" if "arcs" in VIEWS[values["kind"]] else ""
    first, second = (
        ({**values, **change}, values) if values is CCG else (values, {**values, **change})
    )
    content = picture_of(first, Sight(view, second)).content
    for mark, count in expected.items():
        assert content.count(f' {mark}"') == count


def test_nodes_fold() -> None:
    content = picture_of(CCG, Sight(folded=[2])).content
    assert "He sleeps" in content
    assert content.count("data-node") == 1


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"kind": "dep"},
        {"kind": "cake", "words": []},
        {**DEP, "heads": [7, 0]},
        {**DEP, "heads": "no"},
        {**DEP, "heads": [float("inf"), 0]},
        {**DEP, "heads": [None, 0]},
        {**CCG, "nodes": [{"category": "S", "head": 0, "children": [5]}]},
        {**CCG, "nodes": [{"category": "S", "head": 9, "children": []}]},
        {**CCG, "nodes": []},
        {**CCG, "nodes": CCG["nodes"] * 100},
        {**CONST, "tree": "(S (NP"},
        {**CONST, "tree": "(S a) (S b)"},
        {**CONST, "words": 3},
    ],
)
def test_what_is_no_analysis_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(TreewrightError):
        picture_of(values, Sight())
    json.dumps(values)


def test_an_unknown_view_is_refused() -> None:
    with pytest.raises(TreewrightError, match="dep has no view 'tree': one of arcs, chart"):
        picture_of(DEP, Sight("tree"))


def test_no_words() -> None:
    assert picture_of({**DEP, "words": [], "heads": [], "labels": []}, Sight()).content == ""
