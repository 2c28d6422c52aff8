"""CCG analyses as JSON objects: what `parse --format json` prints and a server sends."""

from collections.abc import Mapping, Sequence

from treewright.data.records import Dependency, Leaf, Tree, fold
from treewright.formats.ccg.rules import rule_symbol


def derivation_object(root: Tree | None, dependencies: Sequence[Dependency]) -> dict[str, object]:
    """Categories of the words, dependencies, and the nodes of the derivation.

    The nodes are a list, children before parents, and name their children by position: a nested
    tree could be too deep for some readers.
    """
    categories: list[str] = []
    nodes: list[dict[str, object]] = []

    def add(record: dict[str, object]) -> int:
        nodes.append(record)
        return len(nodes) - 1

    def leaf(word: int, tree: Leaf) -> int:
        categories.append(tree.category)
        return add({"category": tree.category, "word": word})

    if root is not None:
        fold(
            root,
            leaf,
            lambda tree, children: add(
                {
                    "category": tree.category,
                    "rule": rule_symbol(tree),
                    "head": tree.head,
                    "children": children,
                }
            ),
        )
    rows = [row._asdict() for row in dependencies]
    return {"supertags": categories, "dependencies": rows, "nodes": nodes}


def marginals_object(
    dependencies: Mapping[Dependency, float], supertags: Sequence[Mapping[str, float]]
) -> dict[str, object]:
    """Probabilities of dependencies, and of the categories of each word."""
    rows = [{**each._asdict(), "probability": p} for each, p in dependencies.items()]
    return {"dependencies": rows, "supertags": [dict(each) for each in supertags]}
