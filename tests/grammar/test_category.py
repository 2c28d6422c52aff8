"""Categories: text to structure and back, identity, unification, limits."""

import pickle
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import treebank_file
from treewright.data.auto import read_auto
from treewright.data.records import preorder
from treewright.grammar.category import MAX_DEPTH, MAX_TEXT, Category, functor, parse, unify

atoms = st.sampled_from(["S", "S[dcl]", "S[X]", "NP", "N", "PP", "conj", ",", ".", ":"]).map(parse)
categories = st.recursive(
    atoms, lambda part: st.builds(functor, part, st.sampled_from(["/", "\\"]), part), max_leaves=12
)


@given(categories)
def test_print_and_parse_are_inverse(category: Category) -> None:
    assert parse(category.text) is category
    assert parse(f"({category.text})") is category
    assert len(category.nodes()) == category.size
    assert len(category.arguments()) == category.arity


@given(categories, categories)
def test_unification_is_symmetric(one: Category, two: Category) -> None:
    assert unify(one, two) == unify(two, one)
    assert unify(one, one) == {}


@pytest.mark.parametrize(
    ("text", "arguments", "size"),
    [
        ("NP", [], 1),
        (r"S[dcl]\NP", ["NP"], 3),
        (r"((S\NP)/NP)/PP", ["NP", "NP", "PP"], 7),
        (r"(S\NP)\(S\NP)", ["NP", r"S\NP"], 7),
        (r"S\NP/NP", ["NP", "NP"], 5),
    ],
)
def test_structure(text: str, arguments: list[str], size: int) -> None:
    category = parse(text)
    assert [argument.text for argument in category.arguments()] == arguments
    assert category.size == size


@pytest.mark.parametrize("text", [r"S[dcl]\NP[conj]", "NP[conj]", r"(S\NP)\(S\NP)[conj]"])
def test_the_mark_of_a_conjunct_is_the_whole_category_s(text: str) -> None:
    category = parse(text)
    assert category.conj
    assert category.text == text
    assert category.plain is parse(text.removesuffix("[conj]"))
    assert not category.plain.conj


def test_pickling_keeps_identity() -> None:
    category = parse(r"(S[b]\NP)/NP")
    assert pickle.loads(pickle.dumps(category)) is category


@pytest.mark.parametrize(
    "text",
    ["", " ", "(", ")", "S/", "/NP", "S NP", "(S", "S)", "()", "(S)(NP)", "S//NP", "S[", "S[]",
     "S]", "NP{1}", "<s>", "S[dcl", "(S/NP", "S((NP)"],
)  # fmt: skip
def test_malformed_text(text: str) -> None:
    with pytest.raises(ValueError, match=r"categor|bracket|slash"):
        parse(text)


def test_limits_are_checked_before_memory_is_used() -> None:
    with pytest.raises(ValueError, match=f"more than {MAX_TEXT} characters"):
        parse("(" * MAX_TEXT + "S")
    deep = "(" * MAX_DEPTH + "S" + "/NP)" * MAX_DEPTH
    with pytest.raises(ValueError, match=f"more than {MAX_DEPTH} deep"):
        parse(f"{deep}/NP")
    assert parse(deep).arity == MAX_DEPTH


def test_unify_binds_one_value() -> None:
    wanted = parse(r"S[X]\S[X]")
    assert unify(wanted, parse(r"S[dcl]\S[dcl]")) == {"X": "dcl"}
    assert unify(wanted, parse(r"S[dcl]\S[b]")) is None
    assert unify(wanted, parse(r"S\S[b]")) == {"X": "b"}
    assert unify(parse("NP"), parse("N")) is None


@pytest.mark.parametrize("name", ["ccg-ewt/dev.auto", "ccg-atis/dev.auto"])
def test_categories_of_a_treebank(name: str) -> None:
    texts = {t.category for d in read_auto(treebank_file(name)) for t in preorder(d.root)}
    assert len(texts) > 50
    assert all(parse(text).text == text for text in texts)
    assert all(
        re.fullmatch(r"S|NP|conj|[.,:;]", parse(t).text) for t in texts if parse(t).size == 1
    )
