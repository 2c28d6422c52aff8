"""Every combinator against rows of textbook facts."""

import re
from pathlib import Path

import pytest

from treewright.grammar import combinators
from treewright.grammar.category import parse

GOLDEN = Path(__file__).parents[1] / "golden" / "combinators.txt"
ROWS = [line.split() for line in GOLDEN.read_text().splitlines() if not line.startswith("#")]
NAMES = {re.sub(r"_2$", "", row[0]) for row in ROWS}


def apply(rule: str, left: str, right: str) -> str:
    name = rule.removesuffix("_2")
    extra = (2,) if rule.endswith("_2") else ()
    result = getattr(combinators, name)(parse(left), parse(right), *extra)
    return result.text if result else "-"


@pytest.mark.parametrize(("rule", "left", "right", "result"), ROWS)
def test_textbook(rule: str, left: str, right: str, result: str) -> None:
    assert apply(rule, left, right) == result


def test_no_combinator_is_without_a_row() -> None:
    public = {name for name, value in vars(combinators).items() if callable(value)}
    imported = {"Category", "Collection", "Slash", "clause_base", "conjunct", "functor"}
    imported |= {"substitute", "unify"}
    others = {"changing", "outside"}  # rules of CCGbank outside the combinators
    assert {name for name in public if not name.startswith("_")} - imported - others == NAMES
