"""Trees that are too wide for a page, cut into parts that fit.

Constituents are drawn first, each under a number in brackets; the number stands for them in what is
left of the tree above them.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from treewright.data import walk
from treewright.draw.nodes import Drawn, children_of, leaves, postorder

Measure = Callable[[Drawn], float]


def cut_to_fit(root: Drawn, width: float | None, measure: Measure) -> list[Drawn]:
    """The constituents to draw on their own, then what is left of the tree above them."""
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
