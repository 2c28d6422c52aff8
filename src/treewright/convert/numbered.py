r"""Numbers after the nouns that they belong to: `Figure 1A`, `exons 2 and 3`, `lanes 4 - 6`.

The noun heads the phrase, and the number modifies it, `N\N`, also where it has letters (`1A`) or is
a list or range.
"""

import re

from treewright.convert.coordination import NOMINAL, is_conjunction
from treewright.convert.penn import Penn
from treewright.convert.tables import punctuation, tables

NUMBERED = "CLS"  # what follows a noun as its number
NUMBER = re.compile(r"[A-Za-z]?[0-9]+[A-Za-z]*|[A-Z]?[IVX]+|[A-Za-z]|[0-9.]+")
RANGE = frozenset({"HYPH", "SYM", "TO", ":"})


def mark_numbered(node: Penn) -> None:
    """Tag the number after a noun such as `figure`, unless the number modifies a later noun."""
    if node.label not in NOMINAL:
        return
    for place, noun in enumerate(node.children[:-1]):
        number = node.children[place + 1]
        after = node.children[place + 2 : place + 3]
        if _takes_number(noun) and _is_number(number) and not any(map(_is_in_compound, after)):
            _mark(number)


def _takes_number(noun: Penn) -> bool:
    return noun.is_leaf and noun.lower() in tables().nouns["numbered"]


def _is_in_compound(node: Penn) -> bool:
    return node.label.startswith(("NN", "JJ", "VB", "NML", "HYPH", "SYM"))


def _is_number(node: Penn) -> bool:
    """Whether a node is a number, such as `1A`, or a list or range of numbers."""
    words = [word for word in node.words() if not _is_between(word)]
    numbers = all(NUMBER.fullmatch(word.word) for word in words)
    digits = bool(words) and (words[0].label == "CD" or any(map(str.isdigit, words[0].word)))
    return (node.is_leaf or node.label in NOMINAL) and numbers and digits


def _is_between(node: Penn) -> bool:
    return bool(punctuation(node)) or is_conjunction(node) or node.label in RANGE


def group_markers(node: Penn) -> None:
    """Put a range or pair of list markers under a node of its own: `(A - C)`, `(A & B)`."""
    places = [p for p, c in enumerate(node.children) if c.label == "LS"]
    if node.label != "LST" or len(places) != 2 or places[1] - places[0] != 2:
        return
    first, last = places[0], places[1] + 1
    group = Penn("QP", children=node.children[first:last])
    between = group.children[1]
    if between.word == "&":
        between.label = "CC"
    elif not _is_between(between):
        return
    node.children[first:last] = [group]
    _mark(group)


def _mark(number: Penn) -> None:
    """Tag a number and what it is made of; a range becomes a QP."""
    for node in number.nodes():
        node.tags |= {NUMBERED}
        match node.children:
            case [low, Penn(label="PP", children=[to, high])] if to.label in RANGE:
                node.children = [low, to, high]
        between = node.children[1::2]
        if len(between) == 1 and between[0].label in RANGE and len(node.children) == 3:
            node.label = "QP"
        elif between and all(punctuation(c) or is_conjunction(c) for c in between):
            node.tags |= {"&"}
