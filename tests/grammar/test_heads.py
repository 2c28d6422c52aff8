"""Dependencies by unification: textbook derivations, and the shared treebank."""

from pathlib import Path

import pytest

from treewright.data.auto import parse_tree
from treewright.data.records import Derivation
from treewright.errors import GrammarError
from treewright.grammar.category import parse
from treewright.grammar.heads import apply, lexical_item
from treewright.grammar.indices import dependencies_of
from treewright.grammar.markup import read_entry
from treewright.grammar.rules import Kind, Step
from treewright.grammar.schema import schema

GOLDEN = Path(__file__).parents[1] / "golden" / "dependencies.txt"


def golden_blocks() -> list[tuple[str, list[str]]]:
    blocks: list[tuple[str, list[str]]] = []
    for line in GOLDEN.read_text().splitlines():
        if line.startswith("("):
            blocks.append((line, []))
        elif line and not line.startswith("#"):
            blocks[-1][1].append(line)
    return blocks


def rows(tree: str) -> list[str]:
    """The dependencies of a tree as `functor slot argument` rows."""
    derivation = Derivation("golden", parse_tree(tree))
    words = [leaf.word for leaf in derivation.leaves]
    found = dependencies_of(derivation)
    return sorted(f"{words[d.functor]} {d.slot} {words[d.argument]}" for d in found)


@pytest.mark.parametrize(("tree", "expected"), golden_blocks())
def test_textbook(tree: str, expected: list[str]) -> None:
    assert rows(tree) == sorted(expected)


def test_markup_of_ccgbank_leaves_is_used() -> None:
    will = r"(S[dcl]\NP)/(S[b]\NP) MD MD will (S[dcl]\NP_10)/(S[b]_11\NP_10:B)_11"
    promise = r"(S[dcl]\NP)/(S[b]\NP) MD MD will (S[dcl]\NP_10)/(S[b]_11\NP_12)_11"
    tree = (
        r"(<T S[dcl] 1 2> (<L NP N N I NP>) "
        r"(<T S[dcl]\NP 0 2> (<L {}>) (<L S[b]\NP V V go S[b]\NP_3>) ) )"
    )
    assert rows(tree.format(will)) == ["go 1 I", "will 1 I", "will 2 go"]
    assert rows(tree.format(promise)) == ["will 1 I", "will 2 go"]


def test_an_item_keeps_what_still_waits() -> None:
    verb = lexical_item(1, read_entry(r"((S{1}\NP{2}){1}/NP{3}){1}"))
    noun = lexical_item(2, read_entry("NP{1}"))
    step = Step(Kind.FORWARD_APPLICATION, parse(r"S\NP"))
    item, filled = apply(schema(step, verb.marked, noun.marked), verb, noun)
    assert [tuple(f) for f in filled] == [(1, 2, 2)]
    assert str(item.marked) == r"(S{0}\NP{1}){0}"
    assert item.heads == ((1,), ())
    assert [tuple(w) for w in item.waiting] == [(1, 1, 1)]


def test_an_impossible_derivation_is_named() -> None:
    with pytest.raises(GrammarError, match="sentence golden: no rule makes S of NP and NP"):
        rows("(<T S 0 2> (<L NP N N a x>) (<L NP N N b x>) )")


def test_indices_and_unification_agree_on_conjuncts() -> None:
    tree = (
        r"(<T S 1 2> (<T NP 0 2> (<T NP 1 2> (<L NP/NP DT DT the (NP{2}/NP{2}){1}>) "
        r"(<L NP NN NN man NP{2}>) ) (<T NP 1 2> (<L conj CC CC and conj{3}>) (<T NP 1 2> "
        r"(<L NP/NP DT DT a (NP{2}/NP{2}){4}>) (<L NP NN NN boy NP{2}>) ) ) ) "
        r"(<L S\NP VB VB sing (S{6}\NP{2}){6}>) )"
    )
    assert rows(tree) == ["a 1 boy", "sing 1 boy", "sing 1 man", "the 1 man"]
