"""Pseudo-projective trees: projective, and back again."""

from hypothesis import given
from hypothesis import strategies as st

from tests.train.test_transition import any_heads
from treewright.data.dependency import is_projective, top_down
from treewright.data.pseudo import MARK, decode, encode, projectivise

# "What did you say she saw": What <- saw, over say and its root.
HEADS = [6, 4, 4, 0, 6, 4]
RELATIONS = ["obj", "aux", "nsubj", "root", "nsubj", "ccomp"]


def test_a_question_is_lifted_and_lowered() -> None:
    heads, relations = encode(HEADS, RELATIONS)
    assert heads == [4, 4, 4, 0, 6, 4]
    assert relations == ["obj^ccomp", *RELATIONS[1:]]
    assert decode(heads, relations) == (HEADS, RELATIONS)


def test_the_nearest_such_word_is_the_head() -> None:
    # Words 3 and 4 are both ccomp; 3 is nearer to the head 2, and 5 is below neither.
    heads, relations = [2, 0, 2, 3, 2], ["obj^ccomp", "root", "ccomp", "ccomp", "x^nowhere"]
    assert decode(heads, relations) == ([3, 0, 2, 3, 2], ["obj", "root", "ccomp", "ccomp", "x"])


def test_a_word_is_not_moved_below_itself() -> None:
    heads, relations = [0, 1, 2], ["root", "a^b", "b"]
    assert decode(heads, relations)[0] == [0, 1, 2]


@given(any_heads())
def test_marks_are_on_lifted_words_alone(heads: list[int]) -> None:
    relations = [f"r{i}" for i in range(len(heads))]
    lifted, marked = encode(heads, relations)
    assert lifted == projectivise(heads)
    assert [MARK in each for each in marked] == [a != b for a, b in zip(lifted, heads, strict=True)]
    assert is_projective(lifted)
    back, names = decode(lifted, marked)
    assert names == relations
    if sum(MARK in each for each in marked) == 1:
        assert back == heads


@given(any_heads(), st.lists(st.sampled_from(["a", "b", "a^b", "b^a", "a^c"]), min_size=9))
def test_whatever_the_marks_a_tree_stays_a_tree(heads: list[int], relations: list[str]) -> None:
    found, names = decode(heads, relations[: len(heads)])
    assert len(top_down(found)) == len(heads)
    assert found.count(0) == heads.count(0)
    assert set(names) <= {"a", "b"}
