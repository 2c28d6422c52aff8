"""Repairs of coordinations of which some conjuncts lack the verb of the first one.

`(VP V (NP a) (PP b) (CC and) (NP c) (PP d))` gets a node for each conjunct, and conjuncts without a
verb are tagged: they are argument clusters or sentences with gapping, which `clusters` builds.
"""

from treewright.convert.coordination import conjuncts, is_conjunction, is_coordination
from treewright.convert.natural import NOMINAL_LABELS
from treewright.convert.penn import Penn
from treewright.convert.tables import punctuation

VERBLESS = "GAP"
VERBS = ("VB", "MD", "TO", "VP")


def split_clusters(node: Penn) -> None:
    """Give each cluster of a flat phrase a node: `(VP V (NP a) (PP b) (CC and) (NP c) (PP d))`."""
    places = [p for p, c in enumerate(node.children) if is_conjunction(c)]
    if node.label != "VP" or len(places) != 1:
        return
    left, right = node.children[: places[0]], node.children[places[0] + 1 :]
    while left and punctuation(left[-1]):
        left = left[:-1]
    kinds = [kind(child) for child in right]
    size = len(kinds)
    if size < 2 or len(left) <= size or any(child.is_leaf for child in right):
        return
    verb = any(c.is_leaf and c.label.startswith(VERBS) for c in left[:-size])
    if verb and not {"VP", "S", "SBAR"} & set(kinds) and [kind(c) for c in left[-size:]] == kinds:
        marks = node.children[len(left) : places[0] + 1]
        joined = [Penn("VP", children=left), *marks, Penn("VP", children=right)]
        node.children = joined


def kind(node: Penn) -> str:
    """What a phrase counts as when clusters are compared."""
    return "NP" if node.label in NOMINAL_LABELS else node.label


def mark_verbless(node: Penn) -> None:
    """Tag the conjuncts of a coordination that lack the verb of the first one."""
    if node.label not in {"VP", "S"} or not is_coordination(node):
        return
    first, *others = conjuncts(node)
    if first.label != node.label or not _has_verb(first):
        return
    for other in others:
        if other.label == node.label and not _has_verb(other) and _is_cluster(other):
            other.tags |= {VERBLESS}
    _group_verbless(node)


def _group_verbless(node: Penn) -> None:
    """Group conjuncts without a verb and the one before them, if others have verbs too."""
    parts = conjuncts(node)
    solid = [p for p, c in enumerate(node.children) if any(c is part for part in parts)]
    whole = [p for p in solid if VERBLESS not in node.children[p].tags]
    if len(whole) < 2:
        return
    for start, end in zip(reversed(whole), [len(node.children), *reversed(whole)], strict=False):
        last = max(p for p in solid if p < end)
        if last > start:
            run = node.children[start : last + 1]
            node.children[start : last + 1] = [Penn(node.label, frozenset({"&"}), children=run)]


def _has_verb(node: Penn) -> bool:
    return any(
        c.label.startswith(VERBS) or (c.label == "S" and _has_verb(c))
        for c in node.children
        if not _is_marked(c)
    )


def _is_marked(node: Penn) -> bool:
    """Whether a phrase answers to one of another conjunct: `NP=1`."""
    return any(tag.startswith("=") for tag in node.tags)


def _is_cluster(node: Penn) -> bool:
    """Whether the phrases of a conjunct answer to phrases of another one, or are two at least."""
    phrases = [c for c in node.children if not c.is_leaf and not c.trace]
    return any(map(_is_marked, phrases)) or (node.label == "VP" and len(phrases) > 1)
