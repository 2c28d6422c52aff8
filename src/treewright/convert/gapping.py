r"""Gapping: in `he likes tea and she milk` the second sentence lacks its verb.

It is `S\((S\NP)/NP)`, the type-raised subject composed with the cluster of what follows, and a rule
of its own joins it to the first sentence. After the CCGbank manual (2005), section on gapping.
"""

from itertools import pairwise
from typing import TYPE_CHECKING

from treewright.convert.clusters import (
    Element,
    argument_of,
    cluster,
    left_part,
    matching,
    parent_of,
    phrases_of,
    with_left,
)
from treewright.convert.penn import Penn
from treewright.convert.roles import Part, subject_category
from treewright.convert.steps import ConversionError, category_of, combine, raised
from treewright.convert.symbols import s, vp
from treewright.convert.verbless import VERBLESS
from treewright.data.records import Node, Tree
from treewright.grammar.category import Category

if TYPE_CHECKING:
    from treewright.convert.build import Converter


def gapped(converter: "Converter", children: list[Penn], want: Category) -> Tree:
    """Sentences of which the later ones lack their verb."""
    places = [p for p, c in enumerate(children) if c.label == "S"]
    if places[0] or not all(VERBLESS in children[p].tags for p in places[1:]):
        raise ConversionError("verb after a conjunct without one")
    made = converter.build(children[0], want)
    for before, after in pairwise(places):
        other = _sentence(converter, children[0], children[after])
        other = converter.conjoin(children[before + 1 : after], other)
        made = Node(made.category, (made, other))
    for mark in children[places[-1] + 1 :]:
        made = converter.absorb(Part(mark, "mark", "right"), made)
    return made


def _sentence(converter: "Converter", first: Penn, node: Penn) -> Tree:
    r"""A sentence without its verb: `S\((S\NP)/NP)`."""
    remnants = phrases_of(node)
    matched = [matching(first, phrase) for phrase in remnants]
    subject = next((p for p, c in enumerate(remnants) if "SBJ" in c.tags), -1)
    start = subject + 1 or next((p for p, m in enumerate(matched) if _is_after(first, m)), 0)
    if start >= len(remnants):
        raise ConversionError("gapping without remnants")
    elements = [
        Element(phrase, argument_of(converter, parent_of(first, match), match) if match else None)
        for phrase, match in zip(remnants[start:], matched[start:], strict=True)
    ]
    place = next(p for p, c in enumerate(node.children) if c is elements[0].node)
    made = cluster(converter, node.children[place:], elements, vp("") if subject >= 0 else s(""))
    if subject >= 0:
        before = node.children[:place]
        place = next(p for p, c in enumerate(before) if c is remnants[subject])
        made = combine(_subject(converter, before[place:]), made)
    if not category_of(made).argument.is_functor:
        raise ConversionError("gapping without a verb's category")
    return with_left(converter, [left_part(c) for c in node.children[:place]], made, s(""))


def _subject(converter: "Converter", nodes: list[Penn]) -> Tree:
    r"""A subject, type-raised, and the marks after it: `S/(S\NP)`."""
    made = raised(converter.build(nodes[0], subject_category(nodes[0])), s(""), "left")
    for mark in nodes[1:]:
        made = converter.absorb(Part(mark, "mark", "right"), made)
    return made


def _is_after(first: Penn, match: Penn | None) -> bool:
    """Whether a phrase of the first sentence stands in its verb phrase."""
    return match is not None and parent_of(first, match).label != "S"
