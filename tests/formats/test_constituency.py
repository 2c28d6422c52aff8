"""Drawn constituency trees."""

from treewright.data.brackets import Phrase, Tagged
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
