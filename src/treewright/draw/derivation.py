"""CCG derivations in the classical layout: words on top, a line above each result."""

import re

from treewright.draw.columns import GAP, Placed, draw_in_parts
from treewright.draw.nodes import Drawn, leaves
from treewright.draw.svg import (
    Picture,
    clean,
    element,
    path,
    shade,
    shortened,
    text,
    text_width,
    title,
)

SIZE, SMALL = 13.0, 10.0
FEATURE = re.compile(r"\[([^\[\]]*)\]")
DROP = 3  # pixels by which features are lowered


def category_width(category: str) -> float:
    """The width of a category in pixels."""
    pieces = FEATURE.split(shortened(category))
    return text_width("".join(pieces[::2]), SIZE) + text_width("".join(pieces[1::2]), SMALL)


def category_text(category: str, x: float, y: float) -> str:
    """A category around a point of its baseline."""
    pieces = FEATURE.split(shortened(category))
    spans: list[str] = []
    lowered = False
    for index, piece in enumerate(pieces):
        feature = index % 2 == 1
        if not piece:
            continue
        dy = (DROP if feature else -DROP) if feature != lowered else None
        spans.append(element("tspan", clean(piece), class_="feature" if feature else None, dy=dy))
        lowered = feature
    return element("text", *spans, class_="category mark", x=x, y=y, text_anchor="middle")


WORD, RULE = 15.0, 11.0  # font sizes
TOP = 16.0  # baseline of the words
ROW = 38.0  # distance between rows
LINE, CATEGORY = 8.0, 24.0  # offsets of the line and of the category's baseline below the row above


def draw_derivation(root: Drawn, width: float | None = None) -> Picture:
    """The picture of a derivation, split into parts if it is wider than `width` pixels."""
    return draw_in_parts(root, width, _wanted, _picture)


def _wanted(node: Drawn) -> float:
    word = text_width(shortened(node.word), WORD)
    rule = text_width(node.note, RULE) + 12
    return max(category_width(node.label), word, 2 * rule if node.children else 0) + 4


def _picture(root: Drawn, nodes: list[Placed], starts: list[float]) -> Picture:
    rows = max(each.level for each in nodes) + 1
    content = "".join(_group(each, starts) for each in nodes)
    sentence = " ".join(leaf.word for leaf in leaves(root))
    return Picture(starts[-1] - GAP, TOP + rows * ROW, content, shortened(sentence, 200))


def _group(each: Placed, starts: list[float]) -> str:
    """A node: its line, the rule's name at the right end, and the category below."""
    node, top = each.node, TOP + each.level * ROW
    left, right = starts[each.first], starts[each.last + 1] - GAP
    middle, wide = (left + right) / 2, category_width(node.label) + 8
    parts = [title(node.title)]
    if node.word:
        parts.append(text(shortened(node.word), middle, TOP - 2, "word"))
    rule = text_width(node.note, RULE) + 4 if node.note else 0
    parts.append(path(f"M{left:.1f} {top + LINE:.1f}H{right - rule:.1f}", "over"))
    if node.note:
        parts.append(text(node.note, right, top + LINE + 4, "rule", "end"))
    parts.append(shade(middle - wide / 2, top + LINE + 3, wide, 20, node.probability))
    parts.append(category_text(node.label, middle, top + CATEGORY))
    kind = " ".join(filter(None, ["node", node.mark, "stub" if node.stub else ""]))
    return element("g", *parts, class_=kind, data_node=node.number)
