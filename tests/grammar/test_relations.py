"""Grammatical relations of sentences in CCGbank's dialect."""

import pytest

from tests.grammar.ccgbank_cases import cases
from treewright.data.auto import parse_tree
from treewright.data.records import Derivation, Leaf
from treewright.formats.ccg.formats import format_grs
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry
from treewright.grammar.relations import relation_rule, relation_table, relations_of

CASES = {case.name: case for case in cases()}
EXPECTED = {
    "intransitive": "det:dog:The ncsubj:barked:dog",
    "ditransitive": "ncsubj:gave:He dobj:gave:us obj2:gave:book det:book:a",
    "object and prepositional complement": (
        "ncsubj:put:She dobj:put:cup iobj:put:on dobj:on:shelf det:cup:the det:shelf:a"
    ),
    "particle": "ncsubj:gave:He dobj:gave:coffee ncmod:gave:up",
    "perfect": "ncsubj:left:She aux:left:has",
    "chain of auxiliaries": "aux:have:may aux:been:have aux:sleeping:been ncsubj:sleeping:He",
    "passive": "det:door:The aux:opened:was ncsubj:opened:door",
    "predicative noun phrase": "ncsubj:is:Rex xcomp:is:dog det:dog:a",
    "predicative adjective": "det:sky:The ncsubj:is:sky xcomp:is:blue ncsubj:blue:sky",
    "subject control": "ncsubj:wants:He xcomp:wants:to aux:go:to ncsubj:go:He",
    "clause with that": "ncsubj:says:He ccomp:says:that ccomp:that:rains ncsubj:rains:it",
    "existential there": "ncsubj:is:There xcomp:is:problem det:problem:a",
    "possessive pronoun": "det:dog:his ncsubj:slept:dog",
    "subject relative": (
        "det:man:the cmod:man:who xcomp:who:slept ncsubj:slept:man ncsubj:left:man"
    ),
    "prepositional modifier": "det:man:the ncmod:man:in dobj:in:Rome ncsubj:slept:man",
    "adverbial clause after": (
        "ncsubj:left:He cmod:left:because ccomp:because:rained ncsubj:rained:it"
    ),
    "preposition with a gerund": (
        "ncsubj:left:He xmod:left:without xcomp:without:smiling ncsubj:smiling:He"
    ),
    "adverb after the verb": "ncsubj:sings:He ncmod:sings:well",
    "quotation before the speaker": "ncsubj:rains:It ccomp:said:rains ncsubj:said:he",
    "yes-no question": "aux:sing:Does ncsubj:sing:she",
    "noun phrases joined": "conj:and:Ann conj:and:Ben ncsubj:left:Ann ncsubj:left:Ben",
    "number in a noun phrase": "ncmod:Oct.:3 ncsubj:came:Oct.",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_relations(name: str) -> None:
    case = CASES[name]
    words = [leaf.word for leaf in case.derivation.leaves]
    found = relations_of(case.derivation, list(case.dependencies))
    shown = {f"{each.name}:{words[each.head]}:{words[each.dependent]}" for each in found}
    assert shown == set(EXPECTED[name].split())


@pytest.mark.parametrize(
    ("category", "word", "pos", "expected"),
    [
        (r"S\NP", "can", "MD", "ncsubj"),  # the verb is left out
        (r"(S\NP)/(S\NP)", "can", "MD", "aux"),
        (r"(S\NP)/(S\NP)", "to", "TO", "aux"),
        (r"(S\NP)/(S\NP)", "\u2019s", "VBZ", "aux"),
        (r"(S\NP)/(S\NP)", "well", "RB", "ncmod"),
        (r"(S\NP)/(S\NP)", "wants", "VBZ", "xcomp"),
        (r"((S\NP)/(S\NP))/NP", "asked", "VBD", "dobj"),
        (r"(S\NP)\NP", "read", "VBD", "ncsubj"),  # the book that I read
        (r"(S[adj]\NP)\NP", "old", "JJ", "dobj"),  # 61 years old
        ("NP/NP", "the", "DT", "det"),
        ("NP/NP", "old", "JJ", "ncmod"),
    ],
)
def test_relations_in_a_dialect_without_features(
    category: str, word: str, pos: str, expected: str
) -> None:
    own = parse(category)
    rule = relation_rule(own, own.arity, Leaf(category, word, pos, pos), relation_table())
    assert rule is not None
    assert rule.name == expected


def test_an_object_before_its_subject() -> None:
    leaf = Leaf(r"(S\NP)\NP", "read", "VBD", "VBD")
    rules = [relation_rule(parse(leaf.category), slot, leaf, relation_table()) for slot in (1, 2)]
    assert [rule and rule.name for rule in rules] == ["dobj", "ncsubj"]


@pytest.mark.parametrize(("word", "pos"), [("can", "MD"), ("to", "TO"), ("has", "VBZ")])
def test_auxiliaries_have_no_subject(word: str, pos: str) -> None:
    category = r"(S\NP)/(S\NP)"
    rule = relation_rule(parse(category), 1, Leaf(category, word, pos, pos), relation_table())
    assert rule is not None
    assert not rule.name


def test_every_slot_of_every_case_has_a_relation() -> None:
    table = relation_table()
    for case in CASES.values():
        for leaf in case.derivation.leaves:
            for slot in default_entry(parse(leaf.category)).slots:
                rule = relation_rule(parse(leaf.category), slot.number, leaf, table)
                assert rule is not None
                assert rule.name != "dep" or leaf.category.startswith("conj"), leaf.category


@pytest.mark.parametrize(
    ("right", "category"),
    [("(<L {0} JJ JJ old {0}>)", "NP/NP"), ("(<L {0} NN NN dogs {0}>)", "NP")],
)
def test_two_equal_categories_are_joined_by_no_word_of_theirs(right: str, category: str) -> None:
    """Only a conjunction or punctuation joins: *small* and *old* do not, nor two noun phrases."""
    left = f"(<L {category} JJ JJ small {category}>)"
    text = f"(<T {category} 0 2> {left} {right.format(category)} )"
    assert relations_of(Derivation("1", parse_tree(text)), []) == []


def test_the_format() -> None:
    case = CASES["passive"]
    assert format_grs(case.derivation, list(case.dependencies)).splitlines()[:3] == [
        "(det door_2 The_1)",
        "(ncsubj opened_4 door_2 obj)",
        "(aux opened_4 was_3)",
    ]
