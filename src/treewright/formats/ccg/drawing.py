r"""Derivations drawn for the terminal, as the books draw them.

    He   sleeps
    ──  ─────────
    NP  S[dcl]\NP
    ────────────<
       S[dcl]

Words stand in columns that are wide enough for all that stands below them. A derivation that is
wider than the page is cut: constituents are drawn first, each under a number, and the number stands
for them above.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from rich.cells import cell_len

from treewright.data.records import Leaf, Node, Tree, fold, leaves, postorder
from treewright.formats.ccg.rules import rule_symbol
from treewright.formats.objects import PAGE, headings

GAP = 2  # columns between words
MAX_LABEL = 48  # maximum length; longer words and categories are shortened
LINE = "─"


@dataclass(slots=True)
class _Box:
    """A node in the drawing: its words, its row, and its labels."""

    first: int
    end: int
    level: int
    category: str
    rule: str


def draw(root: Tree, width: int = PAGE) -> str:
    """Draws a derivation, at most `width` columns wide if possible."""
    parts = list(cut_to_fit(root, width))
    if len(parts) == 1:
        return _draw(root)
    titles = (
        f"{title}\n" if title.startswith("[") else f"{title}:\n\n" for title in headings(len(parts))
    )
    return "\n".join(title + _draw(part) for title, part in zip(titles, parts, strict=True))


def cut_to_fit(root: Tree, width: int) -> Iterator[Tree]:
    """The constituents to draw separately, and the remaining tree above them."""
    number = 0
    while _width(root) > width and (part := _next_part(root, width)):
        number += 1
        yield part
        stub = Leaf(part.category, f"[{number}]", "", "")
        root = _replace(root, part, stub)
    yield root


def _next_part(root: Tree, width: int) -> Node | None:
    """The constituent with the most words, at least two, that fits; otherwise the narrowest."""
    inner = (tree for tree in postorder(root) if isinstance(tree, Node) and tree is not root)
    sizes = [(len(list(leaves(tree))), tree) for tree in inner]
    by_size = sorted((pair for pair in sizes if pair[0] > 1), key=lambda pair: -pair[0])
    fitting = (tree for _, tree in by_size if _width(tree) <= width)
    narrowest = min((tree for _, tree in by_size), key=_width, default=None)
    return next(fitting, narrowest)


def _replace(root: Tree, old: Tree, new: Tree) -> Tree:
    """A copy of the tree with one node replaced."""

    def rebuild(node: Node, children: list[Tree]) -> Tree:
        return new if node is old else replace(node, children=tuple(children))

    return fold(root, lambda _, leaf: leaf, rebuild)


def _boxes(root: Tree) -> list[_Box]:
    """The boxes of all nodes, children before parents; a word's level is 0."""
    boxes: list[_Box] = []

    def add(first: int, end: int, level: int, tree: Tree, rule: str) -> _Box:
        boxes.append(_Box(first, end, level, _cut(tree.category), rule))
        return boxes[-1]

    def above(node: Node, children: list[_Box]) -> _Box:
        level = 1 + max(child.level for child in children)
        return add(children[0].first, children[-1].end, level, node, rule_symbol(node))

    fold(root, lambda word, leaf: add(word, word + 1, 0, leaf, ""), above)
    return boxes


def _columns(root: Tree, boxes: list[_Box]) -> list[int]:
    """The first column of each word, and that after the last one."""
    widths = [cell_len(_cut(leaf.word)) for leaf in leaves(root)]
    for box in boxes:
        wanted = max(cell_len(box.category), len(box.rule) + 1)
        given = sum(widths[box.first : box.end]) + GAP * (box.end - box.first - 1)
        widths[box.end - 1] += max(0, wanted - given)
    starts = [0]
    for width in widths:
        starts.append(starts[-1] + width + GAP)
    return starts


def _width(root: Tree) -> int:
    return _columns(root, _boxes(root))[-1] - GAP


def _draw(root: Tree) -> str:
    boxes = _boxes(root)
    starts = _columns(root, boxes)
    rows = ["" for _ in range(2 * max(box.level for box in boxes) + 3)]
    for position, leaf in enumerate(leaves(root)):
        _put(rows, 0, starts[position], _centred(_cut(leaf.word), starts, position, position + 1))
    for box in sorted(boxes, key=lambda box: box.first):
        start, width = starts[box.first], starts[box.end] - GAP - starts[box.first]
        _put(rows, 2 * box.level + 1, start, LINE * (width - len(box.rule)) + box.rule)
        label = _centred(box.category, starts, box.first, box.end)
        _put(rows, 2 * box.level + 2, start, label)
    return "".join(f"{row.rstrip()}\n" for row in rows)


def _centred(text: str, starts: list[int], first: int, end: int) -> str:
    width = starts[end] - GAP - starts[first]
    return " " * ((width - cell_len(text)) // 2) + text


def _put(rows: list[str], row: int, column: int, text: str) -> None:
    """Adds text to a row, to the right of its content."""
    rows[row] += " " * (column - cell_len(rows[row])) + text


def _cut(text: str) -> str:
    return text if len(text) <= MAX_LABEL else text[: MAX_LABEL - 1] + "…"
