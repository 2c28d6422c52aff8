"""Transformations of trees: rows of text, and what comes back from what was collapsed."""

import io
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import treebank_file
from treewright.data import reshape
from treewright.data.brackets import Bracketed, Phrase, Tagged
from treewright.data.ptb import format_tree, read


def tree_of(text: str) -> Bracketed:
    (tree,) = read(io.StringIO(text))
    return tree


def trees() -> st.SearchStrategy[Bracketed]:
    leaves = st.builds(Tagged, st.sampled_from(["NN", "-NONE-"]), st.just("w"))
    labels = st.sampled_from(["S", "NP-SBJ", "VP=2"])
    return st.recursive(
        leaves, lambda kids: st.builds(Phrase, labels, st.lists(kids, min_size=1).map(tuple))
    )


REPORTED = "(VP (VBD reported) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))"


def test_removing_traces_removes_emptied_nodes() -> None:
    found = reshape.remove_traces(tree_of(f"(S {REPORTED} (. .))"))
    assert found is not None
    assert format_tree(found) == "(S (VP (VBD reported)) (. .))"
    assert reshape.remove_traces(tree_of("(S (NP (-NONE- *)))")) is None


@pytest.mark.parametrize(
    ("label", "stripped"),
    [
        ("NP", "NP"),
        ("NP-SBJ-1=2", "NP"),
        ("NP=2", "NP"),
        ("-LRB-", "-LRB-"),
        ("-NONE-", "-NONE-"),
        ("PRP$", "PRP$"),
        ("", ""),
    ],
)
def test_stripping_labels(label: str, stripped: str) -> None:
    assert reshape.strip_label(label) == stripped


def test_parts_of_speech_are_not_stripped() -> None:
    found = reshape.strip_tags(tree_of("(S-TPC (NP-SBJ (XX-1 x)))"))
    assert format_tree(found) == "(S (NP (XX-1 x)))"


def test_collapsing() -> None:
    tree = tree_of("( (S (VP (VB go) (NP (NML (NN home))))) )")
    assert format_tree(reshape.collapse_unaries(tree)) == "( (S+VP (VB go) (NP+NML (NN home))) )"
    found = format_tree(reshape.collapse_unaries(tree, tags=True))
    assert found == "( (S+VP (VB go) (NP+NML+NN home)) )"


def test_a_root_without_a_label_stays() -> None:
    found = reshape.collapse_unaries(tree_of("( (NN x) )"), tags=True)
    assert format_tree(found) == "( (NN x) )"


@pytest.mark.parametrize(("text", "tags"), [("(A+B (NN x))", False), ("(S (A+B x))", True)])
def test_labels_that_look_collapsed(text: str, tags: bool) -> None:
    with pytest.raises(ValueError, match=r"'A\+B' has a '\+'"):
        reshape.collapse_unaries(tree_of(text), tags=tags)


def assert_collapsed(tree: Bracketed, tags: bool) -> None:
    below: list[Bracketed] = [tree]
    for node in below:
        if isinstance(node, Phrase):
            below.extend(node.children)
            inner = node.children[0]
            assert len(node.children) > 1 or (isinstance(inner, Tagged) and not tags)


@pytest.mark.parametrize("tags", [False, True])
@given(tree=trees())
def test_collapsed_chains_come_back(tags: bool, tree: Bracketed) -> None:
    collapsed = reshape.collapse_unaries(tree, tags=tags)
    assert_collapsed(collapsed, tags)
    assert format_tree(reshape.restore_unaries(collapsed, tags=tags)) == format_tree(tree)


@given(trees())
def test_traces_and_nothing_else_go(tree: Bracketed) -> None:
    found = reshape.remove_traces(tree)
    text = "" if found is None else format_tree(found)
    assert "-NONE-" not in text
    assert text.count("(NN w)") == format_tree(tree).count("(NN w)")


def craft() -> Iterator[Bracketed]:
    return read(treebank_file("const-craft/dev.mrg"))


def test_chains_of_craft_come_back() -> None:
    for tree in craft():
        collapsed = reshape.collapse_unaries(tree, tags=True)
        assert format_tree(reshape.restore_unaries(collapsed, tags=True)) == format_tree(tree)


def test_labels_of_craft_lose_their_tags() -> None:
    for tree in craft():
        assert "-SBJ" not in format_tree(reshape.strip_tags(tree))
