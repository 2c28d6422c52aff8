"""Constituency analyses as JSON objects: what `parse --format json` prints and a server sends."""

from collections.abc import Mapping

from treewright.data.brackets import Bracketed
from treewright.data.ptb import format_tree
from treewright.grammar.treebank import Span, enclose, spans


def tree_object(tree: Bracketed | None) -> dict[str, object]:
    """The tree in brackets and its constituents, children first; words count from 0."""
    if tree is None:
        return {"tree": None, "constituents": []}
    constituents = [span._asdict() for span in spans(tree)]
    return {"tree": format_tree(enclose(tree)), "constituents": constituents}


def marginals_object(marginals: Mapping[Span, float]) -> dict[str, object]:
    """Constituents with their probabilities."""
    rows = [{**span._asdict(), "probability": p} for span, p in marginals.items()]
    return {"constituents": rows}
