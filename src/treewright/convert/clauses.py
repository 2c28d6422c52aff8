r"""Subordinate clauses: complementisers, relative pronouns and questions, with what they extract.

A complementiser is `S[em]/S[dcl]`. A relative pronoun is `(NP\NP)/(S[dcl]\NP)` where the subject
was extracted, `(NP\NP)/(S[dcl]/NP)` where an object was, and `((NP\NP)/S[dcl])\((NP\NP)/NP)`
after a preposition that modifies (`in which we saw it`); `whose` is `((NP\NP)/(S[dcl]/NP))/N`.
"""

from typing import TYPE_CHECKING

from treewright.convert.natural import extracted, natural
from treewright.convert.penn import Penn
from treewright.convert.roles import Part, arrange
from treewright.convert.steps import ConversionError, Gap, change, combine, leaf, with_gap
from treewright.convert.symbols import (
    NP,
    PP,
    N,
    backward,
    forward,
    is_modifier_of_anything,
    modifier,
    right_of,
    vp,
)
from treewright.convert.tables import head_word, punctuation, tables
from treewright.data.records import Tree
from treewright.grammar.category import Category

if TYPE_CHECKING:
    from treewright.convert.build import Converter

CLAUSES = ("S", "SQ", "SINV", "SBAR", "VP", "FRAG")


def subordinate(converter: "Converter", node: Penn, want: Category, gap: Gap | None) -> Tree:
    """The derivation of an SBAR or SBARQ."""
    filler = next((c for c in node.children if c.label.startswith("WH")), None)
    children = [c for c in node.children if not c.trace]
    if filler is not None and filler.trace and any(c.label == "IN" for c in children):
        if compared := _comparison(converter, filler, children, want):
            return compared
        filler = None
    if filler is None or not any(c.label in CLAUSES for c in children):
        if len(children) == 1:
            return converter.build(children[0], want, gap)
        return converter.peel(arrange(converter, node, children, gap), want, want, gap)
    clause = _clause(node, filler)
    body, own = extraction(converter, filler, clause)
    for child in reversed(_between(node, filler, clause)):
        body = _beside(converter, child, body, modifier(own), "left")
    if filler.trace:
        made: Tree = change(body, want)
    else:
        made = combine(pronoun(converter, filler, forward(want, own)), body, want)
    return _around(converter, node, (filler, clause), made, want)


def _comparison(
    converter: "Converter", filler: Penn, children: list[Penn], want: Category
) -> Tree | None:
    """`than we have`, with the gap of what is compared; None if nothing is missing."""
    match children:
        case [Penn(label="IN") as than, clause] if extracted(filler, clause):
            body, own = extraction(converter, filler, clause)
            return combine(leaf(than, forward(want, own)), body, want)
    return None


def _clause(node: Penn, filler: Penn) -> Penn:
    """The clause of a relative pronoun; others may precede the pronoun."""
    place = next(p for p, c in enumerate(node.children) if c is filler)
    later = node.children[place + 1 :] + node.children[:place]
    return next(c for c in later if c.label in CLAUSES and not c.trace)


def _between(node: Penn, filler: Penn, clause: Penn) -> list[Penn]:
    """What stands between a relative pronoun, which may be a trace, and its clause."""
    children = [c for c in node.children if c is filler or not c.trace]
    places = [p for p, c in enumerate(children) if c is filler or c is clause]
    return children[places[0] + 1 : places[1]]


def _around(
    converter: "Converter", node: Penn, core: tuple[Penn, Penn], made: Tree, want: Category
) -> Tree:
    """Marks and modifiers before, between and after the pronoun and its clause."""
    children = [c for c in node.children if not c.trace or c is core[0]]
    clause = next(p for p, c in enumerate(children) if c is core[1])
    filler = next(p for p, c in enumerate(children) if c is core[0])
    if clause < filler:
        raise ConversionError("a relative pronoun after its clause")
    for child in children[clause + 1 :]:
        made = _beside(converter, child, made, want, "right")
    for child in reversed(children[:filler]):
        made = _beside(converter, child, made, want, "left")
    return made


def _beside(converter: "Converter", child: Penn, made: Tree, want: Category, side: str) -> Tree:
    part = Part(child, "modifier", side)
    if punctuation(child):
        return converter.absorb(part, made)
    target = modifier(want)
    own = forward(target, target) if side == "left" else backward(target, target)
    return converter.beside(side, converter.build(child, own), made)


def extraction(converter: "Converter", filler: Penn, clause: Penn) -> tuple[Tree, Category]:
    r"""A clause without what was extracted, and its category, such as `S[dcl]\NP`."""
    own = natural(clause)
    inner = extracted(filler, clause)
    if inner and _is_argument(converter, clause, inner[0]):
        gap = Gap(_gap_category(inner[0]), inner)
        try:
            return converter.build(clause, own, gap), with_gap(own, gap)
        except ConversionError:
            converter.notes.append("gap lost")
    return converter.build(clause, own), own


def _gap_category(trace: Penn) -> Category:
    return PP if trace.label == "PP" else NP if trace.label in {"NP", "NML"} else natural(trace)


def _is_argument(converter: "Converter", clause: Penn, trace: Penn) -> bool:
    """Whether a trace is an argument of the phrase that it stands in."""
    if trace.label == "ADJP":
        return True
    if trace.label in {"NP", "NML", "WHNP"}:
        return not trace.tags & {"TMP", "ADV", "LOC", "MNR"}
    if trace.label != "PP":
        return False
    parent = next(n for n in clause.nodes() if any(c is trace for c in n.children))
    marked = bool(trace.tags & set(tables().tags["complement"]))
    return marked or converter.arguments.takes(parent, head_word(parent), trace)


def pronoun(converter: "Converter", filler: Penn, want: Category) -> Tree:
    """A relative or question phrase that seeks the clause: `want` is `X/clause`."""
    children = _flat([c for c in filler.children if not c.trace])
    if filler.is_leaf:
        return leaf(filler, want)
    if len(children) == 1:
        return pronoun(converter, children[0], want)
    if filler.label == "WHPP" and len(children) == 2 and children[0].is_leaf:
        return _pied_piped(converter, children[0], children[1], want)
    if filler.label == "WHNP" and children[0].is_leaf and children[0].label.startswith("W"):
        rest = children[1] if len(children) == 2 else Penn("NP", children=children[1:])
        return combine(leaf(children[0], forward(want, N)), converter.build(rest, N), want)
    if filler.label == "WHNP" and len(children) == 2 and children[1].label == "WHPP":
        return _partitive(converter, children[0], children[1], want)
    return _of_degree(converter, filler, children, want)


def _flat(children: list[Penn]) -> list[Penn]:
    """The children of a relative or question phrase, `how many` and `what kind` without nodes."""
    if len(children) < 2:
        return children
    first, *rest = children
    word = first.children[0] if first.children else first
    if not (word.is_leaf and word.label.startswith("W") and len(first.children) > 1):
        return children
    if first.label == "WHADJP":
        last = rest[-1]
        flat = last.label == "NP" and all(c.is_leaf for c in last.children)
        return first.children + (rest[:-1] + last.children if flat else rest)
    owner = first.label == "NP" and word.label == "WP$"  # `whose ends of the rope`
    if (owner or first.label == "WHNP") and not any(c.label.startswith("WH") for c in rest):
        return first.children + rest
    return children


def _of_degree(converter: "Converter", filler: Penn, children: list[Penn], want: Category) -> Tree:
    """`how old`: where the adjective was extracted, `how` takes it; else it modifies."""
    degree = want.argument.argument if want.argument.is_functor else None
    if filler.label == "WHADJP" and degree is vp("adj") and children[0].label == "WRB":
        rest = children[1] if len(children) == 2 else Penn("ADJP", children=children[1:])
        return combine(leaf(children[0], forward(want, degree)), converter.build(rest, degree))
    match children:
        case [Penn(label="WRB") as how, Penn(label="RB") as adverb] if filler.label == "WHADVP":
            own = right_of(modifier(vp("")))
            return combine(leaf(how, forward(want, own)), leaf(adverb, own))
    return converter.peel(arrange(converter, filler, children, None), want, want, None)


def _pied_piped(converter: "Converter", preposition: Penn, inner: Penn, want: Category) -> Tree:
    """`in which`, `on which` (an argument), `in whose presence`."""
    result, clause = want.result, want.argument
    words = list(inner.words())
    takes = clause.is_functor and clause.argument is PP
    own = forward(PP, NP) if takes else forward(result, NP)
    if len(words) == 1 and is_modifier_of_anything(result):
        return combine(leaf(preposition, own), leaf(words[0], backward(want, own)), want)
    return combine(leaf(preposition, forward(want, NP)), converter.build(inner, NP), want)


def _partitive(converter: "Converter", whole: Penn, part: Penn, want: Category) -> Tree:
    """`each of which`: `each of` is `NP/NP`, and the pronoun takes it."""
    words = list(part.words())
    first = converter.build(whole, NP)
    if len(words) != 2:
        return change(combine(first, converter.build(part, backward(NP, NP)), NP), want)
    of = leaf(words[0], forward(backward(NP, NP), NP))
    lifted = change(first, forward(NP, backward(NP, NP)))
    pair = combine(lifted, of, forward(NP, NP))
    return combine(pair, leaf(words[1], backward(want, forward(NP, NP))), want)
