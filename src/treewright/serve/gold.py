"""Gold analyses as objects like those of parsers, and the scores of a parse against them."""

from collections.abc import Mapping
from io import StringIO
from typing import Any

from treewright.errors import TreewrightError
from treewright.formats.treebanks import OBJECTS
from treewright.serve.differences import compared
from treewright.serve.problems import refused

Values = dict[str, Any]


def gold_objects(form: str, content: str) -> list[Values]:
    """The analyses of sentences in a treebank's format."""
    try:
        return list(OBJECTS[form](StringIO(content)))
    except TreewrightError as error:
        raise refused(422, "gold", str(error)) from error


def scores(parse: Mapping[str, Any], gold: Mapping[str, Any]) -> dict[str, float]:
    """Items that are correct, produced and due (n, d, c), F1 and its loss."""
    found = compared(parse, gold)
    n = found["shared"]
    d, c = n + len(found["only_a"]), n + len(found["only_b"])
    f1 = 2 * n / (d + c) if d + c else 1.0
    precision, recall = (n / d if d else 1.0), (n / c if c else 1.0)
    return {"n": n, "d": d, "c": c, "precision": precision, "recall": recall, "f1": f1} | {
        "loss": 1 - f1
    }


def scored(found: list[Values], form: str, content: str) -> list[Values]:
    """Comparisons with gold analyses and scores, if kinds and words are the same."""
    gold = gold_objects(form, content)
    if len(gold) != len(found):
        return found
    return [_with_scores(*pair) for pair in zip(found, gold, strict=True)]


def _with_scores(found: Values, gold: Values) -> Values:
    sides = found["a"], found["b"]
    if any(side["kind"] != gold["kind"] or list(side["words"]) != gold["words"] for side in sides):
        return found
    both = {name: scores(found[name], gold) for name in ("a", "b")}
    return {**found, "gold": gold, "scores": both}
