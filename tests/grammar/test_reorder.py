"""Source-side reordering: rules, the order of trees, and the rules that come along."""

from pathlib import Path

import pytest

from treewright.errors import ConfigError
from treewright.grammar.reorder import Place, Reorderer, Rule, read_rules


def reorder(text: str) -> str:
    """Words in their new order; each is given as form/UPOS/head/relation."""
    rows = [word.split("/") for word in text.split()]
    heads, relations = [int(row[2]) for row in rows], [row[3] for row in rows]
    order = read_rules().order(heads, relations, [row[1] for row in rows])
    return " ".join(rows[word - 1][0] for word in order)


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        # The verb comes last, and the preposition after its noun.
        (
            "She/PRON/2/nsubj reads/VERB/0/root books/NOUN/2/obj in/ADP/5/case bed/NOUN/2/obl"
            " ./PUNCT/2/punct",
            "She bed in books reads .",
        ),
        # Auxiliaries follow the verb, the last one first.
        (
            "It/PRON/4/nsubj:pass has/AUX/4/aux been/AUX/4/aux:pass seen/VERB/0/root",
            "It seen been has",
        ),
        # A relative clause comes before its noun.
        (
            "the/DET/2/det man/NOUN/0/root who/PRON/4/nsubj left/VERB/2/acl:relcl",
            "who left the man",
        ),
        # The conjunction follows the clause that it introduces.
        (
            "I/PRON/2/nsubj know/VERB/0/root that/SCONJ/5/mark he/PRON/5/nsubj came/VERB/2/ccomp",
            "I he came that know",
        ),
    ],
)
def test_english_becomes_head_final(tree: str, expected: str) -> None:
    assert reorder(tree) == expected


def test_every_word_comes_once_whatever_the_tree() -> None:
    rules = read_rules()
    heads = [0, *range(1, 3000)]  # deeper than Python's stack
    order = rules.order(heads, ["root", *["obj"] * 2999], ["VERB"] * 3000)
    assert order == list(range(3000, 0, -1))
    assert rules.order([], [], []) == []


def test_weights_sides_and_turns() -> None:
    places = [Place(["a"], 2, reverse=True), Place(["b"], 1, side="right"), Place(["c:x"], 3)]
    rules = Reorderer([Rule(["N"], 0, places)])
    heads = [3, 3, 0, 3, 3, 3]
    # a before and after: turned round; b on the left has the head's weight; c:x comes first
    labels = ["a", "b", "root", "b", "a", "c:x"]
    assert rules.order(heads, labels, ["N"] * 6) == [6, 5, 1, 4, 2, 3]
    assert rules.order(heads, labels, ["V"] * 6) == [1, 2, 3, 4, 5, 6]


def test_first_rule_of_a_part_of_speech_applies() -> None:
    rules = Reorderer([Rule(["N"], 0, [Place(["*"], 1)]), Rule(["*"], 0, [Place(["*"], -1)])])
    assert rules.order([0, 1], ["root", "x"], ["N", "N"]) == [2, 1]
    assert rules.order([2, 0], ["x", "root"], ["V", "V"]) == [2, 1]


@pytest.mark.parametrize("text", ["[[rule]]\nheads = 3\n", "[[rule]]\nnothing = 1\n", "[[rule]\n"])
def test_bad_rules_are_errors(text: str, tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=r"rules\.toml"):
        read_rules(file)
    with pytest.raises(ConfigError, match="No such file"):
        read_rules(tmp_path / "none.toml")
