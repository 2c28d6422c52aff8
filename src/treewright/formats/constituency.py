"""Constituency trees as JSON objects, and drawn with lines, words at the right of their tags.

S
├── NP ── PRP It
└── VP ── VBZ works
"""

from collections.abc import Mapping

from treewright.data.brackets import Bracketed, Tagged, unescape
from treewright.data.ptb import format_tree
from treewright.grammar.treebank import Span, enclose, spans


def draw(root: Bracketed) -> str:
    """The tree as text, without a line end."""
    lines: list[str] = []
    stack: list[tuple[Bracketed, str, str]] = [(root, "", "")]
    while stack:
        tree, lead, below = stack.pop()
        text = lead
        while not isinstance(tree, Tagged) and len(tree.children) == 1:
            text, tree = f"{text}{tree.label or '()'} ── ", tree.children[0]
        if isinstance(tree, Tagged):
            lines.append(f"{text}{tree.label} {unescape(tree.word)}")
            continue
        lines.append(text + (tree.label or "()"))
        *others, last = tree.children
        stack.append((last, below + "└── ", below + "    "))
        stack.extend((child, below + "├── ", below + "│   ") for child in reversed(others))
    return "\n".join(lines)


def tree_object(tree: Bracketed | None) -> dict[str, object]:
    """The tree in brackets and its constituents, children first; words count from 0."""
    if tree is None:
        return {"tree": None, "constituents": []}
    constituents = [span._asdict() for span in spans(tree)]
    return {"tree": format_tree(enclose(tree)), "constituents": constituents}


def marginals_object(marginals: Mapping[Span, float]) -> dict[str, object]:
    """Constituents with their probabilities."""
    rows = [{**span._asdict(), "probability": p} for span, p in marginals.items()]
    return {"constituents": rows}
