"""Rule sets: read from derivations and TOML, and what they allow."""

from pathlib import Path

import pytest

from tests.ccg_brute import is_normal_form
from treewright import config
from treewright.data.auto import parse_tree
from treewright.data.records import Derivation, Node
from treewright.errors import ConfigError
from treewright.grammar.category import parse
from treewright.grammar.rules import Kind, RuleSet, read_rules, recognise, underivable

FLIGHTS = (
    r"(<T NP 0 2> (<T NP 0 2> (<L NP N N flights x>) (<T NP\NP 0 1> (<L S\NP V V leaving x>) ) ) "
    "(<L . . . . x>) )"
)
EAT = r"(<T (S\NP)/NP 1 2> (<L (S\NP)/(S\NP) M M will x>) (<L (S\NP)/NP V V eat x>) )"


def derivation(tree: str) -> Derivation:
    return Derivation("test", parse_tree(tree))


def kinds(rules: RuleSet, left: str, right: str) -> list[str]:
    return [f"{s.kind.value} {s.result}" for s in rules.combine(parse(left), parse(right))]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("NP", r"S\NP", ["< S"]),
        (r"S/(S\NP)", r"(S\NP)/NP", [">B S/NP"]),
        (r"S\NP", r"S\NP", [r"& S\NP"]),
        ("conj", "NP", ["conj NP", "conj[] NP[conj]"]),
        (",", "NP", ["conj[] NP[conj]", "lp NP"]),
        ("NP", ",", ["rp NP"]),
        ("NP", "conj", ["rp NP"]),
        ("NP", "PP", []),
        ("NP[nb]/N", "N", ["> NP"]),
        ("NP[nb]/N", "N/N", [">B NP/N"]),
    ],
)
def test_what_combines_without_restrictions(left: str, right: str, expected: list[str]) -> None:
    assert kinds(RuleSet(), left, right) == expected


@pytest.mark.parametrize("category", ["NP", "NP[nb]"])
def test_nb_is_never_required(category: str) -> None:
    node = parse_tree(f"(<T {category} 0 2> (<L NP[nb]/N DT DT the x>) (<L N NN NN cell x>) )")
    assert isinstance(node, Node)
    step = recognise(node)
    assert step is not None
    assert step.result is parse("NP")


def test_the_order_of_composition_is_bounded() -> None:
    deep = r"(((S\NP)/PP)/PP)/NP"
    assert kinds(RuleSet(max_order=2), r"S/(S\NP)", deep) == []
    assert kinds(RuleSet(max_order=3), r"S/(S\NP)", deep) == [">B ((S/PP)/PP)/NP"]


def test_a_treebank_with_marked_conjuncts_composes_modifiers() -> None:
    pair = "(<T N/N 0 2> (<L N/N J J big x>) (<L N/N J J old x>) )"
    marked = (
        "(<T NP 0 2> (<L NP N N a x>) (<T NP[conj] 1 2> (<L conj C C and x>) (<L NP N N b x>) ) )"
    )
    assert read_rules([derivation(pair)]).kinds == ("&",)
    assert read_rules([derivation(pair), derivation(marked)]).kinds == ("&[]", "conj[]", ">B")


def test_rules_of_a_treebank() -> None:
    rules = read_rules([derivation(FLIGHTS)])
    assert rules.kinds == ("<", "rp")
    assert rules.unary == ((r"S\NP", r"NP\NP"),)
    assert rules.roots == ("NP",)
    assert rules.max_order == 0
    assert rules.change(parse(r"S\NP")) == [parse(r"NP\NP")]
    assert kinds(rules, "NP", r"S\NP") == ["< S"]
    assert underivable(derivation(FLIGHTS), rules) == []


def test_only_seen_pairs() -> None:
    rules = read_rules([derivation(FLIGHTS)], only_seen=True)
    assert kinds(rules, "NP", r"NP\NP") == ["< NP"]
    assert kinds(rules, "NP", r"S\NP") == []
    assert underivable(derivation(FLIGHTS), rules) == []


def test_what_a_grammar_cannot_derive() -> None:
    strange = derivation(EAT)
    assert underivable(strange, RuleSet()) == []
    rules = read_rules([derivation(FLIGHTS)])
    assert underivable(strange, rules) == [strange.root, strange.root]
    assert underivable(derivation(FLIGHTS), RuleSet()) != []  # a unary rule that it lacks


def test_recognise_names_the_step() -> None:
    root = derivation(EAT).root
    assert isinstance(root, Node)
    step = recognise(root)
    assert step is not None
    assert (step.kind, step.order) == (Kind.FORWARD_COMPOSITION, 1)


def test_toml_round_trip(tmp_path: Path) -> None:
    rules = read_rules([derivation(FLIGHTS)], only_seen=True)
    path = tmp_path / "rules.toml"
    path.write_text(config.to_toml(rules))
    assert config.load(RuleSet, path) == rules


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('kinds = [">>"]', "'>>' is not a valid Kind"),
        ("max_order = 99", "max_order must be between 0 and 8"),
        ('unary = [["S"]]', "2 values"),
        ('unary = [["S/", "NP"]]', "not a complete category: 'S/'"),
    ],
)
def test_bad_toml(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        config.load(RuleSet, path)


@pytest.mark.parametrize(
    "row",
    [
        # rule, the rules that made its children (- for a word), whether it is in normal form
        "> - - yes",
        "> >B - no",
        "> >Bx - no",
        "> <B - yes",
        "> - >B yes",
        ">B >B - no",
        ">B > - yes",
        ">Bx >B - no",
        "< - <B no",
        "< - <Bx no",
        "< - >B yes",
        "< <B - yes",
        "<B - <B no",
        "& >B >B yes",
        "lp - <B yes",
    ],
)
def test_eisner(row: str) -> None:
    kind, left, right, expected = row.split()
    made_by = [None if name == "-" else Kind(name) for name in (left, right)]
    assert is_normal_form(Kind(kind), *made_by) == (expected == "yes")
