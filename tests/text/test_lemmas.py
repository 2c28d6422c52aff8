"""Edit scripts: they make the lemma again, and generalise from like words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treewright.text.lemmas import apply, longest_common, script

LETTERS = st.text("abcAB İßé,.-", min_size=1, max_size=6)


@given(LETTERS, LETTERS)
def test_a_script_makes_its_lemma(form: str, lemma: str) -> None:
    assert apply(script(form, lemma), form) == lemma


@pytest.mark.parametrize(
    ("form", "lemma", "other", "due"),
    [
        ("Houses", "house", "Cars", "car"),
        ("studies", "study", "flies", "fly"),
        ("gesagt", "sagen", "gemacht", "machen"),
        ("NATO", "NATO", "EU", "EU"),
        ("went", "go", "went", "go"),
        ("4,000", "4000", "1,250,000", "1250000"),
        ("10 000", "10000", "1 250 000", "1250000"),
        ("ca", "can", "CA", "can"),
        ("'ll", "will", "'LL", "will"),
        ("n't", "not", "N'T", "not"),
        ("Inc", "Inc.", "INC", "INC."),
        ("A", "Award", "A", "Award"),
    ],
)
def test_a_script_fits_like_words(form: str, lemma: str, other: str, due: str) -> None:
    assert apply(script(form, lemma), other) == due


def test_a_form_that_is_too_short_stays() -> None:
    assert apply(script("studies", "study"), "es") == "es"


@given(st.text("ab", max_size=6), st.text("ab", max_size=6))
def test_the_longest_common_stretch(a: str, b: str) -> None:
    i, j, size = longest_common(a, b)
    assert a[i : i + size] == b[j : j + size]
    stretches = (a[x:y] for x in range(len(a)) for y in range(x, len(a) + 1))
    assert size == max((len(each) for each in stretches if each in b), default=0)
