"""Constituency trees drawn with lines, one node a line, words at the right of their tags.

S
├── NP ── PRP It
└── VP ── VBZ works
"""

from treewright.data.brackets import Bracketed, Tagged


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
            lines.append(f"{text}{tree.label} {tree.word}")
            continue
        lines.append(text + (tree.label or "()"))
        *others, last = tree.children
        stack.append((last, below + "└── ", below + "    "))
        stack.extend((child, below + "├── ", below + "│   ") for child in reversed(others))
    return "\n".join(lines)
