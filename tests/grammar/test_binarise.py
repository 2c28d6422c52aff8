"""Binarisation and its way back, and grammars read off binarised trees."""

from random import Random

import pytest
from hypothesis import given

from tests.conftest import treebank_file
from tests.const_examples import BINARISERS, random_tree
from tests.strategies import randoms
from treewright.data import ptb
from treewright.data.brackets import Phrase, Tagged, preorder, tagged_words
from treewright.errors import ConfigError
from treewright.forests.constituency.chart import ConstGrammar
from treewright.grammar.binarise import (
    Binariser,
    bare_label,
    chain_labels,
    head_child,
    is_artificial,
    restore,
)
from treewright.grammar.treebank import TreebankRules, enclose, prepare, rules_of, spans


def parse(text: str, tmp_path_factory: pytest.TempPathFactory) -> Phrase:
    path = tmp_path_factory.mktemp("trees") / "one.mrg"
    path.write_text(text)
    [found] = ptb.read(path)
    assert isinstance(found, Phrase)
    return found


@given(randoms())
def test_binarising_loses_nothing(random: Random) -> None:
    original = random_tree(random, random.randint(1, 9))
    for binariser in BINARISERS:
        binary = binariser.binarise(original)
        assert all(not isinstance(t, Phrase) or len(t.children) <= 2 for t in preorder(binary))
        assert ptb.format_tree(restore(binary)) == ptb.format_tree(original)


def test_binarising_the_treebank_loses_nothing() -> None:
    trees = ptb.read(treebank_file("const-craft/dev.mrg"))
    for number, original in zip(range(150), trees, strict=False):
        bare = prepare(original)
        assert bare is not None
        again = restore(BINARISERS[number % len(BINARISERS)].binarise(bare))
        assert ptb.format_tree(again) == ptb.format_tree(bare)


@pytest.mark.parametrize(
    ("binariser", "expected"),
    [
        (Binariser("right", 1, 1), "(NP (DT the) (NP|JJ (JJ old) (NP|JJ (JJ big) (NN dog))))"),
        (Binariser("right", 0, 1), "(NP (DT the) (NP| (JJ old) (NP| (JJ big) (NN dog))))"),
        (
            Binariser("right", None, 1),
            "(NP (DT the) (NP|JJ~JJ~NN (JJ old) (NP|JJ~NN (JJ big) (NN dog))))",
        ),
        (Binariser("left", 1, 1), "(NP (NP|JJ (NP|JJ (DT the) (JJ old)) (JJ big)) (NN dog))"),
        (
            Binariser("head", 1, 1, head_child),
            "(NP (DT the) (NP|JJ~NN (JJ old) (NP|JJ~NN (JJ big) (NN dog))))",
        ),
    ],
)
def test_artificial_labels(
    binariser: Binariser, expected: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    flat = parse("(NP (DT the) (JJ old) (JJ big) (NN dog))", tmp_path_factory)
    assert ptb.format_tree(binariser.binarise(flat)) == expected


def test_parents_in_labels(tmp_path_factory: pytest.TempPathFactory) -> None:
    chain = parse("(S (NP (NP (PRP it))) (S (VP (VBZ works) (ADVP (RB well)))))", tmp_path_factory)
    binary = Binariser("right", 1, 3).binarise(chain)
    labels = [t.label for t in preorder(binary) if isinstance(t, Phrase)]
    assert labels == ["S", "NP+NP^S", "S+VP^S", "ADVP^VP^S"]


def test_symbols_say_what_they_stand_for() -> None:
    assert is_artificial("NP^S|DT~NN")
    assert bare_label("S+VP^S|NP") == "S+VP"
    assert chain_labels("S+VP^S") == ("S", "VP")
    assert chain_labels("S+VP|") == ()


MARKED = ("ADVP|PRT", "PRT|ADVP", "A^B", "A~B", "A+B", "A\\B", "A\\a", "|", "\\t", "NN", "'")


@pytest.mark.parametrize("label", MARKED)
@pytest.mark.parametrize("vertical", [1, 3])
def test_labels_and_tags_may_have_any_characters(label: str, vertical: int) -> None:
    """Such as the Penn Treebank's ADVP|PRT, and labels that are tags, too."""
    leaves = tuple(Tagged(tag, "x") for tag in ("NN", label, "NN"))
    tree = Phrase("S", (Phrase(label, (Phrase(label, leaves),)), *leaves))
    binary = Binariser("right", None, vertical).binarise(tree)
    assert ptb.format_tree(restore(binary)) == ptb.format_tree(tree)
    labels = [t.label for t in preorder(binary) if isinstance(t, Phrase)]
    assert sum(not is_artificial(symbol) for symbol in labels) == 2
    assert (label, label) in map(chain_labels, labels)
    rules = TreebankRules.of([binary])
    assert set(rules.tag_number) == {"NN", label}
    again = TreebankRules.from_lines(rules.lines())
    assert again.symbols == rules.symbols
    grammar = ConstGrammar(again)
    tags = grammar.tag_numbers([leaf.label for leaf in tagged_words(tree)])
    chart = grammar.chart(tags, grammar.all_candidates(6), "rules")
    assert chart is not None
    assert {tuple(row) for row in grammar.parts_of(binary, "rules").tolist()} <= {
        tuple(row) for row in chart.parts.tolist()
    }


def test_trees_that_no_binariser_makes_are_errors() -> None:
    with pytest.raises(ValueError, match="artificial"):
        restore(Phrase("NP|", (Tagged("NN", "x"), Tagged("NN", "y"))))


@pytest.mark.parametrize("wrong", [{"direction": "up"}, {"vertical": 0}, {"horizontal": -1}])
def test_settings_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        Binariser(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="head rules"):
        Binariser("head")


@pytest.mark.parametrize(
    ("label", "children", "head"),
    [
        ("NP", ("DT", "NN", "NN"), 2),
        ("NP", ("NP", "PP"), 0),
        ("VP", ("MD", "RB", "VP"), 0),
        ("PP", ("IN", "NP"), 0),
        ("S", ("NP", "VP", "."), 1),
        ("S+VP", ("TO", "VP"), 0),
        ("XX", ("AA", "BB"), 0),
    ],
)
def test_head_children(label: str, children: tuple[str, ...], head: int) -> None:
    assert head_child(label, children) == head


def test_preparing_trees(tmp_path_factory: pytest.TempPathFactory) -> None:
    def prepared(text: str) -> str | None:
        found = prepare(parse(text, tmp_path_factory))
        return None if found is None else ptb.format_tree(found)

    assert prepared("( (S (NP-SBJ (-NONE- *)) (VP-X (VB go))) )") == "(S (VP (VB go)))"
    assert prepared("( (NP (NN a)) (NP (NN b)) )") == "(TOP (NP (NN a)) (NP (NN b)))"
    assert prepared("( (NP (-NONE- *)) )") is None
    two = prepare(parse("( (NP (NN a)) (NP (NN b)) )", tmp_path_factory))
    assert two is not None
    assert ptb.format_tree(enclose(two)) == "( (NP (NN a)) (NP (NN b)) )"


def test_labels_can_contain_other_line_separators() -> None:
    tree = Phrase("S\u2028", (Tagged("N\x85", "a"), Tagged("V\x1c", "b")))
    rules = TreebankRules.of([Binariser().binarise(tree)])
    again = TreebankRules.from_lines(rules.lines())
    assert again.symbols == rules.symbols == ("N\x85", "V\x1c", "S\u2028")


def test_the_most_frequent_tag() -> None:
    def frequent(*tags: str) -> str:
        leaves = tuple(Tagged(tag, "a") for tag in tags)
        return TreebankRules.of([Binariser().binarise(Phrase("S", leaves))]).frequent_tag

    assert frequent("DET", "NC", "V", "NC") == "NC"
    assert frequent("P", "S", "S") == "S"  # also a label
    assert frequent("b", "a") == "a"
    both = TreebankRules.of([Phrase("S", (Tagged("V", "a"),)), Tagged("N", "b"), Tagged("N", "c")])
    assert both.frequent_tag == "N"


@given(randoms())
def test_grammars_are_what_trees_use(random: Random) -> None:
    trees = [Binariser("right", 1, 2).binarise(random_tree(random, 5)) for _ in range(4)]
    rules = TreebankRules.of(trees)
    used = [rule for each in trees for rule in rules_of(each)]
    assert rules.counts.sum() == len(used)
    assert rules.size == len(set(used))
    again = TreebankRules.from_lines(rules.lines())
    assert again.symbols == rules.symbols
    assert (again.counts == rules.counts).all()
    assert (again.binary == rules.binary).all()
    for each in trees:
        assert len(spans(each)) == sum(isinstance(t, Phrase) for t in preorder(each))
