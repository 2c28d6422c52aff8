"""CCG derivations in the classical form: words above, over each result a line and its rule."""

from treewright.draw.categories import category_text, category_width
from treewright.draw.columns import GAP, Placed, column_starts, placed
from treewright.draw.cut import cut_to_fit
from treewright.draw.nodes import Drawn, leaves
from treewright.draw.svg import Picture, element, path, shade, stacked, text, title
from treewright.draw.widths import shortened, text_width
from treewright.formats.pages import headings

WORD, RULE = 15.0, 11.0  # sizes of fonts
TOP = 16.0  # baseline of the words
ROW = 38.0  # from one line to the next
LINE, CATEGORY = 8.0, 24.0  # of the line and of the category's baseline, below the row above


def draw_derivation(root: Drawn, width: float | None = None) -> Picture:
    """The picture of a derivation, cut into parts where it is wider than `width` pixels."""
    parts = cut_to_fit(root, width, lambda node: _starts(placed(node))[-1] - GAP)
    pictures = [_picture(part) for part in parts]
    return pictures[0] if len(pictures) == 1 else stacked(pictures, headings(len(parts)))


def _wanted(node: Drawn) -> float:
    word = text_width(shortened(node.word), WORD)
    rule = text_width(node.note, RULE) + 12
    return max(category_width(node.label), word, 2 * rule if node.children else 0) + 4


def _starts(nodes: list[Placed]) -> list[float]:
    return column_starts(nodes, _wanted)


def _picture(root: Drawn) -> Picture:
    nodes = placed(root)
    starts = _starts(nodes)
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
