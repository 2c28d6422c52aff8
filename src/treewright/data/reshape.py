"""Transformations of constituency trees: traces, function tags, unary chains.

`collapse_unaries` loses nothing: `restore_unaries` gives the same tree back. The other two forget,
as parsers trained on the result must. Every function leaves its argument as it was.
"""

import re

from treewright.data.brackets import Bracketed, Phrase, Tagged, fold

TRACE = "-NONE-"
JOIN = "+"  # joins the labels of a collapsed chain
TAGS = re.compile(r"^([^-=]+)[-=].*")  # labels such as -LRB- start with a hyphen and are kept


def remove_traces(root: Bracketed) -> Bracketed | None:
    """The tree without traces and without nodes that only have traces; None if nothing is left."""

    def node(phrase: Phrase, children: list[Bracketed | None]) -> Bracketed | None:
        kept = tuple(child for child in children if child is not None)
        return Phrase(phrase.label, kept) if kept else None

    return fold(root, lambda leaf: None if leaf.label == TRACE else leaf, node)


def strip_label(label: str) -> str:
    """A label without function tags and indices: NP for NP-SBJ-1 and NP=2; -LRB- is unchanged."""
    return TAGS.sub(r"\1", label)


def strip_tags(root: Bracketed) -> Bracketed:
    """The tree with all labels above POS tags stripped."""
    return fold(root, _same, lambda phrase, kids: Phrase(strip_label(phrase.label), tuple(kids)))


def collapse_unaries(root: Bracketed, *, tags: bool = False) -> Bracketed:
    """Collapses each unary chain into one node, with its labels joined by `+`.

    A chain over a single word ends above the POS tag, or includes it with `tags=True`. Nodes
    without a label are not collapsed.
    """

    def node(phrase: Phrase, children: list[Bracketed]) -> Bracketed:
        _check_joinable(phrase.label)
        match children:
            case [Phrase(label, below)] if phrase.label and label:
                return Phrase(f"{phrase.label}{JOIN}{label}", below)
            case [Tagged(label, word)] if phrase.label and tags:
                return Tagged(f"{phrase.label}{JOIN}{label}", word)
        return Phrase(phrase.label, tuple(children))

    return fold(root, _checked_leaf if tags else _same, node)


def restore_unaries(root: Bracketed, *, tags: bool = False) -> Bracketed:
    """The inverse of `collapse_unaries` with the same `tags`."""
    return fold(
        root,
        lambda leaf: _unfold_leaf(leaf) if tags else leaf,
        lambda phrase, children: _unfold(phrase.label, tuple(children)),
    )


def _same(leaf: Tagged) -> Bracketed:
    return leaf


def _checked_leaf(leaf: Tagged) -> Bracketed:
    _check_joinable(leaf.label)
    return leaf


def _check_joinable(label: str) -> None:
    if JOIN in label:
        raise ValueError(f"the label {label!r} has a {JOIN!r}, which joins collapsed labels")


def _unfold(label: str, children: tuple[Bracketed, ...]) -> Bracketed:
    *above, lowest = label.split(JOIN)
    return _stack(above, Phrase(lowest, children))


def _unfold_leaf(leaf: Tagged) -> Bracketed:
    *above, lowest = leaf.label.split(JOIN)
    return _stack(above, Tagged(lowest, leaf.word))


def _stack(labels: list[str], tree: Bracketed) -> Bracketed:
    for label in reversed(labels):
        tree = Phrase(label, (tree,))
    return tree
