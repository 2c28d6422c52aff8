"""Constituency trees: the root on top, the words in one row at the bottom, tags above them."""

from treewright.draw.columns import GAP, Placed, draw_in_parts
from treewright.draw.nodes import Drawn, leaves
from treewright.draw.svg import (
    Picture,
    element,
    path,
    shade,
    shortened,
    text,
    text_width,
    title,
)

WORD, LABEL = 15.0, 13.0  # font sizes
ROW = 40.0  # distance between levels
UNDER = 22.0  # distance from a tag to its word


def draw_tree(root: Drawn, width: float | None = None) -> Picture:
    """The picture of a tree, split into parts if it is wider than `width` pixels."""
    return draw_in_parts(root, width, _wanted, _picture)


def _wanted(node: Drawn) -> float:
    word = text_width(shortened(node.word), WORD)
    return max(text_width(_label(node), LABEL), word) + 4


def _label(node: Drawn) -> str:
    return shortened(node.label or "()")


def _picture(root: Drawn, nodes: list[Placed], starts: list[float]) -> Picture:
    top = max(each.level for each in nodes)
    middles: dict[Placed, float] = {}
    parts: list[str] = []
    for each in nodes:
        middles[each] = _middle(each, starts, middles)
        parts.append(_group(each, middles, top))
    sentence = " ".join(leaf.word for leaf in leaves(root))
    height = top * ROW + 20 + UNDER
    content = "".join(reversed(parts))  # parents first: their lines are drawn below other labels
    return Picture(starts[-1] - GAP, height, content, shortened(sentence, 200))


def _middle(each: Placed, starts: list[float], middles: dict[Placed, float]) -> float:
    left, right = starts[each.first], starts[each.last + 1] - GAP
    if not each.below:
        return (left + right) / 2
    half = text_width(_label(each.node), LABEL) / 2
    wanted = (middles[each.below[0]] + middles[each.below[-1]]) / 2
    return min(max(wanted, left + half), right - half)


def _branch(x: float, y: float, below: float, low: float) -> str:
    """A line to a child.

    A child several levels below gets a vertical end, so that lines do not cross.
    """
    bend = min(low, y - 19 + ROW)  # where a child on the next level would start
    down = f"V{low:.1f}" if low > bend else ""
    return f"M{x:.1f} {y:.1f}L{below:.1f} {bend:.1f}{down}"


def _group(each: Placed, middles: dict[Placed, float], top: int) -> str:
    """A node: its label, lines to its children, and the word of a leaf."""
    node, x, y = each.node, middles[each], (top - each.level) * ROW + 14
    wide = text_width(_label(node), LABEL) + 10
    parts = [title(node.title)]
    ends = ((middles[child], (top - child.level) * ROW) for child in each.below)
    parts.extend(path(_branch(x, y + 5, *end), "branch") for end in ends)
    box = {"x": x - wide / 2, "y": y - 12, "width": wide, "height": 16.0}
    parts.append(element("rect", class_="ground", **box))
    parts.append(shade(x - wide / 2, y - 13, wide, 18, node.probability))
    parts.append(text(_label(node), x, y, "label mark" if node.children else "tag mark"))
    if node.word:
        parts.append(text(shortened(node.word), x, y + UNDER, "word"))
    kind = " ".join(filter(None, ["node", node.mark, "stub" if node.stub else ""]))
    return element("g", *parts, class_=kind, data_node=node.number)
