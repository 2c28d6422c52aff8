r"""Noun phrases: determiners `NP[nb]/N`, nouns `N`, modifiers `N/N` before them, `NP\NP` after.

A noun phrase without a determiner is an N that a unary rule makes an NP. What stands between the
determiner and the noun attaches to N, what follows the noun to NP; numerals (`type 2`) and
bracketed names of bare nouns (`interleukin-2 (IL-2)`) attach to N.
"""

from typing import TYPE_CHECKING

from treewright.convert.coordination import NOUNS, is_coordination
from treewright.convert.native import is_nominal
from treewright.convert.natural import natural
from treewright.convert.penn import Penn, is_numeral
from treewright.convert.repair import is_noun_clause
from treewright.convert.roles import Part
from treewright.convert.steps import Gap, category_of, change, combine, leaf, with_gap
from treewright.convert.symbols import (
    NP,
    NP_NB,
    N,
    backward,
    forward,
    left_of,
    modifier,
    right_of,
    s,
    vp,
)  # fmt: skip
from treewright.convert.tables import punctuation, tables
from treewright.data.records import Tree
from treewright.grammar.category import Category, conjunct

if TYPE_CHECKING:
    from treewright.convert.build import Converter

WHOLE = frozenset({"PRP", "EX", "WP", "WDT", "DT", "WRB", "PRP$"})  # words that are noun phrases
INSIDE = frozenset({"NML", "NX", "NAC"})
BETWEEN = frozenset({"TO", "SYM", "HYPH", "IN", ":"})


def noun_phrase(
    converter: "Converter", node: Penn, children: list[Penn], want: Category, gap: Gap | None
) -> Tree:
    """The derivation of a noun phrase, NML or QP."""
    if node.label == "QP" and (made := quantity(converter, children, want)):
        return made
    if children[-1].label == "POS" and len(children) > 1:
        return possessive(converter, children, want)
    if made := relation(converter, children, want):
        return made
    children = group_adverbs(children)
    head = head_of(children, gap)
    left, right = children[:head], children[head + 1 :]
    if want is not NP:
        return _core(converter, left, children[head], right, want, gap)
    inner, outer = _levels(left, children[head], right, gap)
    place = determiner_place(left, children[head])
    made = _base(converter, left, place, children[head], inner, gap)
    for part in reversed(left[: max(place, 0)]):
        made = attach(converter, part, made, "left")
    return _after(converter, outer, made)


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
    bare = head.label == "NP" and not has_determiner(head) and not is_coordination(head)
    if _is_whole(head) and not (inner or (bare and any(not punctuation(c) for c in left))):
        made = converter.build(head, NP, gap)
        for part in reversed(left):
            made = attach(converter, part, made, "left")
        return made
    core = _core(converter, left, head, inner, N, gap)
    return change(core, with_gap(NP, gap if gap and category_of(core) is not N else None))


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
    return not is_coordination(head) and bool(words) and words[-1].label not in {"NNS", "NNPS"}


def _is_bare_name(node: Penn) -> bool:
    inside = [child for child in node.children if not punctuation(child)]
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


def head_of(children: list[Penn], gap: Gap | None) -> int:
    """The place of the head: the last noun, else the first noun phrase, else the last number."""
    places = range(len(children))
    if gap:
        here = [p for p in places if gap.at(children[p])]
        if here:
            return here[0]
    nouns = [p for p in places if children[p].label in NOUNS | INSIDE]
    named = [p for p in nouns if not is_numeral(children[p]) and children[p].label != "VBG"]
    gerund = [p for p in nouns if children[p].label == "VBG"]
    phrases = [p for p in places if children[p].label == "NP" and not _is_possessive(children[p])]
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
    return solid[-1] if solid else len(children) - 1


def determiner_place(left: list[Penn], head: Penn) -> int:
    """The place of the last determiner before a head; -1 where there is none."""
    if _is_whole(head) and head.label not in INSIDE and has_determiner(head):
        return -1
    known = tables().nouns["determiners"]
    here = [p for p, c in enumerate(left) if c.label in known or _is_possessive(c)]
    return here[-1] if here else -1


def determiner(converter: "Converter", node: Penn) -> Tree:
    """A determiner or a possessive noun phrase, `NP[nb]/N`."""
    own = forward(NP_NB, N)
    return leaf(node, own) if node.is_leaf else converter.build(node, own)


def possessive(converter: "Converter", children: list[Penn], want: Category) -> Tree:
    """A noun phrase that ends in `'s`."""
    owner = converter.build(Penn("NP", children=children[:-1]), NP)
    return combine(owner, leaf(children[-1], backward(want, NP)))


def _is_possessive(node: Penn) -> bool:
    return bool(node.children) and node.children[-1].label == "POS"


def _is_whole(head: Penn) -> bool:
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
    inside = [c for c in children if is_nominal(c) or c.is_leaf or _is_possessive(c)]
    return any(c.label in {"DT", "PRP$", "PRP", "EX"} or _is_possessive(c) for c in inside) or (
        bool(inside) and is_nominal(inside[0]) and has_determiner(inside[0])
    )


def shared_category(conjuncts: Penn, traces: tuple[Penn, ...], want: Category) -> Category:
    """The category of a phrase that conjuncts share: what their traces stand for."""
    parent = next(n for n in conjuncts.nodes() if any(c is traces[0] for c in n.children))
    if not is_nominal(parent):
        return NP
    return want if is_nominal(conjuncts) and want is not NP else N


def group_adverbs(children: list[Penn]) -> list[Penn]:
    """Put an adverb and the adjective or number after it under one node."""
    grouped: list[Penn] = []
    for child in children:
        after_adverb = grouped and grouped[-1].label in {"RB", "RBR", "RBS"}
        if after_adverb and child.label in {"JJ", "VBN", "VBG", "CD", "JJR", "JJS", "ADJP", "QP"}:
            grouped[-1] = Penn("ADJP", children=[grouped[-1], child])
        else:
            grouped.append(child)
    return grouped


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


def quantity(converter: "Converter", children: list[Penn], want: Category) -> Tree | None:
    """`1 to 10`, `at least 3`, `more than 5`; None for other shapes of QP."""
    match children:
        case [Penn(label="IN") as at, Penn(label="JJS") as least, *rest] if rest:
            first = superlative(at, least, left_of(want))
        case [Penn(label="JJR" | "RBR") as more, Penn(label="IN") as than, *rest] if rest:
            first = combine(leaf(more, vp("asup")), leaf(than, backward(left_of(want), vp("asup"))))
        case [Penn(label="CD" | "QP") as low, Penn() as to, *rest] if to.label in BETWEEN and rest:
            high = rest[0] if len(rest) == 1 else Penn("QP", children=rest)
            link = leaf(to, forward(right_of(want), want))
            return combine(
                converter.build(low, want), combine(link, converter.build(high, want)), want
            )
        case _:
            return None
    number = rest[0] if len(rest) == 1 else Penn("QP", children=rest)
    return combine(first, converter.build(number, want), want)
