"""Nouns that conjuncts share though the tree does not say so: `monocytic but not lymphoid cells`.

A conjunct that has nothing but adjectives, or an unknown trace (`*?*`) for its noun, lacks the last
noun of the last conjunct. The noun is moved out and marked as shared by right node raising.
"""

from treewright.convert.coordination import NOMINAL, is_separator
from treewright.convert.penn import Penn
from treewright.convert.right_node import TRACE
from treewright.convert.tables import punctuation

UNKNOWN = "*?*"
ADJECTIVES = frozenset({"JJ", "JJR", "JJS", "VBN", "ADJP"})


def share_nouns(node: Penn) -> None:
    """Share the last noun of a coordination with the conjuncts that lack one."""
    if node.label not in NOMINAL or not any(c.label in {"CC", "CONJP"} for c in node.children):
        return
    parts = [c for c in node.children if not is_separator(c)]
    if len(parts) < 2 or any(part.label != "NP" or part.trace for part in parts[-2:]):
        return
    lacking = [part for part in parts[:-1] if part.label == "NP" and _lacks_noun(part)]
    holder = _end(parts[-1])
    if not lacking or holder is None or node.children[-1] is not parts[-1]:
        return
    index = f"shared-{id(node)}"
    noun = holder.children.pop()
    for part in [*lacking, holder]:
        part.children = [c for c in part.children if c.trace != UNKNOWN]
        part.children.append(Penn("NP", index=index, trace=TRACE))
    node.children.append(Penn("NP", index=index, children=[noun]))


def _lacks_noun(node: Penn) -> bool:
    """Whether a conjunct has no noun, or a trace where it should be."""
    if not node.children or any(c.trace not in {"", UNKNOWN} for c in node.children):
        return False
    if node.children[-1].trace == UNKNOWN and node.children[-1].label in NOMINAL:
        return len(node.children) > 1
    return all(c.label in ADJECTIVES and not c.trace for c in node.children)


def _end(node: Penn) -> Penn | None:
    """The phrase whose last word is the noun of a noun phrase that ends in it."""
    while node.label == "NP" and node.children:
        last = node.children[-1]
        if any(c.trace or punctuation(c) or is_separator(c) for c in node.children):
            return None
        if last.is_leaf:
            return node if last.label in {"NN", "NNS"} and len(node.children) > 1 else None
        node = last
    return None
