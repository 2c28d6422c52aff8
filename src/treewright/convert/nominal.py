r"""Noun phrases: determiners `NP[nb]/N`, nouns `N`, modifiers `N/N` before them, `NP\NP` after.

A noun phrase without a determiner is an N that a unary rule makes an NP. What stands between the
determiner and the noun attaches to N, what follows the noun to NP; numerals (`type 2`) and
bracketed names of bare nouns (`interleukin-2 (IL-2)`) attach to N.
"""

from typing import TYPE_CHECKING

from treewright.convert.amounts import amount, is_amount
from treewright.convert.coordination import conjuncts, is_coordination
from treewright.convert.native import is_nominal
from treewright.convert.natural import natural
from treewright.convert.noun_heads import (
    determiner_place,
    has_determiner,
    head_of,
    is_whole,
)
from treewright.convert.penn import Penn, is_numeral
from treewright.convert.quantities import quantity, relation
from treewright.convert.roles import Part
from treewright.convert.small_clauses import is_noun_clause
from treewright.convert.steps import Gap, category_of, change, combine, leaf, with_gap
from treewright.convert.symbols import (
    NP,
    NP_NB,
    PP,
    N,
    backward,
    forward,
    left_of,
    modifier,
    right_of,
    s,
)  # fmt: skip
from treewright.convert.tables import punctuation, tables
from treewright.data.records import Tree
from treewright.grammar.category import Category, conjunct

if TYPE_CHECKING:
    from treewright.convert.build import Converter


BEFORE = ("JJ", "NN", "VB", "ADJP", "CD", "NML", "QP", "FW")  # what modifies nouns from the left


def noun_phrase(
    converter: "Converter", node: Penn, children: list[Penn], want: Category, gap: Gap | None
) -> Tree:
    """The derivation of a noun phrase, NML or QP."""
    if made := _special(converter, node, children, want):
        return made
    if want is NP and (place := _introduction(children)):
        end = len(children) - (punctuation(children[-1]) == ".")
        made = noun_phrase(converter, node, children[place:end], want, gap)
        for part in reversed(children[:place]):
            made = attach(converter, part, made, "left")
        return _after(converter, children[end:], made)
    children = group_adverbs(children)
    head = head_of(children, gap)
    left, right = children[:head], children[head + 1 :]
    if want is not NP:
        return _core(converter, left, children[head], right, want, gap)
    inner, outer = _levels(left, children[head], right, gap)
    place = determiner_place(left, children[head])
    start = next((p for p, c in enumerate(left) if c.label != "CC" or p == place), len(left))
    made = _base(converter, left[start:], place - start, children[head], inner, gap)
    for part in reversed(left[: max(place, start)]):
        made = attach(converter, part, made, "left")
    return _after(converter, outer, made)


def _special(
    converter: "Converter", node: Penn, children: list[Penn], want: Category
) -> Tree | None:
    """Noun phrases that are taken apart in their own way; None for others."""
    if node.label == "QP" and (made := quantity(converter, children, want)):
        return made
    if is_amount(children):
        return amount(children, want)
    if children[-1].label == "POS" and len(children) > 1:
        return possessive(converter, children, want)
    return relation(converter, children, want)


def _introduction(children: list[Penn]) -> int:
    """How many children before a noun phrase are no part of it: `(a)`, `e.g. ,`."""
    words = [word.lower() for word in children[0].words()]
    adverb = len(words) == 1 and words[0] in tables().adverbs["introducing"]
    if len(children) < 2 or not (children[0].label == "LST" or adverb):
        return 0
    return next((p for p, c in enumerate(children) if p and not punctuation(c)), 0)


def _base(
    converter: "Converter", left: list[Penn], place: int, head: Penn, inner: list[Penn],
    gap: Gap | None,
) -> Tree:  # fmt: skip
    """The noun with its determiner; `place` is the determiner's, -1 where there is none."""
    if place >= 0:
        if gap and gap.at(head) and place == len(left) - 1:
            return determiner(converter, left[place])
        core = _core(converter, left[place + 1 :], head, inner, N, gap)
        goal = with_gap(NP, gap if gap and category_of(core) is not N else None)
        return combine(determiner(converter, left[place]), core, goal)
    bare = head.label == "NP" and not has_determiner(head) and _is_low(left, head)
    if is_whole(head) and not (inner or (bare and any(not punctuation(c) for c in left))):
        made = converter.build(head, NP, gap)
        for part in reversed(left):
            made = attach(converter, part, made, "left")
        return made
    core = _core(converter, left, head, inner, N, gap)
    return change(core, with_gap(NP, gap if gap and category_of(core) is not N else None))


def _is_low(left: list[Penn], head: Penn) -> bool:
    """Whether what precedes a noun phrase modifies its noun; of a coordination, all its nouns."""
    if not is_coordination(head):
        return True
    flat = all(c.is_leaf or c.trace for part in conjuncts(head) for c in part.children)
    return flat and all(c.label.startswith(BEFORE) for c in left)


def _core(
    converter: "Converter", left: list[Penn], head: Penn, right: list[Penn], want: Category,
    gap: Gap | None,
) -> Tree:  # fmt: skip
    """What is below the determiner, as N or as a modifier of some other noun."""
    parts = [_right_part(child, gap) for child in reversed(right)]
    arguments = [part for part in parts if part.role == "argument"]
    others = [part for part in parts if part.role != "argument"]
    before = [Part(c, "mark" if punctuation(c) else "modifier", "left") for c in left]
    if want is not N and before and before[0].node.label in {"DT", "PRP$"}:
        first = leaf(before[0].node, forward(want, N))
        return combine(first, _core(converter, left[1:], head, right, N, gap), want)
    return converter.peel([*others, *before, *arguments, Part(head, "head", "")], want, want, gap)


def _right_part(child: Penn, gap: Gap | None) -> Part:
    if punctuation(child):
        return Part(child, "mark", "right")
    if gap and gap.inside(child):
        return Part(child, "argument", "right", gap.category if gap.at(child) else natural(child))
    if is_noun_clause(child):
        return Part(child, "argument", "right", s("em"))
    return Part(child, "modifier", "right")


def _levels(
    left: list[Penn], head: Penn, right: list[Penn], gap: Gap | None
) -> tuple[list[Penn], list[Penn]]:
    """What follows the noun, split into what attaches to N and what attaches to NP."""
    bare = determiner_place(left, head) < 0 and not has_determiner(head)
    for place, child in enumerate(right):
        low = (
            is_numeral(child)
            or "CLS" in child.tags
            or (head.is_leaf and child.is_leaf and child.label in {"HYPH", "SYM"})
            or is_noun_clause(child)
            or bool(gap and gap.inside(child))
        )
        if child.label == "PRN" and bare and _is_singular(head):
            low = _is_bare_name(child) and not right[place + 1 :]
        if not low:
            return right[:place], right[place:]
    return right, []


def _is_singular(head: Penn) -> bool:
    """Whether a noun or bare noun phrase ends in a singular noun, a number or a name."""
    words = list(head.words())
    flat = all(child.is_leaf for child in head.children) and not is_coordination(head)
    return flat and bool(words) and words[-1].label not in {"NNS", "NNPS"}


def _is_bare_name(node: Penn) -> bool:
    inside = [child for child in node.children if not punctuation(child)]
    if any(punctuation(child) == "," for each in inside for child in each.children):
        return False
    return len(inside) == 1 and is_nominal(inside[0]) and not has_determiner(inside[0])


def _after(converter: "Converter", outer: list[Penn], made: Tree) -> Tree:
    """Attach what follows a noun phrase, from left to right."""
    waiting: list[Penn] = []
    for child in outer:
        if punctuation(child):
            waiting.append(child)
            continue
        made = _with_marks(converter, waiting, child, made)
        waiting = []
    for mark in waiting:
        made = converter.absorb(Part(mark, "mark", "right"), made)
    return made


def _with_marks(converter: "Converter", marks: list[Penn], child: Penn, made: Tree) -> Tree:
    """A modifier after marks; a noun phrase after a comma is in apposition, like a conjunct."""
    if marks and is_nominal(child) and category_of(made) is NP:
        other = converter.build(child, NP)
        other = combine(converter.separator(marks[-1]), other, conjunct(NP))
        for mark in reversed(marks[:-1]):
            other = combine(converter.separator(mark), other, category_of(other))
        return combine(made, other, NP)
    for mark in marks:
        made = converter.absorb(Part(mark, "mark", "right"), made)
    return attach(converter, child, made, "right")


def attach(converter: "Converter", child: Penn, made: Tree, side: str) -> Tree:
    """A modifier or mark beside a noun phrase."""
    if punctuation(child):
        return converter.absorb(Part(child, "mark", side), made)
    target = modifier(category_of(made)) if category_of(made).base == "NP" else NP
    if side == "left":
        return combine(converter.build(child, left_of(target)), made, category_of(made))
    return combine(made, converter.build(child, right_of(target)), category_of(made))


def determiner(converter: "Converter", node: Penn) -> Tree:
    """A determiner or a possessive noun phrase, `NP[nb]/N`."""
    own = forward(NP_NB, N)
    return leaf(node, own) if node.is_leaf else converter.build(node, own)


def possessive(converter: "Converter", children: list[Penn], want: Category) -> Tree:
    """A noun phrase that ends in `'s`."""
    owner = converter.build(Penn("NP", children=children[:-1]), NP)
    return combine(owner, leaf(children[-1], backward(want, NP)))


def shared_category(conjuncts: Penn, traces: tuple[Penn, ...], want: Category) -> Category:
    """The category of a phrase that conjuncts share: what their traces stand for."""
    parent = next(n for n in conjuncts.nodes() if any(c is traces[0] for c in n.children))
    if not is_nominal(parent):
        return PP if traces[0].label == "PP" else NP
    return want if is_nominal(conjuncts) and want is not NP else N


def group_adverbs(children: list[Penn]) -> list[Penn]:
    """Put an adverb and the adjective or number after it under one node."""
    grouped: list[Penn] = []
    for child in children:
        after_adverb = grouped and grouped[-1].label in {"RB", "RBR", "RBS"}
        after_adverb = after_adverb and not is_amount(child.children)
        if after_adverb and child.label in {"JJ", "VBN", "VBG", "CD", "JJR", "JJS", "ADJP", "QP"}:
            grouped[-1] = Penn("ADJP", children=[grouped[-1], child])
        else:
            grouped.append(child)
    return grouped
