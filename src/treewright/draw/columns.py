"""Where the words of a tree stand: columns that have room for all labels above or below them."""

from collections.abc import Callable
from dataclasses import dataclass

from treewright.data import walk
from treewright.draw.nodes import Drawn, children_of, leaves

GAP = 14.0  # pixels between columns


@dataclass(frozen=True, eq=False)
class Placed:
    """A node with the first and last of its columns and its height above the words' tags."""

    node: Drawn
    first: int
    last: int
    level: int
    below: tuple["Placed", ...]


def placed(root: Drawn) -> list[Placed]:
    """All nodes, children before parents; a leaf has level 0, a parent one above its children."""
    found: list[Placed] = []
    columns = iter(range(len(leaves(root))))

    def make(node: Drawn, below: list[Placed]) -> Placed:
        if below:
            level = 1 + max(each.level for each in below)
            one = Placed(node, below[0].first, below[-1].last, level, tuple(below))
        else:
            column = next(columns)
            one = Placed(node, column, column, 0, ())
        found.append(one)
        return one

    walk.fold(root, children_of, make)
    return found


def column_starts(nodes: list[Placed], wanted: Callable[[Drawn], float]) -> list[float]:
    """Where each column begins, and where one after the last would.

    A label that is wider than its columns makes each of them a little wider.
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
