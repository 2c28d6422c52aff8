"""The logical operators of coordinated lists, `&` or `|`, by their conjunctions.

A comma has the operator of the next conjunction in its list: *a, b or c* is a | b | c, whether the
list branches to the right, a (, (b (or c))), or to the left, (a (, b)) (or c). Commas after the
last conjunction, and in lists without one, have that of *and*.
"""

from treewright.data.records import Derivation, Leaf, Node, Tree, preorder
from treewright.grammar.combinators import CONJUNCTION
from treewright.grammar.rules import PUNCTUATION, Kind, Step, dialect, recognise

AND, OR = "&", "|"
DISJUNCTIONS = {"or", "nor"}
COORDINATIONS = {Kind.COORDINATION, Kind.MARKED_COORDINATION}


def step_of(derivation: Derivation, node: Node) -> Step | None:
    """The rule of a binary node."""
    return recognise(node, dialect(derivation)) or recognise(node)


def operators(derivation: Derivation) -> dict[Tree, str]:
    """The operator of each conjunct; other parts of lists can have one too."""
    found: dict[Tree, str] = {}
    for tree in preorder(derivation.root):
        if not isinstance(tree, Node) or len(tree.children) < 2:
            continue
        said = _said(derivation, tree) or found.get(tree)
        if said is not None:
            found[tree] = said
            if _is_list(derivation, tree):
                found |= dict.fromkeys(tree.children, said)
    return found


def _said(derivation: Derivation, tree: Tree) -> str | None:
    """The operator of the first conjunction in a list, or in the rest of one."""
    while isinstance(tree, Node) and len(tree.children) == 2:
        left, right = tree.children
        if left.category == CONJUNCTION:
            word = left.word.lower() if isinstance(left, Leaf) else ""
            return OR if word in DISJUNCTIONS else AND
        if not _is_list(derivation, tree):
            return None
        tree = left if _is_mark(right) else right
    return None


def _is_list(derivation: Derivation, node: Node) -> bool:
    """Whether a node joins conjuncts, or is such a node with punctuation."""
    if any(map(_is_mark, node.children)):
        return True
    step = step_of(derivation, node)
    return step is not None and step.kind in COORDINATIONS


def _is_mark(tree: Tree) -> bool:
    return isinstance(tree, Leaf) and tree.category in PUNCTUATION
