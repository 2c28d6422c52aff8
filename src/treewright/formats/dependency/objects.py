"""Dependency analyses as JSON objects: what `parse --format json` prints and a server sends."""

from collections.abc import Mapping, Sequence

from treewright.data.dependency import DependencyTree


def sentence_object(tree: DependencyTree) -> dict[str, object]:
    """The words of a sentence with their tags."""
    columns = {name: [getattr(word, name) for word in tree.words] for name in ("upos", "xpos")}
    return {"id": tree.id, "words": tree.forms, **columns}


def arcs_object(tree: DependencyTree) -> dict[str, object]:
    """The head of each word, counted from 1 (0 is the root), and its relation."""
    return {"heads": [word.head for word in tree.words], "labels": tree.deprels}


def marginals_object(
    marginals: Sequence[Mapping[tuple[int, str], float]],
) -> list[list[dict[str, object]]]:
    """For each word the heads and relations that it may have, with their probabilities."""
    return [
        [{"head": head, "label": label, "probability": p} for (head, label), p in row.items()]
        for row in marginals
    ]
