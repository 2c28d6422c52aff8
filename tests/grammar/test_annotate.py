"""Head indices written by unification: the treebank's own, and the same dependencies."""

import pytest

from tests.conftest import treebank_file
from treewright.data.auto import format_tree, parse_tree, read_auto
from treewright.data.records import Derivation
from treewright.grammar.annotate import annotate
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.heads import derive
from treewright.grammar.indices import indexed_dependencies
from treewright.grammar.markup import read_entry

RELATIVE = (
    r"(<T NP 0 2> (<L NP N N firms ->) (<T NP\NP 1 2> (<L (NP\NP)/(S/NP) W W that ->) "
    r"(<T S/NP 1 2> (<T S/(S\NP) 0 1> (<L NP N N IBM ->) ) (<L (S\NP)/NP V V bought ->) ) ) )"
)
IMPERATIVE = r"(<T S\NP 0 2> (<L (S\NP)/NP V V Show ->) (<L NP N N flights ->) )"


def annotated(tree: str) -> list[str]:
    derivation = Derivation("test", parse_tree(tree))
    entries = [default_entry(parse(leaf.category)) for leaf in derivation.leaves]
    return [leaf.markup for leaf in annotate(derivation, entries, default_unary).leaves]


def test_long_range_heads_are_found() -> None:
    assert annotated(RELATIVE) == [
        "NP{1}",
        r"((NP{1}\NP{1}){2}/(S{4}/NP{1}){4}){2}",
        "NP{3}",
        r"((S{4}\NP{3}){4}/NP{1}){4}",
    ]


def test_what_no_word_fills_is_numbered_after_the_words() -> None:
    assert annotated(IMPERATIVE) == [r"((S{1}\NP{3}){1}/NP{2}){1}", "NP{2}"]


@pytest.mark.parametrize(
    ("treebank", "at_least"), [("ccg-ewt/dev.auto", 0.97), ("ccg-atis/dev.auto", 0.85)]
)
def test_the_treebank_s_indices_come_back(treebank: str, at_least: float) -> None:
    """From which parts share a head alone; atis links nothing across its many unary rules."""
    derivations = list(read_auto(treebank_file(treebank)))
    same = 0
    for derivation in derivations:
        entries = [read_entry(leaf.markup) for leaf in derivation.leaves]
        again = annotate(derivation, entries, default_unary)
        same += format_tree(again.root) == format_tree(derivation.root)
        assert indexed_dependencies(again) == derive(derivation, entries, default_unary)
    assert same / len(derivations) >= at_least
