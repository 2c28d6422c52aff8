"""CCG analyses as JSON objects, for `parse --format json` and the server."""

from collections.abc import Mapping, Sequence
from typing import Any

from treewright.data.records import Dependency, Leaf, Node, Tree, fold
from treewright.formats.ccg.rules import rule_symbol
from treewright.grammar.treebank import Span


def derivation_object(root: Tree | None, dependencies: Sequence[Dependency]) -> dict[str, object]:
    """Categories of the words, dependencies, and the nodes of the derivation.

    The nodes are a list, children before parents, and refer to their children by index: a nested
    tree could be too deep for some JSON readers.
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


def read_derivation(
    nodes: Sequence[Mapping[str, Any]], words: Sequence[str], tags: Sequence[str | None] | None
) -> Tree:
    """The derivation in the nodes of `derivation_object`."""
    made: list[Tree] = []
    for each in nodes:
        if "word" in each:
            pos = (tags[each["word"]] if tags else None) or ""
            made.append(Leaf(each["category"], words[each["word"]], pos, pos))
        else:
            children = tuple(made[child] for child in each["children"])
            made.append(Node(each["category"], children, each["head"]))
    return made[-1]


def marginals_object(
    dependencies: Mapping[Dependency, float],
    supertags: Sequence[Mapping[str, float]],
    constituents: Mapping[Span, float],
) -> dict[str, object]:
    """Probabilities of dependencies, of the categories of each word, and of constituents."""
    rows = [{**each._asdict(), "probability": p} for each, p in dependencies.items()]
    spans = [{**span._asdict(), "probability": p} for span, p in constituents.items()]
    tags = [dict(each) for each in supertags]
    return {"dependencies": rows, "supertags": tags, "constituents": spans}
