"""Repairs before the conversion: the tree gets the shape that derivations can have.

Each repair is a small function over one node; `repair` runs them bottom up, in the order of
`CHANGES`. They move words under other nodes but never change their order.
"""

from collections.abc import Callable

from treewright.convert import (
    amounts,
    compounds,
    extraposed,
    groups,
    numbered,
    small_clauses,
    split,
    verbless,
)  # fmt: skip
from treewright.convert.coordination import group_coordinations
from treewright.convert.extraposed import MOVED
from treewright.convert.penn import NULL, Penn
from treewright.convert.right_node import raise_right_nodes
from treewright.convert.roles import SAYING
from treewright.convert.shared_nouns import share_nouns
from treewright.convert.tables import FRONTED

EXPLETIVE = "EXPL"
CHANGES: tuple[Callable[[Penn], None], ...] = (
    groups.foreign_phrases,
    groups.bare_adjectives,
    groups.nominal_adverbs,
    groups.relations_of_terms,
    groups.complex_prepositions,
    groups.split_infinitives,
    amounts.group_amounts,
    compounds.group_hyphenated,
    compounds.flatten_compounds,
    groups.group_focus,
    groups.group_adverbs,
    groups.group_owners,
    groups.wrap_clauses,
    groups.wrap_nouns,
    groups.wrap_complementisers,
    compounds.lower_premodifiers,
    compounds.group_names,
    groups.group_reduced_relatives,
    small_clauses.lower_noun_clauses,
    small_clauses.flatten_small_clauses,
)


def repair(root: Penn) -> Penn:
    """The tree, ready for conversion; it is changed in place."""
    mark_moved(root)
    extraposed.restore(root)
    _everywhere(root, share_nouns)
    prune(root)
    _everywhere(root, small_clauses.mark_clefts)
    _everywhere(root, groups.lower_closing_brackets)
    raise_right_nodes(root)
    _everywhere(root, extraposed.raise_relatives)
    _everywhere(root, groups.group_brackets)
    groups.bracketed_phrases(root)
    _everywhere(root, groups.group_prepositions)
    _everywhere(root, numbered.mark_numbered)
    _everywhere(root, numbered.group_markers)
    _everywhere(root, split.split_alternatives)
    _everywhere(root, split.split_paths)
    _everywhere(root, verbless.split_clusters)
    group_coordinations(root)
    _everywhere(root, verbless.mark_verbless)
    root = mark_heading(root)
    for change in CHANGES:
        _everywhere(root, change)
    return root


def mark_heading(root: Penn) -> Penn:
    """Read a heading before a sentence as its modifier: `(NP (NP OBJECTIVE) (: :) (S ...))`."""
    first = root.children[0]
    if first.label == "NP" and len(first.children) > 1 and first.children[-1].label == ":":
        root.children[1:1] = [first.children.pop()]
    labels = [child.label for child in root.children[:3]]
    if root.label in {"NP", "S", "FRAG"} and labels == ["NP", ":", "S"]:
        root.label, root.tags = "S", frozenset()
        root.children[0].tags = frozenset({"ADV"})
    return root


def _everywhere(node: Penn, change: Callable[[Penn], None]) -> None:
    for child in node.children:
        _everywhere(child, change)
    change(node)


def mark_moved(root: Penn) -> None:
    """Tag what traces tell apart: expletive `it`, modifiers that moved right, fronted clauses."""
    moved = {n.index for n in root.nodes() if n.trace == "*ICH*" and n.index}
    gone = [n for n in root.nodes() if n.trace == "*T*" and n.index]
    traces = {n.index for n in gone}
    fronted = {n.index for n in gone if n.label in {"S", "SBAR"}}
    named = {n.index: n for n in root.nodes() if n.index and not n.trace}
    for node in root.nodes():
        if any(child.trace == "*EXP*" for child in node.children):
            node.tags |= {EXPLETIVE}
        if node.index in moved and not node.trace:
            node.tags |= {MOVED}
        predicate = ("PRD" in node.tags or node.label == "VP") and node.index in traces
        if (node.index in fronted or predicate) and not node.trace and "TPC" in node.tags:
            node.tags = node.tags - {"TPC"} | {FRONTED}
        if node.label == "PRN":
            mark_saying(node, named)


def mark_saying(parenthesis: Penn, named: dict[str, Penn]) -> None:
    """Tag `he said` in a parenthesis, a clause about what that stands in, and its trace."""
    for clause in parenthesis.children:
        traces = [n for n in clause.nodes() if n.trace == "*T*" and n.label in {"S", "SBAR"}]
        if clause.label in {"S", "SINV"} and len(traces) == 1:
            about = named.get(traces[0].index)
            if about is None or about.holds(parenthesis):
                clause.tags |= {SAYING}
                traces[0].tags |= {SAYING}


def prune(node: Penn) -> None:
    """Remove empty elements that no later step asks for, and phrases that are left empty."""
    kept = []
    for child in node.children:
        prune(child)
        if child.trace:
            if _is_needed(child):
                kept.append(child)
        elif child.is_leaf or child.children:
            kept.append(child)
    node.children = kept
    if not node.is_leaf and not node.trace and node.children and all(c.trace for c in kept):
        node.children = []


def _is_needed(trace: Penn) -> bool:
    if trace.trace == "*T*" and trace.label in {"S", "SBAR"}:
        return SAYING in trace.tags
    if "SBJ" in trace.tags or trace.trace in {"*T*", "*RNR*"}:
        return True
    return trace.trace == NULL and trace.label.startswith("WH")
