r"""Meanings of derivations as text: the term of a sentence, a tree of terms, and JSON.

sem          exists e.(sings(e,he) & well(e))
sem-tree     the derivation as an indented tree, with the term of each node
sem-json     one JSON object: id, meaning, and the nodes, children before parents
"""

import json
from collections.abc import Sequence

from treewright.data.records import Dependency, Derivation, Leaf, Node, fold
from treewright.errors import GrammarError
from treewright.formats.ccg.rules import rule_symbol
from treewright.grammar.semantics import Meaning, meaning
from treewright.grammar.terms import format_term

NONE = "none"  # if a sentence has no parse, or its meaning cannot be computed


def meaning_or_none(derivation: Derivation) -> Meaning | None:
    """The meaning of a derivation; None if it is not a parse, or its terms grow too large."""
    try:
        return meaning(derivation)
    except (GrammarError, RecursionError):
        return None


def format_sem(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """The term of the whole sentence."""
    meaning = meaning_or_none(derivation)
    return (NONE if meaning is None else format_term(meaning.term)) + "\n"


def format_sem_tree(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """The derivation as an indented tree, each node with its category and term."""
    meaning = meaning_or_none(derivation)
    if meaning is None:
        return f"{NONE}\n\n"
    terms = {tree: format_term(term) for tree, term in meaning.nodes}

    def leaf(_: int, tree: Leaf) -> list[str]:
        return [f"{tree.word}  {tree.category}  {terms[tree]}"]

    def node(tree: Node, below: list[list[str]]) -> list[str]:
        lines = [f"{rule_symbol(tree)}  {tree.category}  {terms[tree]}"]
        for place, child in enumerate(below, start=1):
            first, rest = ("└─ ", "   ") if place == len(below) else ("├─ ", "│  ")
            lines += [(rest if n else first) + line for n, line in enumerate(child)]
        return lines

    whole = format_sem(derivation, dependencies)
    return whole + "".join(f"{line}\n" for line in fold(derivation.root, leaf, node)) + "\n"


def format_sem_json(derivation: Derivation, _: Sequence[Dependency]) -> str:
    """One line of JSON."""
    return json.dumps(meaning_object(derivation), ensure_ascii=False) + "\n"


def meaning_object(derivation: Derivation) -> dict[str, object]:
    """The meaning and the terms of all nodes, for JSON."""
    meaning = meaning_or_none(derivation)
    if meaning is None:
        return {"id": derivation.id, "meaning": None, "nodes": []}
    terms = {tree: format_term(term) for tree, term in meaning.nodes}
    nodes: list[dict[str, object]] = []

    def add(record: dict[str, object]) -> int:
        nodes.append(record)
        return len(nodes) - 1

    fold(
        derivation.root,
        lambda word, leaf: add({"category": leaf.category, "word": word, "term": terms[leaf]}),
        lambda tree, below: add(
            {"category": tree.category, "children": below, "term": terms[tree]}
        ),
    )
    return {"id": derivation.id, "meaning": format_term(meaning.term), "nodes": nodes}
