"""Eisner's normal form: of all derivations that differ only in the order of composition, one.

Eisner (1996), *Efficient normal-form parsing for combinatory categorial grammar*: what a forward
composition made is never the functor of a forward rule, and likewise backward.
"""

from treewright.grammar.rules import Kind

FORWARD_COMPOSITIONS = {Kind.FORWARD_COMPOSITION, Kind.FORWARD_CROSSED_COMPOSITION}
BACKWARD_COMPOSITIONS = {Kind.BACKWARD_COMPOSITION, Kind.BACKWARD_CROSSED_COMPOSITION}
FORWARD_RULES = FORWARD_COMPOSITIONS | {Kind.FORWARD_APPLICATION}
BACKWARD_RULES = BACKWARD_COMPOSITIONS | {Kind.BACKWARD_APPLICATION}


def is_normal_form(kind: Kind, left: Kind | None, right: Kind | None) -> bool:
    """Whether a rule may apply to children that the rules `left` and `right` made.

    None stands for a word.
    """
    if kind in FORWARD_RULES:
        return left not in FORWARD_COMPOSITIONS
    return kind not in BACKWARD_RULES or right not in BACKWARD_COMPOSITIONS
