"""Repairs that take a node apart: `20 or more`, `from one to ten`."""

from treewright.convert.coordination import NOMINAL
from treewright.convert.penn import Penn

PATHS = frozenset({"DIR", "EXT", "TMP", "LOC"})


def split_alternatives(node: Penn) -> None:
    """Make a conjunct of `or more` after an amount: `(NP (CD 20) (NNS bp) (QP (CC or) more))`."""
    last = node.children[-1] if len(node.children) > 1 else node
    if node.label not in NOMINAL or last.label not in {*NOMINAL, "ADJP"} or not last.children:
        return
    conjunction, *rest = last.children
    if conjunction.label != "CC" or not rest or any(c.label == "CC" for c in node.children):
        return
    amount = _phrase(node.children[:-1])
    node.children = [amount, conjunction, Penn("NP", children=[_phrase(rest)])]


def _phrase(children: list[Penn]) -> Penn:
    return children[0] if len(children) == 1 else Penn("NP", children=children)


def split_paths(node: Penn) -> None:
    """Make two phrases of `from one to ten` under one node."""
    for place, path in enumerate(node.children):
        if path.label != "PP" or path.index or not path.tags <= PATHS:
            continue
        if len(path.children) > 1 and all(c.label == "PP" and not c.trace for c in path.children):
            node.children[place : place + 1] = path.children
            return
