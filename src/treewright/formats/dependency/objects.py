"""Dependency analyses as JSON objects: what `parse --format json` prints and a server sends."""

from collections.abc import Mapping, Sequence

from treewright.data.dependency import DependencyTree
from treewright.data.surface import surface_of
from treewright.formats import objects


def sentence_object(tree: DependencyTree) -> dict[str, object]:
    """The words of a sentence with their columns and places."""
    return objects.sentence_object(
        tree.id,
        tree.forms,
        surface_of(tree),
        lemmas=[word.lemma for word in tree.words],
        upos=tree.upos,
        xpos=tree.xpos,
        feats=[word.feats for word in tree.words],
    )


def arcs_object(tree: DependencyTree) -> dict[str, object]:
    """The head of each word, counted from 1 (0 is the root), and its relation."""
    return {"heads": [word.head for word in tree.words], "labels": list(tree.deprels)}


def marginals_object(
    marginals: Sequence[Mapping[tuple[int, str], float]],
) -> dict[str, object]:
    """For each word the heads and relations that it may have, with their probabilities."""
    rows = [
        [{"head": head, "label": label, "probability": p} for (head, label), p in row.items()]
        for row in marginals
    ]
    return {"arcs": rows}
