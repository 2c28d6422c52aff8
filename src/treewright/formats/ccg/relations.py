"""Grammatical relations as Clark and Curran's parser prints them, words numbered from 1.

(ncsubj barked_3 dog_2 _)
(det dog_2 the_1)
(xcomp _ wants_2 go_4)
"""

from collections.abc import Sequence

from treewright.data.records import Dependency, Derivation
from treewright.grammar.relations import Relation, relations_of

TYPE_LAST = frozenset({"ncsubj"})  # the subtype stands after the words
TYPE_FIRST = frozenset({"ncmod", "xmod", "cmod", "xcomp", "ccomp"})


def format_grs(derivation: Derivation, dependencies: Sequence[Dependency]) -> str:
    """One relation per line, then the supertagged words, and an empty line."""
    leaves = derivation.leaves
    named = [f"{leaf.word}_{i}" for i, leaf in enumerate(leaves, start=1)]
    rows = [_line(each, named) for each in relations_of(derivation, dependencies)]
    words = " ".join(f"{leaf.word}|{leaf.pos}|{leaf.category}" for leaf in leaves)
    return "".join(f"{row}\n" for row in [*rows, f"<c> {words}", ""])


def _line(relation: Relation, named: Sequence[str]) -> str:
    words = [named[relation.head], named[relation.dependent]]
    kind = relation.type or "_"
    if relation.name in TYPE_LAST:
        words = [*words, kind]
    elif relation.name in TYPE_FIRST:
        words = [kind, *words]
    return f"({' '.join([relation.name, *words])})"
