r"""Dates, sums of money, and measures: `Nov. 29`, `$ 5 million`, `61 years old`.

As in CCGbank, a month or currency takes its number, `N[num]`: `Nov.` is `N/N[num]`. What can be
measured takes the measure: `old` is `(S[adj]\NP)\NP` after `61 years`.
"""

from collections.abc import Sequence

from treewright.convert.coordination import NOMINAL
from treewright.convert.penn import Penn
from treewright.convert.steps import change, combine, leaf
from treewright.convert.symbols import NP, NUMBER, N, forward, left_of
from treewright.convert.tables import tables
from treewright.data.records import Tree
from treewright.grammar.category import Category

CURRENCIES = frozenset({"$", "#"})  # parts of speech
MEASURED = frozenset({"ADJP", "ADVP", "SBAR"})  # what takes a measure before its head


def is_amount(children: Sequence[Penn]) -> bool:
    """Whether phrases are a month or a currency with its number."""
    if len(children) < 2 or any(c.label != "CD" for c in children[1:]):
        return False
    return _is_currency(children[0]) or (_is_month(children[0]) and len(children) == 2)


def amount(children: Sequence[Penn], want: Category) -> Tree:
    """A month or a currency with its number."""
    own = N if want is NP else want
    number: Tree = leaf(children[-1], NUMBER)
    for child in reversed(children[1:-1]):
        number = combine(leaf(child, left_of(N)), number, NUMBER)
    return change(combine(leaf(children[0], forward(own, NUMBER)), number, own), want)


def _is_month(node: Penn) -> bool:
    return node.label.startswith("NNP") and node.lower() in tables().nouns["months"]


def _is_currency(node: Penn) -> bool:
    return node.is_leaf and node.label in CURRENCIES


def group_amounts(node: Penn) -> None:
    """Put a month or currency and its number, among other words, under a node of their own."""
    if node.label not in {*NOMINAL, "ADJP"} or is_amount(node.children):
        return
    for place in range(len(node.children) - 2, -1, -1):
        end = _end(node.children, place)
        if not is_amount(node.children[place:end]):
            continue
        noun = any(c.is_leaf and c.label.startswith("NN") for c in node.children[end:])
        label = "QP" if noun or _is_currency(node.children[place]) else "NP"
        node.children[place:end] = [Penn(label, children=node.children[place:end])]
        _wrap_year(node.children, place)


def _end(children: Sequence[Penn], place: int) -> int:
    """The place after the numbers that follow a word; a month has one."""
    end = place + 1
    last = len(children) if _is_currency(children[place]) else place + 2
    while end < last and children[end].label == "CD":
        end += 1
    return end


def _wrap_year(children: list[Penn], place: int) -> None:
    """Give a year after a date and a comma a node: `Nov. 29, 1989`."""
    match children[place + 1 : place + 3]:
        case [Penn(label=","), Penn(label="CD") as year]:
            children[place + 2] = Penn("NP", children=[year])


def is_measure(node: Penn, child: Penn) -> bool:
    """Whether a noun phrase before the head of a phrase measures it: `two days later`."""
    if node.label not in MEASURED or child.label != "NP" or child.trace:
        return False
    labels = [word.label for word in child.words()]
    counted = any(label in {"CD", "DT"} for label in labels[:-1])
    return labels[-1].startswith("NN") and (counted or labels[-1] in {"NNS", "NNPS"})
