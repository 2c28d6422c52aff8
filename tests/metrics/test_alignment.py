"""Alignment by characters: rows of text, and spans against a naive twin."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.data.dependency import DependencyTree, MultiwordToken, Word
from treewright.errors import TreewrightError
from treewright.metrics.alignment import align, check_same_text, places


def sentence_of(text: str) -> DependencyTree:
    """Tokens with spaces between; `token=word+word` is a multiword token, `_` a space in a form."""
    words: list[str] = []
    tokens = []
    for token in text.split():
        form, *parts = token.replace("_", " ").split("=")
        inner = parts[0].split("+") if parts else [form]
        if len(inner) > 1:
            tokens.append(MultiwordToken(len(words) + 1, len(words) + len(inner), form, "_", "_"))
        words += inner
    rows = (Word(form, "_", "X", "_", "_", i, "dep", "_", "_") for i, form in enumerate(words))
    return DependencyTree(tuple(rows), tokens=tuple(tokens))


def pairs_of(pred: str, gold: str) -> str:
    (_, first), (_, second) = places([sentence_of(pred)]), places([sentence_of(gold)])
    return " ".join(f"{i}{j}" for i, j in align(first, second))


@pytest.mark.parametrize(
    ("pred", "gold", "pairs"),
    [
        ("a b c", "a b c", "00 11 22"),
        ("ab c d", "a b c d", "12 23"),
        ("a bc d", "ab c d", "22"),
        ("New_York x", "New York x", "12"),
        ("can't go", "can't=can+not go", "12"),
        ("can't=can+n't go", "can't=can+not go", "00 22"),
        ("Damelo=da+lo", "Damelo=Da+me+lo", "00 12"),
        ("Damelo=Da+me+lo", "Damelo=da+lo", "00 21"),
        ("xab=x+a+b c", "x ab=a+b c", "00 11 22 33"),
        ("x ab=a+b c", "xa bc=b+c", "21 32"),
        ("u xa bc=b+c v", "u x ab=a+b c v", "00 23 34 45"),
        ("xa b", "x ab=xa+b", "12"),
        ("ab cd=bc+d", "a bc d", "22"),
        ("a b=b+b", "ab=b+a", "01"),
        ("ab=a+b", "ab=b+a", "01"),
        ("a_b", "ab=ab+c", "00"),  # conll18_ud_eval.py takes spaces from tokens only
        ("ab=a_b+c", "ab=ab+c", "11"),
    ],
)
def test_rows(pred: str, gold: str, pairs: str) -> None:
    assert pairs_of(pred, gold) == pairs


@given(st.lists(st.booleans(), max_size=12), st.lists(st.booleans(), max_size=12))
def test_without_multiword_tokens_equal_spans_are_aligned(a: list[bool], b: list[bool]) -> None:
    first, second = (
        places([sentence_of("".join("x " if cut else "x" for cut in (*cuts, True)))])[1]
        for cuts in ((a + [False] * 12)[:12], (b + [False] * 12)[:12])
    )
    naive = [(i, j) for i, p in enumerate(first) for j, g in enumerate(second) if p[:2] == g[:2]]
    assert align(first, second) == naive


def test_other_texts() -> None:
    check_same_text("abc", "abc", [0, 2])
    with pytest.raises(TreewrightError, match="differ in sentence 2 of gold: 'x', gold 'c'"):
        check_same_text("abx", "abc", [0, 2])
    with pytest.raises(TreewrightError, match="differ in sentence 1 of gold: '', gold 'bc'"):
        check_same_text("a", "abc", [0, 2])
