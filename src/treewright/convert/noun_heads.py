"""Heads and determiners of noun phrases."""

from treewright.convert.coordination import NOUNS, is_coordination
from treewright.convert.native import is_nominal
from treewright.convert.numbered import NUMBERED
from treewright.convert.penn import Penn, is_numeral
from treewright.convert.steps import Gap
from treewright.convert.tables import punctuation, tables

WHOLE = frozenset({"PRP", "EX", "WP", "WDT", "DT", "WRB", "PRP$"})  # words that are noun phrases
DUAL = frozenset({"both", "either", "neither"})  # determiners, if nothing is coordinated
INSIDE = frozenset({"NML", "NX", "NAC"})


def head_of(children: list[Penn], gap: Gap | None) -> int:
    """The place of the head: the last noun, else the first noun phrase, else the last number."""
    places = range(len(children))
    if gap:
        here = [p for p in places if gap.at(children[p])]
        if here:
            return here[0]
    nouns = [p for p in places if children[p].label in NOUNS | INSIDE]
    named = [p for p in nouns if not _is_number(children[p]) and children[p].label != "VBG"]
    if (
        len(named) > 1
        and children[named[-2]].label == "NNS"
        and is_coordination(children[named[-1]])
    ):
        named.pop()  # `the proteins [A and B]`
    gerund = [p for p in nouns if children[p].label == "VBG"]
    phrases = [p for p in places if children[p].label == "NP" and not is_possessive(children[p])]
    if phrases and is_coordination(children[phrases[0]]) and phrases[0] == (nouns or [-9])[-1] + 1:
        return phrases[0]  # `cytokine [redundancy and pleiotropy]`
    if named and not (phrases and not children[named[-1]].is_leaf and phrases[-1] > named[-1]):
        after = [p for p in gerund if p > named[-1]]
        return after[-1] if after and after[-1] == len(children) - 1 else named[-1]
    for label in ("PRP", "EX", "NP", "VBG", "NN", "CD", "QP", "JJ", "JJR", "JJS", "ADJP", "VBN"):
        here = [p for p in places if children[p].label == label]
        if label == "NP":
            here = phrases[:1]
        if here:
            return here[-1]
    solid = [p for p in places if not punctuation(children[p])]
    words = [p for p in solid if children[p].label == "DT"]
    if words and not children[solid[-1]].is_leaf:
        return words[-1]  # `those [under the rules]`
    return solid[-1] if solid else len(children) - 1


def _is_number(node: Penn) -> bool:
    return is_numeral(node) or NUMBERED in node.tags


def determiner_place(left: list[Penn], head: Penn) -> int:
    """The place of the last determiner before a head; -1 where there is none."""
    if is_whole(head) and head.label not in INSIDE and has_determiner(head):
        return -1
    known = tables().nouns["determiners"]
    here = [p for p, c in enumerate(left) if c.label in known or is_possessive(c)]
    if not here and left and left[0].label in {"CC", "PDT"} and left[0].lower() in DUAL:
        joined = any(is_coordination(n) for c in (*left, head) for n in c.nodes())
        return -1 if joined else 0
    return here[-1] if here else -1


def is_possessive(node: Penn) -> bool:
    """Whether a noun phrase ends in `'s`."""
    return bool(node.children) and node.children[-1].label == "POS"


def is_whole(head: Penn) -> bool:
    """Whether a head is a noun phrase by itself: a pronoun or an NP."""
    if head.is_leaf:
        return head.label in WHOLE
    return head.label in {"NP", "WHNP"} or head.label not in {*INSIDE, "QP", "ADJP"}


def has_determiner(node: Penn) -> bool:
    """Whether a noun phrase begins with a determiner or is a pronoun."""
    if node.is_leaf:
        return node.label in {"DT", "PRP$", "PRP", "EX"}
    children = [child for child in node.children if not child.trace]
    if not children:
        return False
    if is_coordination(node):
        return any(has_determiner(child) for child in children)
    inside = [c for c in children if is_nominal(c) or c.is_leaf or is_possessive(c)]
    return any(c.label in {"DT", "PRP$", "PRP", "EX"} or is_possessive(c) for c in inside) or (
        bool(inside) and is_nominal(inside[0]) and has_determiner(inside[0])
    )
