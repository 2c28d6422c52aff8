"""Columns of the words of a tree, with space for all labels above or below them.

Trees that are too wide for a page are split. Constituents are drawn first, each with a number in
brackets; the number replaces them in the remaining tree above them.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from treewright.data import walk
from treewright.draw.nodes import Drawn, children_of, leaves, postorder
from treewright.draw.svg import Picture, stacked
from treewright.formats.objects import headings

GAP = 14.0  # pixels between columns


@dataclass(frozen=True, eq=False)
class Placed:
    """A node with its first and last column and its height above the words' tags."""

    node: Drawn
    first: int
    last: int
    level: int
    below: tuple["Placed", ...]


def placed(root: Drawn) -> list[Placed]:
    """All nodes, children before parents; a leaf has level 0, a parent one above its children."""
    nodes: list[Placed] = []
    columns = iter(range(len(leaves(root))))

    def make(node: Drawn, below: list[Placed]) -> Placed:
        if below:
            level = 1 + max(each.level for each in below)
            one = Placed(node, below[0].first, below[-1].last, level, tuple(below))
        else:
            column = next(columns)
            one = Placed(node, column, column, 0, ())
        nodes.append(one)
        return one

    walk.fold(root, children_of, make)
    return nodes


def column_starts(nodes: list[Placed], wanted: Callable[[Drawn], float]) -> list[float]:
    """The left edge of each column, and that after the last one.

    A label that is wider than its columns widens each of them.
    """
    widths = [0.0] * (nodes[-1].last + 1)
    for each in nodes:
        count = each.last - each.first + 1
        given = sum(widths[each.first : each.last + 1]) + GAP * (count - 1)
        more = max(0.0, wanted(each.node) - given) / count
        for column in range(each.first, each.last + 1):
            widths[column] += more
    starts = [0.0]
    for width in widths:
        starts.append(starts[-1] + width + GAP)
    return starts


Measure = Callable[[Drawn], float]


def cut_to_fit(root: Drawn, width: float | None, measure: Measure) -> list[Drawn]:
    """The constituents to draw separately, and the remaining tree above them."""
    return [root] if width is None else list(_parts(root, width, measure))


def _parts(root: Drawn, width: float, measure: Measure) -> Iterator[Drawn]:
    number = 0
    while measure(root) > width and (part := _largest_fitting(root, width, measure)):
        number += 1
        yield part
        stub = replace(part, children=(), word=f"[{number}]", note="", stub=True)
        root = _replaced(root, part, stub)
    yield root


def _largest_fitting(root: Drawn, width: float, measure: Measure) -> Drawn | None:
    """The constituent with the most words, at least two, that fits the page."""
    inner = [node for node in postorder(root) if node.children and node is not root]
    sizes = sorted(((len(leaves(node)), node) for node in inner), key=lambda pair: -pair[0])
    return next((node for size, node in sizes if size > 1 and measure(node) <= width), None)


def _replaced(root: Drawn, old: Drawn, new: Drawn) -> Drawn:
    def make(node: Drawn, below: list[Drawn]) -> Drawn:
        if node is old:
            return new
        same = all(a is b for a, b in zip(node.children, below, strict=True))
        return node if same else replace(node, children=tuple(below))

    return walk.fold(root, children_of, make)


def draw_in_parts(
    root: Drawn,
    width: float | None,
    wanted: Callable[[Drawn], float],
    picture: Callable[[Drawn, list[Placed], list[float]], Picture],
) -> Picture:
    """The picture of a tree, split into parts if it is wider than `width` pixels.

    wanted: the width of a node. picture: draws a part, given its nodes and the edges of columns.
    """

    def starts(node: Drawn) -> list[float]:
        return column_starts(placed(node), wanted)

    parts = cut_to_fit(root, width, lambda node: starts(node)[-1] - GAP)
    pictures = [picture(part, placed(part), starts(part)) for part in parts]
    return pictures[0] if len(pictures) == 1 else stacked(pictures, headings(len(parts)))
