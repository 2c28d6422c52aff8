"""Signs between letters and digits: which a treebank pairs, and what becomes of one-sided ends."""

import numpy as np
import pytest

from treewright.scores.tagging.base import Posteriors
from treewright.text.characters import Bools, Characters, CharacterTable, read_characters
from treewright.text.segments import ENDS_TOKEN, INSIDE, SENTENCE, TOKEN
from treewright.text.signs import ENOUGH, learn_paired, settle, signs

TABLE = CharacterTable()


def read(tokens: str) -> tuple[Characters, Bools]:
    """The text whose tokens end at `|` and at spaces."""
    characters = read_characters(tokens.replace("|", ""), TABLE)
    pieces = tokens.replace("|", " ").split()
    ends = np.zeros(len(characters), dtype=np.bool_)
    ends[np.cumsum([len(piece) for piece in pieces]) - 1] = True
    return characters, ends


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("all-day 1/2 x2-3 a-5", ["a-a", "9/9", "9-9", "a-9"]),
        ("- a- -b c - d --e f--g (h) i.", []),
        ("-", []),
        ("a", []),
        ("", []),
        ("l'œuvre 5:30,", ["a'a", "9:9"]),
    ],
)
def test_signs_between_letters_and_digits(text: str, found: list[str]) -> None:
    places, names = signs(read_characters(text, TABLE))
    assert names == found
    assert [text.replace(" ", "")[place] for place in places] == [name[1] for name in names]


def test_paired_signs_are_learnt() -> None:
    text = "a|-|b c-d x/|y 1:2 "
    found = ("9:9", "9Po9", "a-a", "aPda")
    assert learn_paired([read(text * ENOUGH)]) == found
    assert learn_paired([read(text * (ENOUGH // 2))] * 2) == found
    assert learn_paired([read(text * (ENOUGH // 2 - 1))]) == ()
    assert learn_paired([read("a-b " * 98 + "a|-b " * 2)]) == ("a-a", "aPda")
    assert learn_paired([read("a-b " * 97 + "a|-b " * 3)]) == ()
    assert learn_paired([]) == ()


def test_categories_of_signs_are_learnt() -> None:
    rare = "a\u2013b " * (ENOUGH - 1)
    assert learn_paired([read(rare + "a-b ")]) == ("aPda",)
    assert learn_paired([read(rare + "a-b " * ENOUGH)]) == ("a-a", "aPda")
    one_sided = "a|-b " * ENOUGH  # one sign of the category is not paired
    assert learn_paired([read("a\u2013b " * 999 + one_sided)]) == ("a\u2013a",)


def posteriors(ends: list[float], size: int) -> Posteriors:
    """Of positions with the given probability that a token ends, divided among two tags."""
    row = [INSIDE, TOKEN, SENTENCE]
    probability = [[1 - p, 0.9 * p, 0.1 * p] for p in ends]
    first = np.arange(0, 3 * size + 1, 3, dtype=np.int32)
    tags = np.array(row * size, dtype=np.int32)
    return Posteriors(first, tags, np.array(probability).ravel(), np.array([0, size], np.int32))


@pytest.mark.parametrize(
    ("before", "after", "ends"),
    [
        (0.4, 0.9, True),  # 0.36 against 0.06
        (0.4, 0.55, False),  # 0.22 against 0.27
        (0.7, 0.4, True),  # 0.28 against 0.18
        (0.6, 0.1, False),
        (0.0, 0.9, False),
        (0.6, 0.7, True),  # nothing to settle
        (0.3, 0.2, False),
    ],
)
def test_both_ends_or_neither(before: float, after: float, ends: bool) -> None:
    characters = read_characters("b-c", TABLE)
    table = posteriors([before, after, 1.0], 3)
    tags = table.best()
    settle(tags, table, characters, {"a-a"})
    assert tags.tolist() == ([TOKEN, TOKEN, TOKEN] if ends else [INSIDE, INSIDE, TOKEN])


def test_a_category_stands_for_its_signs() -> None:
    for sign in "-\u2013\u2014":
        table = posteriors([0.4, 0.9, 1.0], 3)
        tags = table.best()
        settle(tags, table, read_characters(f"b{sign}c", TABLE), {"aPda"})
        assert ENDS_TOKEN[tags].tolist() == [True, True, True]


def test_other_signs_and_certain_ends_stay() -> None:
    table = posteriors([0.0, 0.9, 1.0], 3)
    for text, paired in (("b/c", {"a-a"}), ("b-c", set[str]())):
        tags = table.best()
        settle(tags, table, read_characters(text, TABLE), paired)
        assert ENDS_TOKEN[tags].tolist() == [False, True, True]
    certain = posteriors([0.0, 1.0, 1.0], 3)
    tags = certain.best()
    settle(tags, certain, read_characters("b-c", TABLE), {"a-a"})
    assert ENDS_TOKEN[tags].tolist() == [False, True, True]
