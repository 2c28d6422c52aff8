"""Which edits the endings of words allow."""

import pytest

from treewright.errors import StoreError
from treewright.text.endings import Endings
from treewright.text.lemmas import apply, script

WORDS = [
    *((form, "VERB", lemma) for form, lemma in (("created", "create"), ("Dated", "date"))),
    *((form, "VERB", lemma) for form, lemma in (("stated", "state"), ("walked", "walk"))),
    *((form, "VERB", lemma) for form, lemma in (("jumped", "jump"), ("asked", "ask"))),
    *((form, "NOUN", lemma) for form, lemma in (("parties", "party"), ("duties", "duty"))),
    *((form, "NOUN", lemma) for form, lemma in (("cities", "city"), ("dogs", "dog"))),
    *((form, "NUM", lemma) for form, lemma in (("M", "million"), ("7", "7"), ("8", "8"))),
    ("went", "VERB", "go"),
    ("movies", "NOUN", "movie"),
]
SCRIPTS = tuple(dict.fromkeys(script(form, lemma) for form, _, lemma in WORDS))


def learnt() -> Endings:
    numbered = ((f, upos, SCRIPTS.index(script(f, lemma))) for f, upos, lemma in WORDS)
    return Endings.learn([*numbered, ("odd", "X", -1)], SCRIPTS)


@pytest.mark.parametrize(
    ("form", "upos", "lemmas"),
    [
        ("nominated", "VERB", {"nominate"}),
        ("Nominated", "VERB", {"Nominate", "nominate"}),  # any case
        ("beauties", "NOUN", {"beauty"}),
        ("movies", "NOUN", {"movie"}),  # as in the treebank
        ("MOVIES", "NOUN", {"MOVIE"}),
        ("went", "VERB", {"go"}),
        ("sent", "VERB", {"se", "sen"}),  # of all verbs, but not `go`
        ("M", "NUM", {"million"}),
        ("MB", "NUM", {"mb"}),  # only one word has the edit of M
        ("odd", "X", set()),
    ],
)
def test_words_take_the_edits_of_words_like_them(form: str, upos: str, lemmas: set[str]) -> None:
    for endings in (learnt(), Endings.parse(learnt().text(), len(SCRIPTS))):
        found = {apply(SCRIPTS[number], form) for number in endings.scripts(form, upos)}
        assert {each.lower() for each in found} == {each.lower() for each in lemmas}


def test_what_shorter_endings_say_is_not_kept() -> None:
    lines = learnt().text().splitlines()
    assert [line for line in lines if "^cities" in line or "uties" in line] == []
    assert any(line.startswith("NOUN\t^movies\t") for line in lines)


@pytest.mark.parametrize("text", ["NOUN\ts\tx\n", "NOUN\n", "NOUN\ts\t99\n", "NOUN\ts\t-1\n"])
def test_damaged_tables_are_refused(text: str) -> None:
    with pytest.raises(StoreError, match="endings of lemmas"):
        Endings.parse(text, len(SCRIPTS))
