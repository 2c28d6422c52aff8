"""Every construction gets the categories that CCGbank's analysis demands, by rules that hold."""

from io import StringIO
from pathlib import Path

import pytest

from tests.convert.derivations import Case, read
from treewright.convert.arguments import known_arguments
from treewright.convert.ptb_ccg import convert
from treewright.data import ptb
from treewright.grammar.rules import read_rules, underivable

HERE = Path(__file__).parent
CASES = [case for path in sorted(HERE.glob("cases-*.txt")) for case in read(path.read_text())]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_categories(case: Case) -> None:
    (tree,) = ptb.read(StringIO(case.tree))
    result = convert(tree, "test.1", known_arguments())
    assert result.derivation is not None, result.detail
    found = " ".join(f"{leaf.word}|{leaf.category}" for leaf in result.derivation.leaves)
    assert found == case.words
    assert underivable(result.derivation, read_rules([result.derivation])) == []


@pytest.mark.parametrize("case", [c for c in CASES if c.links], ids=lambda case: case.name)
def test_dependencies(case: Case) -> None:
    (tree,) = ptb.read(StringIO(case.tree))
    result = convert(tree, "test.1", known_arguments())
    assert result.derivation is not None
    assert result.dependencies is not None
    assert result.notes == ()
    words = [leaf.word for leaf in result.derivation.leaves]
    rows = result.dependencies.rows
    found = [f"{words[row.argument]}<{words[row.functor]}.{row.slot}" for row in rows]
    assert sorted(found) == sorted(case.links.split())


def test_no_two_cases_have_one_name() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names))
