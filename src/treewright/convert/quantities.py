"""Numbers and symbols inside noun phrases: `1 to 10`, `at least 3`, `P < 0.01`."""

from typing import TYPE_CHECKING

from treewright.convert.numbered import NUMBERED
from treewright.convert.penn import Penn
from treewright.convert.steps import change, combine, leaf
from treewright.convert.symbols import NP, N, backward, forward, left_of, right_of, vp
from treewright.convert.tables import tables
from treewright.data.records import Tree
from treewright.grammar.category import Category

if TYPE_CHECKING:
    from treewright.convert.build import Converter

BETWEEN = frozenset({"TO", "SYM", "HYPH", "IN", ":"})


def quantity(converter: "Converter", children: list[Penn], want: Category) -> Tree | None:
    """`1 to 10`, `at least 3`, `more than 5`; None for other shapes of QP."""
    match children:
        case [at, least] if is_superlative(children):
            return superlative(at, least, want)
        case [at, least, *rest] if is_superlative(children[:2]):
            first = superlative(at, least, left_of(want))
        case [Penn(label="JJR" | "RBR") as more, Penn(label="IN") as than, *rest] if rest:
            first = combine(leaf(more, vp("adj")), leaf(than, backward(left_of(want), vp("adj"))))
        case [low, to, *rest] if rest and to.label in BETWEEN and _is_term(low):
            high = rest[0] if len(rest) == 1 else Penn("QP", children=rest)
            link = leaf(to, forward(right_of(want), want))
            return combine(
                converter.build(low, want), combine(link, converter.build(high, want)), want
            )
        case _:
            return None
    number = rest[0] if len(rest) == 1 else Penn("QP", children=rest)
    return combine(first, converter.build(number, want), want)


def _is_term(node: Penn) -> bool:
    """Whether a node can be the first number of a range."""
    return node.label in {"CD", "QP"} or NUMBERED in node.tags


def is_superlative(children: list[Penn]) -> bool:
    """Whether children are `at least` and the like."""
    if len(children) != 2 or not all(child.is_leaf for child in children):
        return False
    first, second = children
    return first.label in {"IN", "RB"} and second.label in {"JJS", "RBS"}


def superlative(at: Penn, least: Penn, want: Category) -> Tree:
    """`at least` as a modifier."""
    return combine(leaf(at, forward(want, vp("asup"))), leaf(least, vp("asup")), want)


def relation(converter: "Converter", children: list[Penn], want: Category) -> Tree | None:
    """`P < 0.01`: a symbol between two terms; None where there is none."""
    known = tables().symbols["relations"]
    places = [p for p, c in enumerate(children) if c.is_leaf and c.word in known]
    if not places or not 0 < places[-1] < len(children) - 1:
        return None
    place = places[-1]
    own = N if want is NP else want
    low, high = (
        part[0] if len(part) == 1 else Penn("NP", children=part)
        for part in (children[:place], children[place + 1 :])
    )
    link = leaf(children[place], forward(right_of(own), own))
    made = combine(link, converter.build(high, own))
    return change(combine(converter.build(low, own), made, own), want)
