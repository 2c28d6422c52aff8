"""The learnt lexicon, and the figures that docs/results/ccg.md states."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import pytest

from tests.conftest import treebank_file
from treewright.data.auto import parse_tree, read_auto
from treewright.data.parg import read_parg
from treewright.data.records import Dependency, Derivation, Leaf
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry
from treewright.grammar.heads import derive
from treewright.grammar.indices import indexed_dependencies, indexed_unary_rules
from treewright.grammar.lexicon import Lexicon
from treewright.grammar.markup import Entry, read_entry
from treewright.grammar.rules import read_rules, underivable

AUXILIARY = r"((S{1}\NP{2}){1}/(S{1}\NP{2}){1}){0}"
CONTROL = r"((S{0}\NP{1}){0}/(S{2}\NP{1}){2}){0}"


def verb(word: str, markup: str, pos: str = "VBZ") -> Leaf:
    return Leaf(r"(S\NP)/(S\NP)", word, pos, pos, markup)


def other(pos: str) -> Leaf:
    return Leaf(r"S\NP", "x", pos, pos, r"(S{0}\NP{1}){0}")


def lexicon(*sentences: Sequence[Leaf]) -> Lexicon:
    learnt = Lexicon()
    for sentence in sentences:
        for first, second in pairwise(sentence):
            root = parse_tree(rf"(<T S\NP 0 2> {leaf(first)} {leaf(second)} )")
            learnt.learn([Derivation("test", root)])
    return learnt


def leaf(record: Leaf) -> str:
    return f"(<L {record.category} {record.pos} {record.pos} {record.word} {record.markup}>)"


def test_words_and_what_follows_them_decide() -> None:
    learnt = lexicon(
        *[[verb("has", AUXILIARY), other("VBN")]] * 3,
        *[[verb("wants", CONTROL), other("VB")]] * 2,
        *[[verb("is", AUXILIARY), other("VBG")]] * 2,
        *[[verb("is", CONTROL), other("JJ")]] * 2,
    )
    assert [str(e.marked) for e in learnt.entries(parse(r"(S\NP)/(S\NP)"))] == [AUXILIARY, CONTROL]
    assert chosen(learnt, verb("has", ""), other("VBN")) == AUXILIARY
    assert chosen(learnt, verb("wants", ""), other("VB")) == CONTROL
    assert chosen(learnt, verb("is", ""), other("VBG")) == AUXILIARY
    assert chosen(learnt, verb("is", ""), other("JJ")) == CONTROL
    assert chosen(learnt, verb("unknown", ""), other("JJ")) == CONTROL


def chosen(learnt: Lexicon, *leaves: Leaf) -> str:
    return str(learnt.choose(leaves)[0].marked)


def test_unknown_categories_have_supplied_or_default_entries() -> None:
    category = parse(r"(S\NP)/NP")
    supplied = read_entry(r"((S{1}\NP{2}<1>){1}/NP{1}<2>){0}")
    unknown = Leaf(category.text, "w", "X", "X")
    assert Lexicon().choose([unknown]) == [default_entry(category)]
    assert Lexicon({category: [supplied]}).choose([unknown]) == [supplied]


def test_unary_rules_are_settled_by_what_stands_around_them() -> None:
    tree = (
        r"(<T NP 0 2> (<L NP N N flights NP{1}>) (<T NP\NP 0 1> "
        r"(<L S\NP V V leaving (S{2}\NP{1}){2}>) ) )"
    )
    (rule,) = indexed_unary_rules(Derivation("test", parse_tree(tree)))
    assert str(rule) == r"((NP{2}\NP{2}){1}/(S{1}\NP{2}){1}){0}"
    free = tree.replace(r"\NP{1}){2}>", r"\NP{3}){2}>")
    (rule,) = indexed_unary_rules(Derivation("test", parse_tree(free)))
    assert str(rule) == r"((NP{2}\NP{2}){1}/(S{1}\NP{3}){1}){0}"


Pairs = list[tuple[Derivation, set[Dependency]]]


@cache
def dev(treebank: str) -> Pairs:
    derivations = read_auto(treebank_file(f"{treebank}/dev.auto"))
    gold = read_parg(treebank_file(f"{treebank}/dev.parg"))
    return [(d, set(g.rows)) for d, g in zip(derivations, gold, strict=True)]


@cache
def train(treebank: str) -> list[Derivation]:
    return list(read_auto(treebank_file(f"{treebank}/train.auto")))


@cache
def learnt_lexicon(treebank: str) -> Lexicon:
    return Lexicon().learn(train(treebank))


@pytest.mark.parametrize("treebank", ["ccg-ewt", "ccg-atis"])
def test_indices_spell_out_every_dependency(treebank: str) -> None:
    wrong = [d.id for d, gold in dev(treebank) if set(indexed_dependencies(d)) != gold]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("treebank", "mode", "at_least"),
    [
        ("ccg-ewt", "own", 0.995),
        ("ccg-ewt", "closest", 0.985),
        ("ccg-ewt", "choose", 0.985),
        ("ccg-atis", "own", 0.995),
        ("ccg-atis", "choose", 0.985),
    ],
)
def test_dependencies_by_unification(treebank: str, mode: str, at_least: float) -> None:
    lexicon = learnt_lexicon(treebank)
    correct = produced = due = 0
    for derivation, gold in dev(treebank):
        entries = entries_of(derivation.leaves, mode, lexicon)
        found = set(derive(derivation, entries, lexicon.unary))
        correct, produced, due = (
            correct + len(found & gold),
            produced + len(found),
            due + len(gold),
        )
    assert 2 * correct / (produced + due) >= at_least


def entries_of(leaves: Sequence[Leaf], mode: str, lexicon: Lexicon) -> list[Entry]:
    if mode == "own":
        return [read_entry(leaf.markup) for leaf in leaves]
    return lexicon.choose(leaves) if mode == "choose" else lexicon.closest(leaves)


@pytest.mark.slow
@pytest.mark.parametrize(("only_seen", "at_least"), [(False, 0.99), (True, 0.98)])
def test_gold_derivations_can_be_derived_again(only_seen: bool, at_least: float) -> None:
    rules = read_rules(train("ccg-ewt"), only_seen=only_seen)
    derivable = [not underivable(derivation, rules) for derivation, _ in dev("ccg-ewt")]
    assert sum(derivable) / len(derivable) >= at_least
