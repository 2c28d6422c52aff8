"""Head children of Penn Treebank phrases, by priority lists (after Collins 1999, appendix A).

A list is searched from one end of the children: for each of its labels in turn, the first child of
that label is the head. Where nothing matches, it is the first child from that end. NP has rules of
its own: a possessive, else the last noun, else the first NP, and so on.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from treewright.data.reshape import JOIN

NOUNS = frozenset({"NN", "NNP", "NNPS", "NNS", "NX", "POS", "JJR", "NML"})
# label -> (search from the left?, labels in order)
PRIORITIES: Mapping[str, tuple[bool, tuple[str, ...]]] = MappingProxyType(
    {
        "ADJP": (True, ("NNS", "QP", "NN", "ADVP", "JJ", "VBN", "VBG", "ADJP", "JJR", "NP", "JJS")),
        "ADVP": (False, ("RB", "RBR", "RBS", "FW", "ADVP", "TO", "CD", "JJR", "JJ", "IN", "NP")),
        "CONJP": (False, ("CC", "RB", "IN")),
        "FRAG": (False, ()),
        "LST": (False, ("LS", ":")),
        "PP": (False, ("IN", "TO", "VBG", "VBN", "RP", "FW")),
        "PRN": (True, ("NP", "S", "PP", "CIT")),
        "PRT": (False, ("RP",)),
        "QP": (True, ("IN", "NNS", "NN", "JJ", "RB", "DT", "CD", "QP", "JJR", "JJS")),
        "S": (True, ("TO", "IN", "VP", "S", "SBAR", "ADJP", "UCP", "NP")),
        "SBAR": (True, ("WHNP", "WHPP", "WHADVP", "WHADJP", "IN", "DT", "S", "SQ", "SINV", "SBAR")),
        "SINV": (True, ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "S", "SINV", "ADJP", "NP")),
        "SQ": (True, ("VBZ", "VBD", "VBP", "VB", "MD", "VP", "SQ")),
        "VP": (
            True,
            ("TO", "VBD", "VBN", "MD", "VBZ", "VB", "VBG", "VBP", "VP", "ADJP", "NN", "NNS", "NP"),
        ),
        "WHADVP": (False, ("CC", "WRB")),
        "WHNP": (True, ("WDT", "WP", "WP$", "WHADJP", "WHPP", "WHNP")),
        "WHPP": (False, ("IN", "TO", "FW")),
    }
)


def head_child(label: str, children: Sequence[str]) -> int:
    """The place of the head among the children of a node, given by their labels.

    Joined labels of collapsed chains count by their lowest label as a parent and their highest as a
    child.
    """
    kinds = [child.split(JOIN, 1)[0] for child in children]
    parent = label.rsplit(JOIN, 1)[-1]
    if parent in ("NP", "NML", "NAC", "NX"):
        return _nominal_head(kinds)
    from_left, order = PRIORITIES.get(parent, (True, ()))
    places = range(len(kinds)) if from_left else range(len(kinds) - 1, -1, -1)
    return next((p for wanted in order for p in places if kinds[p] == wanted), places[0])


def _nominal_head(kinds: Sequence[str]) -> int:
    backwards = range(len(kinds) - 1, -1, -1)
    found = next((p for p in backwards if kinds[p] in NOUNS), None)
    if found is None:
        found = next((p for p, kind in enumerate(kinds) if kind == "NP"), None)
    if found is None:
        found = next((p for p in backwards if kinds[p] in ("CD", "JJ", "JJS", "RB", "QP")), None)
    return len(kinds) - 1 if found is None else found
