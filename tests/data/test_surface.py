"""Places of words in their text, from the MISC column."""

from io import StringIO

from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.data.records import Multiword
from treewright.data.surface import surface_of, with_surface, word_offsets

TEXT = "Don't go to (du)!"
ROWS = [
    ("1-2", "Don't", "TokenRange=0:5"),
    ("1", "Do", "_"),
    ("2", "n't", "_"),
    ("3", "go", "TokenRange=6:8"),
    ("4", "(", "SpaceAfter=No|TokenRange=12:13"),
    ("5-6", "du", "SpaceAfter=No|TokenRange=13:15"),
    ("5", "de", "_"),
    ("6", "le", "_"),
]


def tree(rows: list[tuple[str, str, str]]) -> DependencyTree:
    lines = (f"{i}\t{form}" + "\t_" * 7 + f"\t{misc}\n" for i, form, misc in rows)
    return next(conllu.read(StringIO("".join(lines) + "\n"), heads="none"))


def test_words_of_multiword_tokens_have_their_pieces_or_all_of_it() -> None:
    found = surface_of(tree(ROWS))
    assert found.offsets == ((0, 2), (2, 5), (6, 8), (12, 13), (13, 15), (13, 15))
    assert found.spaces == (False, True, True, False, False, False)
    assert found.multiword == (Multiword("Don't", 0, 5, 0, 1), Multiword("du", 13, 15, 4, 5))
    assert found.text == "Don't go (du"
    assert [TEXT[a:b] for a, b in found.offsets[:3]] == ["Do", "n't", "go"]


def test_places_are_written_as_they_are_read() -> None:
    given = tree(ROWS)
    bare = DependencyTree(tuple(word._replace(misc="Known=1") for word in given.words))
    found = with_surface(bare, surface_of(given))
    assert surface_of(found) == surface_of(given)
    assert found.tokens == given.tokens
    assert found.comments == ("# text = Don't go (du",)
    assert [word.misc for word in found.words[1:3]] == ["Known=1", "Known=1|TokenRange=6:8"]


def test_places_that_are_not_known_are_not_written() -> None:
    surface = surface_of(tree([("1", "a", "SpaceAfter=No"), ("2", "b", "_")]))
    found = with_surface(tree([("1", "a", "_"), ("2", "b", "_")]), surface)
    assert [word.misc for word in found.words] == ["SpaceAfter=No", "_"]
    assert found.text == "ab"


def test_one_word_without_a_place_leaves_none() -> None:
    found = surface_of(tree([("1", "a", "TokenRange=0:1"), ("2", "b", "TokenRange=x:y")]))
    assert found.offsets == ()
    assert found.spaces == (True, True)


def test_a_token_with_blanks_inside_is_not_cut() -> None:
    assert word_offsets("a b", ["a", " b"], (0, 5)) == [(0, 5), (0, 5)]
