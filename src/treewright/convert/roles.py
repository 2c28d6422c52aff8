r"""Heads, arguments and modifiers: how a phrase is taken apart.

Parts come in the order in which they are taken off: what is first combines last. To the right of a
head everything attaches before what stands to its left, as in CCGbank; marks at the end of a
sentence come off before anything else.
"""

from typing import TYPE_CHECKING, NamedTuple

from treewright.convert.amounts import is_measure
from treewright.convert.arguments import is_next
from treewright.convert.coordination import is_conjunction
from treewright.convert.natural import (
    NOMINAL_LABELS,
    complementiser,
    feature,
    feature_after,
    natural,
    subject,
    subject_place,
    without_object,
)
from treewright.convert.penn import Penn
from treewright.convert.small_clauses import CLEFT, SMALL
from treewright.convert.steps import Gap
from treewright.convert.symbols import EXPLETIVE, NP, PP, THERE, right_of, s, vp
from treewright.convert.tables import FRONTED, auxiliary, head_place, head_word, punctuation, tables
from treewright.grammar.category import Category

if TYPE_CHECKING:
    from treewright.convert.build import Converter


PARTICIPLES = frozenset({"ng", "pss"})
SAYING = "SAYS"  # a clause in a parenthesis that takes what it stands in, and its trace


class Part(NamedTuple):
    """A child of a phrase: its role (mark, modifier, argument, topic, head), its side."""

    node: Penn
    role: str
    side: str
    category: Category | None = None


def arrange(
    converter: "Converter", node: Penn, children: list[Penn], gap: Gap | None
) -> list[Part]:
    """The parts of a phrase that is neither a noun phrase nor a coordination, the head last."""
    head = head_place(node.label, children)
    own = subject_place(node)
    subject = node.children[own] if own >= 0 else None
    verb = head_word(children[head])
    parts = []
    for place, child in enumerate(children):
        side = "left" if place < head else "right"
        if place != head:
            role, category = _role(converter, node, child, (side, subject, verb), gap)
            parts.append(Part(child, role, side, category))
    return [*order(parts), Part(children[head], "head", "")]


def order(parts: list[Part]) -> list[Part]:
    """Marks at the end, then the left side from the edge inwards, then the right side."""
    left = [p for p in parts if p.side == "left"]
    right = [p for p in reversed(parts) if p.side == "right"]
    last = []
    while left and right and right[0].role == "mark":
        last.append(right.pop(0))
    return last + left + right


def _role(
    converter: "Converter",
    node: Penn,
    child: Penn,
    place: tuple[str, Penn | None, Penn],
    gap: Gap | None,
) -> tuple[str, Category | None]:
    side, subject, verb = place
    if punctuation(child):
        return "mark", None
    if child is subject and node.label in {"S", "SINV", "SQ"}:
        return "argument", subject_category(child)
    if side == "left" and child.label != "PRT":
        return _left_role(node, child, gap)
    if gap and gap.inside(child) and not _is_parasitic(converter, node, child, gap):
        return "argument", gap.category if gap.at(child) else argument_category(child, verb, node)
    if is_argument(converter, node, child, verb):
        return "argument", argument_category(child, verb, node)
    return "modifier", None


def _left_role(node: Penn, child: Penn, gap: Gap | None) -> tuple[str, Category | None]:
    """The role of what stands before a head and is no subject."""
    if gap is None and traces_of(node, child):
        return "topic", None
    if is_measure(node, child):
        return "argument", NP
    return ("argument", natural(child)) if FRONTED in child.tags else ("modifier", None)


def traces_of(node: Penn, child: Penn) -> tuple[Penn, ...]:
    """The traces of a topicalised argument in its clause."""
    known = tables().tags
    if node.label != "S" or "TPC" not in child.tags or child.tags & set(known["adjunct"]) - {"TPC"}:
        return ()
    argument = child.label in NOMINAL_LABELS or child.label == "PP"
    if not argument or (child.label == "PP" and not child.tags & set(known["complement"])):
        return ()
    return tuple(n for n in node.nodes() if n.trace == "*T*" and n.index == child.index)


def _is_parasitic(converter: "Converter", node: Penn, child: Penn, gap: Gap) -> bool:
    """Whether a modifier has a gap that stands in an argument too: `filed without reading`."""
    others = [c for c in node.children if c is not child and gap.inside(c)]
    if not others or gap.at(child) or is_argument(converter, node, child, head_word(node)):
        return False
    verb = head_word(node)
    return any(
        gap.at(c) or c.label == "VP" or is_argument(converter, node, c, verb) for c in others
    )


def subject_category(node: Penn) -> Category:
    """The category of a subject: a noun phrase, of which two kinds have a feature."""
    words = list(node.words())
    if "EXPL" in node.tags:
        return EXPLETIVE
    if len(words) == 1 and words[0].label == "EX":
        return THERE
    if node.label == "SBAR" and not is_free_relative(node):
        return natural(node)
    return NP


def is_free_relative(node: Penn) -> bool:
    """Whether a clause is a noun phrase: `what she said`, but not `whether she left`."""
    return node.label == "SBAR" and "NOM" in node.tags and complementiser(node) is None


def is_argument(converter: "Converter", node: Penn, child: Penn, verb: Penn) -> bool:
    """Whether a child to the right of its head is an argument of it."""
    known = tables()
    outside = child.label in {"PRN", "LST", "CIT", "PRT"}
    if outside or is_conjunction(child) or "ICH" in child.tags:
        return False
    if child.tags & {*known.tags["complement"], CLEFT} or _is_infinitive_of(child, node, verb):
        return True
    adjunct = set(known.tags["adjunct"]) - ({"BNF"} if child.label == "NP" else set())
    if child.tags & adjunct and node.label not in {"PP", "SBAR", "WHPP"}:
        return False
    if node.label in {"PP", "WHPP", "SBAR"}:
        phrase = node.children[head_place(node.label, node.children)].label == "PP"
        return not phrase and child.label in known.arguments[node.label]
    return _is_lexical_argument(converter, node, child, verb)


def _is_infinitive_of(child: Penn, node: Penn, verb: Penn) -> bool:
    """Whether an infinitive is an argument, though a tag may say otherwise: `used to model it`."""
    if child.label != "S" or node.label != "VP" or verb.label != "VBN":
        return False
    listed = verb.lower() in tables().verbs["infinitives"]
    return listed and natural(child) is vp("to") and is_next(node, verb, child)


def _is_lexical_argument(converter: "Converter", node: Penn, child: Penn, verb: Penn) -> bool:
    """Whether the head takes a phrase of this kind, as far as its lists know."""
    if child.label in {"PP", "ADVP"}:
        return converter.arguments.takes(node, verb, child)
    if child.label == "SQ" and _is_tag_question(child):
        return False
    if child.label in {"S", "SBAR"}:
        if node.label == "S" or _is_absolute(node, child):
            return False
        return converter.arguments.takes_clause(node, verb, child)
    return child.label in tables().arguments.get(node.label, ())


def _is_tag_question(node: Penn) -> bool:
    """Whether a question has nothing but an auxiliary and a subject: `is it`."""
    solid = [c for c in node.children if not punctuation(c) and c.label != "RB"]
    return len(solid) == 2 and solid[0].is_leaf and "SBJ" in solid[1].tags


def _is_gerund(node: Penn, child: Penn) -> bool:
    return child.label == "S" and node.label != "PP"


def _is_absolute(node: Penn, clause: Penn) -> bool:
    """Whether a participle after an object is about something else: `saw it using glasses`."""
    own = subject(clause)
    if own is None or not own.trace or feature(clause) not in PARTICIPLES:
        return False
    places = [p for p, c in enumerate(node.children) if c is clause]
    objects = [c for c in node.children[: places[0]] if c.label in NOMINAL_LABELS and not c.trace]
    return bool(objects) and all(c.index != own.index or not c.index for c in objects)


def argument_category(child: Penn, verb: Penn, node: Penn) -> Category:
    """The category of an argument."""
    if CLEFT in child.tags:
        return right_of(NP)
    if child.label == "VP":
        return vp(feature(child) if SMALL in child.tags else feature_after(verb, child))
    if is_free_relative(child) or ("NOM" in child.tags and _is_gerund(node, child)):
        return NP
    if child.label == "ADVP" and node.label == "VP":
        return vp("adj") if auxiliary(verb) else PP
    return _embedded(child, node)


def _embedded(child: Penn, node: Penn) -> Category:
    """The category of an argument by itself, such as a clause."""
    if child.label == "SBAR" and node.label == "ADJP":
        return without_object(child)
    own = natural(child)
    participle = node.label == "SBAR" and own in {s("pss"), s("pt")}
    return s("dcl") if participle else own  # a finite verb may have the tag of a participle
