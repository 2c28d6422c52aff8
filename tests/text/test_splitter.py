"""Multiword tokens: what was seen comes apart as it did, what was not by its suffix."""

import pytest

from treewright.text.splitter import Splitter, learn_splitter

SEEN = [
    ("Bush's", ("Bush", "'s")),
    ("she's", ("she", "'s")),
    ("don't", ("do", "n't")),
    ("didn't", ("did", "n't")),
    ("won't", ("wo", "n't")),
    ("can't", ("ca", "n't")),
    ("cannot", ("can", "not")),
    ("du", ("de", "le")),
    ("des", ("de", "les")),
    ("fazê-lo", ("fazer", "lo")),
]


@pytest.mark.parametrize(
    ("form", "words"),
    [
        *SEEN,
        ("Obama's", ("Obama", "'s")),
        ("WON'T", ("WO", "N'T")),
        ("couldn't", ("could", "n't")),
        ("Du", ("De", "le")),
        ("DU", ("DE", "LE")),
        ("dizê-lo", ("dizer", "lo")),
        ("She'sn't", ("She", "'s", "n't")),
        ("couldn't's", ("could", "n't", "'s")),
        ("menu's", ("menu", "'s")),  # not menu -> men, e, le
        ("menudn't", ("menud", "n't")),
        ("table", ()),
        ("'s", ()),  # nothing would be left for the first word
        ("", ()),
    ],
)
def test_tokens_come_apart(form: str, words: tuple[str, ...]) -> None:
    splitter = learn_splitter(SEEN)
    assert splitter.split(form) == words
    assert Splitter.from_rows(splitter.rows()).split(form) == words


def test_rules_show_which_variants_of_signs_are_rare() -> None:
    assert "\u2019" in learn_splitter(SEEN).variants
    curled = [(form.replace("'", "\u2019"), words) for form, words in SEEN]
    assert "\u2019" not in learn_splitter(curled).variants


def test_the_most_frequent_rule_wins() -> None:
    seen = [("its", ("it", "s")), ("its", ("its", "self")), ("its", ("it", "s"))]
    assert learn_splitter(seen).split("its") == ("it", "s")


def test_a_rule_that_removes_nothing_ends() -> None:
    """A multiword token of one word, which CoNLL-U allows."""
    splitter = learn_splitter([("odd", ("odd",)), ("odd", ("odd",))])
    assert splitter.split("odd") == ("odd",)
    assert Splitter({"odd": (-1, "", ())}).split("odd") in ((), ("odd",))
