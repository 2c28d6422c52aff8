r"""Which categories a phrase can have without a unary rule, and which it needs one for.

A prepositional phrase is what its preposition makes of it; so are adverbs, conjunctions with their
clauses and prenominal adjectives. Verb phrases, clauses and noun phrases are not: where they
modify, a unary rule makes them do so (`S[ng]\NP -> NP\NP`), as in CCGbank.
"""

from collections.abc import Callable

from treewright.convert.coordination import conjuncts, is_coordination
from treewright.convert.natural import NOMINAL_LABELS, complementiser, natural, without_object
from treewright.convert.penn import NULL, Penn
from treewright.convert.symbols import (
    NP,
    PP,
    N,
    clause_of,
    is_modifier_of_anything,
    right_of,
    s,
    vp,
)
from treewright.convert.tables import head_place
from treewright.grammar.category import Category

APPOSITION = right_of(N)
ADVERBIAL = frozenset({"TMP", "ADV", "EXT", "LOC", "MNR", "DIR"})


def is_nominal(node: Penn) -> bool:
    """Whether a phrase is built as a noun phrase."""
    return node.label in NOMINAL_LABELS


def category(node: Penn, want: Category) -> Category:
    """The category to build a phrase with, where `want` is what its place asks for."""
    if is_nominal(node) and want is right_of(NP):
        return want if _is_per_unit(node) else NP
    if is_coordination(node):
        able = [category(child, want) is want for child in conjuncts(node)]
        return want if any(able) else natural(node)
    if want is APPOSITION and is_nominal(node) and "CLS" not in node.tags:
        return N
    return want if _can_have(node, want) else natural(node)


def _can_have(node: Penn, want: Category) -> bool:
    test = TESTS.get(node.label)
    return node.is_leaf or test is None or test(node, want)


def _is_per_unit(node: Penn) -> bool:
    """Whether a noun phrase says for what a price or rate is: `$ 5 a share`."""
    return "ADV" in node.tags and node.children[0].label == "DT"


def _is_prepositional(_: Penn, want: Category) -> bool:
    return want is PP or is_modifier_of_anything(want)


def _is_noun_phrase(node: Penn, want: Category) -> bool:
    possessive = bool(node.children) and node.children[-1].label == "POS"
    if possessive or "CLS" in node.tags or want.base in {"N", "NP"}:
        return True
    return _modifies_noun(want) or _is_adverb(node, want)


def _is_clause(node: Penn, want: Category) -> bool:
    own = natural(node)
    if is_modifier_of_anything(want) or clause_of(want) is None:
        return False
    reported = node.label == "VP" and own.arity < want.arity  # (S\S)\NP
    return (own.arity == want.arity or reported) and clause_of(own) is not None


def _is_reduced(node: Penn, want: Category) -> bool:
    """A reduced relative clause is what its head is: `[still] under the rules`."""
    return _can_have(node.children[head_place(node.label, node.children)], want)


def _is_subordinate(node: Penn, want: Category) -> bool:
    relative = any(c.label.startswith("WH") and c.trace != NULL for c in node.children)
    if relative:
        return is_modifier_of_anything(want) or want is NP or want.base == "S"
    if complementiser(node) is not None:
        return is_modifier_of_anything(want) or want.base == "S"
    if any(c.trace == NULL for c in node.children):
        return is_modifier_of_anything(want) or want is without_object(node)
    return True


def _modifies_noun(want: Category) -> bool:
    """Whether a modifier stands before a noun, or beside what does."""
    return is_modifier_of_anything(want) and want is not APPOSITION and _bottom(want) is N


def _bottom(want: Category) -> Category:
    while want.is_functor:
        want = want.argument
    return want


def _is_adverb(node: Penn, want: Category) -> bool:
    if not is_modifier_of_anything(want) or want.argument is NP:
        return False
    words = list(node.words())
    most = 1 if want.argument in {s(""), vp("")} else 3  # `12 hours after`, `DNase I resistant`
    return len(words) <= most or bool(node.tags & ADVERBIAL)


def _is_adjective(_: Penn, want: Category) -> bool:
    if is_modifier_of_anything(want):
        return not (want.slash == "\\" and want.argument in {N, NP})
    return want.is_functor and clause_of(want) is not None


TESTS: dict[str, Callable[[Penn, Category], bool]] = {
    **dict.fromkeys(("VP", "S", "SINV", "SQ"), _is_clause),
    "RRC": _is_reduced,
    **dict.fromkeys(("SBAR", "SBARQ"), _is_subordinate),
    **dict.fromkeys(("NP", "NML", "NX", "NAC"), _is_noun_phrase),
    **dict.fromkeys(("PP", "WHPP"), _is_prepositional),
    "ADJP": _is_adjective,
}


def inside_brackets(node: Penn, want: Category) -> Category:
    """The category of what stands in brackets, where the whole has the category `want`."""
    own = natural(node)
    if want is right_of(NP) and own is s("qem"):
        return want  # ( which we saw )
    if own is NP and want.is_functor and want.argument is N:
        return N
    if own is NP and want.is_functor and _bottom(want) is N:
        return want.argument
    return own
