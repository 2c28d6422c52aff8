"""Variants of apostrophes and hyphens: which of them a tokeniser reads as plain."""

import pytest

from treewright.errors import StoreError
from treewright.grammar.words import VARIANTS
from treewright.text.variants import ENOUGH, PREVAILS, learn_variants, plain_table

APOSTROPHES = tuple(sorted(v for v, plain in VARIANTS.items() if plain == "'"))


def test_the_plain_sign_must_prevail_between_letters() -> None:
    assert learn_variants(["it's " * ENOUGH]) == APOSTROPHES
    assert learn_variants(["it's " * (ENOUGH - 1)]) == ()
    assert learn_variants(["' 5'6 a' 'b " * ENOUGH]) == ()
    some = "it\u2019s " * ENOUGH
    assert "\u2019" in learn_variants([some, "it's " * (ENOUGH * PREVAILS)])
    assert learn_variants([some, "it's " * (ENOUGH * PREVAILS - 1)]) == tuple(
        each for each in APOSTROPHES if each != "\u2019"
    )


def test_signs_keep_their_places() -> None:
    table = plain_table(VARIANTS)
    assert "it\u2019s a well\u2011known\uff07 one".translate(table) == "it's a well-known' one"


def test_an_unknown_variant_is_an_error() -> None:
    with pytest.raises(StoreError, match="unknown variant of a sign: 'x'"):
        plain_table(["x"])
