"""Brackets against EVALB's documented rules and against a naive twin that cuts trees apart."""

import ast
import io
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import treebank_file
from treewright.data.brackets import Bracketed, Phrase, Tagged
from treewright.data.ptb import format_tree, read
from treewright.errors import TreewrightError
from treewright.metrics.brackets import COLLINS, NEW, Match, bracket_counts, match_tree, match_trees
from treewright.metrics.constituency import score


def tree_of(text: str) -> Bracketed:
    (tree,) = read(io.StringIO(text))
    return tree


def match_of(pred: str, gold: str) -> Match:
    return match_tree(tree_of(pred), tree_of(gold))


def counts_of(pred: str, gold: str) -> tuple[int, int, int]:
    found = match_of(pred, gold)
    return found.correct, found.produced, found.due


SAW = "(TOP (S (NP (PRP I)) (VP (VBD saw) {})))"
GOLD = SAW.format("(NP (NP (DT a) (NN man)) (PP (IN in) (NP (NN hat))))")
PRED = SAW.format("(NP (DT a) (NN man)) (PP (IN in) (NP (NNS hat)))")


def test_brackets_by_hand() -> None:
    found = match_of(PRED, GOLD)
    assert found == Match(6, 6, 7, crossing=0, words=6, tags=5, length=6)
    assert not found.complete
    assert match_of(GOLD, GOLD).complete


def test_crossing_brackets_are_those_of_the_parse() -> None:
    gold = "(S (NP (A a) (B b)) (VP (C c) (D d)))"
    assert match_of("(S (A a) (X (Y (B b) (C c)) (D d)))", gold).crossing == 2
    assert match_of("(S (X (A a) (B b) (C c)) (D d))", gold).crossing == 1


# Rows of EVALB's README, section 7.
@pytest.mark.parametrize(
    ("pred", "gold", "counts"),
    [
        ("(NP (NP (D the) (N man)))", "(NP (D the) (N man))", (1, 2, 1)),
        ("(NP (D the) (N man))", "(NP (NP (D the) (N man)))", (1, 1, 2)),
        ("(NP-SBJ (N x))", "(NP=2 (N x))", (1, 1, 1)),
        ("(PRT (RP up))", "(ADVP (RP up))", (1, 1, 1)),
        ("(VP (V x))", "(VP (V x) (SBAR (-NONE- 0) (S (-NONE- *T*-1))))", (1, 1, 1)),
        ("(S (NP (N x) (. .)))", "(S (NP (N x)) (. .))", (2, 2, 2)),
        ("(S1 (S (N x)))", "(TOP (S (N x)))", (1, 2, 1)),
        ("( (S (N x)) )", "(TOP (S (N x)))", (1, 1, 1)),
        ("(X (-LRB- -LRB-))", "(X (-LRB- -LRB-))", (1, 1, 1)),
    ],
)
def test_rules_of_evalb(pred: str, gold: str, counts: tuple[int, int, int]) -> None:
    assert counts_of(pred, gold) == counts


def test_new_rules_delete_more() -> None:
    pred, gold = tree_of("(S1 (S (NP (N x) (? ?))))"), tree_of("(S (NP (N x)) (? ?))")
    assert match_tree(pred, gold, NEW).complete
    assert not match_tree(pred, gold, COLLINS).complete


def test_lengths_and_tags_of_punctuation() -> None:
    found = match_of("(S (N x) (. .))", "(S (N x) (-NONE- *) (. .))")
    assert (found.length, found.words, found.tags) == (2, 1, 1)


def test_punctuation_that_only_one_side_deletes_is_kept() -> None:
    found = match_of("(S (NP (N x)) (POS '))", "(S (NP (N x) ('' ')))")
    assert (found.correct, found.words, found.tags) == (1, 2, 1)


def test_missing_parses() -> None:
    found = match_tree(None, tree_of(GOLD))
    assert found == Match(0, 0, 7, crossing=0, words=6, tags=0, length=6, parsed=False)
    scores = score([None, tree_of(GOLD)], [tree_of(GOLD)] * 2)
    assert (scores.everything.brackets.r, scores.brackets_all.r, scores.coverage) == (1, 0.5, 0.5)


def test_summary() -> None:
    long = f"(S {'(N x)' * 41})"
    scores = score([tree_of(PRED), tree_of(long)], [tree_of(GOLD), tree_of(long)])
    assert (scores.everything.sentences, scores.short.sentences) == (2, 1)
    assert scores.everything.complete == 0.5
    assert scores.everything.no_crossing == scores.everything.two_or_less_crossing == 1
    assert scores.short.tagging == 5 / 6
    assert scores.short.brackets.p == 1
    assert score([], []).short.tagging is None


@pytest.mark.parametrize(("words", "short"), [(40, 1), (41, 0)])
def test_short_sentences(words: int, short: int) -> None:
    tree = tree_of(f"(S {'(N x)' * words} (-NONE- *))")
    assert score([tree], [tree]).short.sentences == short


def test_shares_of_crossing_brackets() -> None:
    gold = "(S (NP (A a) (B b)) (VP (C c) (D d)))"
    preds = [
        gold,
        "(S (A a) (X (Y (B b) (C c)) (D d)))",
        "(S (A a) (X (Y (Z (B b) (C c))) (D d)))",
    ]
    found = score([tree_of(pred) for pred in preds], [tree_of(gold)] * 3).everything
    assert (found.average_crossing, found.no_crossing) == (5 / 3, 1 / 3)
    assert found.two_or_less_crossing == 2 / 3


@pytest.mark.parametrize(
    ("pred", "message"),
    [("(S (N y))", "sentence 1: word 1 is 'y', but 'x' in gold"), ("(S (N x) (N y))", "word 2 is")],
)
def test_other_words(pred: str, message: str) -> None:
    with pytest.raises(TreewrightError, match=message):
        match_trees([tree_of(pred)], [tree_of("(S (N x))")])


def test_other_numbers_of_sentences() -> None:
    with pytest.raises(TreewrightError, match="0 parses, but 1 trees"):
        match_trees([], [tree_of("(S (N x))")])


# The naive twin: nested lists, cut down as EVALB's README tells; spans are sets of word numbers.

DELETED = {"TOP", "-NONE-", ",", ":", "``", "''", "."}


def nested(text: str) -> Any:
    quoted = re.sub(r"[^\s()]+", lambda found: repr(found[0]) + ",", text)
    return ast.literal_eval(quoted.replace("(", "[").replace(")", "],"))[0]


def naive_spans(tree: Any, counter: list[int], out: list[tuple[str, list[int]]]) -> list[int]:
    if isinstance(tree[1], str):
        if tree[0] in DELETED:
            return []
        counter[0] += 1
        return [counter[0]]
    words = [word for child in tree[1:] for word in naive_spans(child, counter, out)]
    label = tree[0].split("-")[0].split("=")[0].replace("PRT", "ADVP")
    if words and label not in DELETED:
        out.append((label, words))
    return words


def naive_counts(pred: str, gold: str) -> tuple[int, int, int, int]:
    found: list[tuple[str, list[int]]] = []
    wanted: list[tuple[str, list[int]]] = []
    naive_spans(nested(pred), [0], found)
    naive_spans(nested(gold), [0], wanted)
    left, correct = list(wanted), 0
    for item in found:
        if item in left:
            left.remove(item)
            correct += 1
    crossing = 0
    for _, a in found:
        parts = [(set(a) & set(b), set(a) - set(b), set(b) - set(a)) for _, b in wanted]
        crossing += any(all(part) for part in parts)
    return correct, len(found), len(wanted), crossing


TAGS = ["N", "V", ",", ".", "-LRB-"]
LABELS = ["S", "NP-SBJ", "NP=1", "ADVP", "PRT", "TOP"]


@st.composite
def bracketings(draw: st.DrawFn, leaves: list[Tagged]) -> Bracketed:
    """A tree over the words: neighbours are joined until one node is left; traces come in."""
    nodes: list[Bracketed] = list(leaves)
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(nodes) - 1))
        end = draw(st.integers(start + 1, len(nodes)))
        trace = [Tagged("-NONE-", "*")] if draw(st.booleans()) else []
        nodes[start:end] = [Phrase(draw(st.sampled_from(LABELS)), (*nodes[start:end], *trace))]
    return Phrase("TOP", tuple(nodes))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Bracketed, Bracketed]:
    tags = draw(st.lists(st.sampled_from(TAGS), min_size=1, max_size=8))
    leaves = [Tagged(tag, f"w{i}") for i, tag in enumerate(tags)]
    return draw(bracketings(leaves)), draw(bracketings(leaves))


@given(pairs())
def test_the_naive_twin_counts_the_same(pair: tuple[Bracketed, Bracketed]) -> None:
    pred, gold = pair
    found = match_tree(pred, gold)
    counts = found.correct, found.produced, found.due, found.crossing
    assert counts == naive_counts(format_tree(pred), format_tree(gold))


def test_craft_against_itself_and_the_twin() -> None:
    trees = list(read(treebank_file("const-craft/dev.mrg")))
    matches = match_trees(trees, trees)
    assert bracket_counts(matches).score().f == 1
    for tree, match in list(zip(trees, matches, strict=True))[:200]:
        text = format_tree(tree)[2:-2]
        assert naive_counts(text, text)[2:] == (match.due, match.crossing)
