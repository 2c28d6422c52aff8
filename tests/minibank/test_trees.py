"""The minibank as brackets and as dependency trees."""

import re
from collections.abc import Iterator

import pytest

from treewright.data.auto import parse_tree
from treewright.data.conllu import format_sentence
from treewright.data.records import Derivation
from treewright.errors import GrammarError
from treewright.minibank.arcs import Arc, arcs_of
from treewright.minibank.brackets import bracketed
from treewright.minibank.draw import make_leaf
from treewright.minibank.sentences import sample
from treewright.minibank.trees import dependency_tree

PHRASES = {"S", "SQ", "SBAR", "SBARQ", "NP", "VP", "PP", "ADVP", "ADJP", "WHNP", "WHADVP"}
TAGS = re.compile(r"NN|NNS|NNP|PRP|PRP\$|DT|JJ|CD|RB|IN|TO|MD|VB[ZPDGN]?|CC|WP|WDT|WRB|,|\.")
RELATIONS = re.compile(
    r"root|nsubj(:pass)?|i?obj|obl|expl|det|amod|nummod|nmod(:poss)?|case|advmod|aux(:pass)?|cop"
    r"|mark|[cx]comp|advcl|acl(:relcl)?|conj|cc|punct|orphan"
)
UNIVERSAL = re.compile(r"NOUN|PROPN|PRON|DET|ADJ|NUM|ADV|CCONJ|SCONJ|ADP|PART|AUX|VERB|PUNCT")


@pytest.fixture(scope="module")
def bank() -> list[Derivation]:
    return list(sample(800, seed=6))


def test_brackets_match_and_hold_the_words(bank: list[Derivation]) -> None:
    for derivation in bank:
        line = bracketed(derivation)
        assert line.count("(") == line.count(")")
        found = re.findall(r"\((\S+) ([^()]+)\)", line)
        assert [word for _, word in found] == list(derivation.sentence.words)
        assert all(TAGS.fullmatch(tag) for tag, _ in found)
        assert set(re.findall(r"\((\S+) \(", line)) <= PHRASES
        assert re.match(r"\( \((S|SQ|SBARQ) ", line)


def test_the_smallest_sentence() -> None:
    tree = (
        r"(<T S[dcl] 0 2> (<T S[dcl] 1 2> (<L NP PRP PRP He NP{1}>) "
        r"(<L S[dcl]\NP VBD VBD slept (S[dcl]{2}\NP{1}){2}>) ) (<L . . . . .{3}>) )"
    )
    assert bracketed(Derivation("x", parse_tree(tree))) == (
        "( (S (NP (PRP He)) (VP (VBD slept)) (. .)))"
    )


def rows(derivation: Derivation) -> Iterator[list[str]]:
    comments, *lines = (
        format_sentence(dependency_tree(derivation)).removesuffix("\n\n").split("\n1\t")
    )
    assert comments.startswith(f"# sent_id = {derivation.id}\n# text = ")
    return (line.split("\t") for line in ("1\t" + lines[0]).split("\n"))


def test_conllu_columns(bank: list[Derivation]) -> None:
    for derivation in bank:
        table = list(rows(derivation))
        assert [row[0] for row in table] == [str(i + 1) for i in range(len(table))]
        assert [row[1] for row in table] == list(derivation.sentence.words)
        assert {len(row) for row in table} == {10}
        assert all(UNIVERSAL.fullmatch(row[3]) for row in table)
        assert all(RELATIONS.fullmatch(row[7]) for row in table)
        assert all(all(row) for row in table)


def test_text_has_the_spaces_that_misc_says(bank: list[Derivation]) -> None:
    for derivation in bank[:100]:
        text = format_sentence(dependency_tree(derivation)).split("\n")[1].removeprefix("# text = ")
        joined = "".join(r[1] + ("" if r[9] == "SpaceAfter=No" else " ") for r in rows(derivation))
        assert joined == text


def is_tree(arcs: list[Arc]) -> bool:
    """Whether every word leads to the one root."""
    if sum(head == 0 for head, _ in arcs) != 1:
        return False
    for word in range(1, len(arcs) + 1):
        here, steps = word, 0
        while here and steps <= len(arcs):
            here, steps = arcs[here - 1][0], steps + 1
        if here:
            return False
    return True


def is_projective(arcs: list[Arc]) -> bool:
    spans = [sorted((head, word)) for word, (head, _) in enumerate(arcs, start=1)]
    return not any(a < c < b < d for a, b in spans for c, d in spans)


def test_heads_are_trees(bank: list[Derivation]) -> None:
    for derivation in bank:
        arcs = arcs_of(derivation)
        assert is_tree(arcs)
        assert [relation for head, relation in arcs if head == 0] == ["root"]


def test_crossing_arcs_come_from_gaps_only(bank: list[Derivation]) -> None:
    crossing = [d for d in bank if not is_projective(arcs_of(d))]
    assert len(crossing) < 0.03 * len(bank)
    for derivation in crossing:  # what did she want to buy; he began to like and I opened the box
        assert any("/NP" in leaf.category for leaf in derivation.leaves if leaf.pos[:2] == "VB")


RELATIVE = [
    ("The", "det", "woman"),
    ("woman", "nsubj", "slept"),
    ("who", "obj", "saw"),
    ("Tom", "nsubj", "saw"),
    ("saw", "acl:relcl", "woman"),
    ("slept", "root", ""),
    (".", "punct", "slept"),
]


def test_a_noun_hangs_outside_its_relative_clause() -> None:
    tree = (
        r"(<T S[dcl] 0 2> (<T S[dcl] 1 2> (<T NP 0 2> (<T NP 1 2> "
        r"(<L NP/N DT DT The (NP{2}/N{2}){1}>) (<L N NN NN woman N{2}>) ) "
        r"(<T NP\NP 0 2> (<L (NP\NP)/(S[dcl]/NP) WP WP who "
        r"((NP{2}\NP{2}){3}/(S[dcl]{5}/NP{2}){5}){3}>) (<T S[dcl]/NP 1 2> (<T S/(S\NP) 0 1> "
        r"(<T NP 0 1> (<L N NNP NNP Tom N{4}>) ) ) (<L (S[dcl]\NP)/NP VBD VBD saw "
        r"((S[dcl]{5}\NP{4}){5}/NP{2}){5}>) ) ) ) "
        r"(<L S[dcl]\NP VBD VBD slept (S[dcl]{6}\NP{2}){6}>) ) "
        r"(<L . . . . .{7}>) )"
    )
    derivation = Derivation("x", parse_tree(tree))
    words = ("", *derivation.sentence.words)
    arcs = enumerate(arcs_of(derivation), start=1)
    assert [(words[i], relation, words[head]) for i, (head, relation) in arcs] == RELATIVE
    assert bracketed(derivation) == (
        "( (S (NP (NP (DT The) (NN woman)) (SBAR (WHNP (WP who)) (S (NP (NNP Tom)) "
        "(VP (VBD saw))))) (VP (VBD slept)) (. .)))"
    )


def test_a_word_without_links_is_named() -> None:
    tree = r"(<T NP 0 2> (<L NP NN NN man NP{1}>) (<L NP\NP NN NN odd (NP{1}\NP{1}){2}>) )"
    with pytest.raises(GrammarError, match="sentence x: nothing links"):
        arcs_of(Derivation("x", parse_tree(tree)))


def test_a_leaf_has_the_category_of_its_markup() -> None:
    assert make_leaf(r"(S[dcl]\NP{Y})/NP{Z}", "saw", "VBD").category == r"(S[dcl]\NP)/NP"
