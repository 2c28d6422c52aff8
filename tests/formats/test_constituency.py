"""Drawn constituency trees."""

from treewright.data.brackets import Phrase, Tagged
from treewright.draw.nodes import from_brackets, leaves
from treewright.formats.constituency import draw


def test_a_drawing() -> None:
    subject = Phrase(
        "NP", (Phrase("NP", (Tagged("DT", "a"), Tagged("NN", "dog"))), Tagged("CC", "or"))
    )
    tree = Phrase("S", (subject, Phrase("VP", (Tagged("VBZ", "barks"),))))
    assert draw(tree).splitlines() == [
        "S",
        "├── NP",
        "│   ├── NP",
        "│   │   ├── DT a",
        "│   │   └── NN dog",
        "│   └── CC or",
        "└── VP ── VBZ barks",
    ]
    assert draw(Tagged("NN", "x")) == "NN x"


def test_drawings_have_brackets_as_in_text() -> None:
    tree = Phrase("PRN", (Tagged("-LRB-", "-LRB-"), Tagged("NN", "AP"), Tagged("-RRB-", "-RRB-")))
    assert draw(tree).splitlines() == ["PRN", "├── -LRB- (", "├── NN AP", "└── -RRB- )"]
    assert [leaf.word for leaf in leaves(from_brackets(tree))] == ["(", "AP", ")"]
