r"""The categories that the conversion speaks of, and how it makes others of them.

`vp("dcl")` is `S[dcl]\NP`. What modifies it has no feature, since it modifies clauses of all kinds:
`left_of(modifier(vp("dcl")))` is `(S\NP)/(S\NP)`, an adverb before its verb phrase.
"""

from functools import lru_cache

from treewright.grammar.category import Category, atom, functor

N, NP, PP = atom("N"), atom("NP"), atom("PP")
NP_NB = atom("NP", "nb")
NUMBER = atom("N", "num")
EXPLETIVE, THERE = atom("NP", "expl"), atom("NP", "thr")
NOMINAL = N, NP
KEPT = {"adj", "asup"}  # features that modifiers keep, as in (S[adj]\NP)/(S[adj]\NP)


def s(feature: str) -> Category:
    """A clause: `S[dcl]`."""
    return atom("S", feature)


@lru_cache
def vp(feature: str, subject: Category = NP) -> Category:
    r"""A clause without its subject: `S[dcl]\NP`."""
    return functor(s(feature), "\\", subject)


def forward(result: Category, argument: Category) -> Category:
    """What seeks an argument to its right."""
    return functor(result, "/", argument)


def backward(result: Category, argument: Category) -> Category:
    """What seeks an argument to its left."""
    return functor(result, "\\", argument)


def left_of(category: Category) -> Category:
    """A modifier before what it modifies."""
    return forward(category, category)


def right_of(category: Category) -> Category:
    """A modifier after what it modifies."""
    return backward(category, category)


@lru_cache(maxsize=1 << 12)
def modifier(category: Category) -> Category:
    """What a modifier of this category modifies: the same without the features of S and NP."""
    if not category.is_functor:
        return category if category.feature in KEPT else atom(category.base)
    result, argument = modifier(category.result), modifier(category.argument)
    return functor(result, category.slash or "/", argument)


def modified(category: Category, side: str) -> Category:
    """What a modifier on a side modifies; after an adjective it is a predicate of any kind."""
    target = modifier(category)
    if side == "right" and target is vp("adj"):
        return vp("")
    return target


@lru_cache(maxsize=1 << 12)
def clause_of(category: Category) -> Category | None:
    r"""The clause at the bottom of a verb's category: `S[dcl]` of `(S[dcl]\NP)/NP`."""
    while category.is_functor:
        category = category.result
    return category if category.base == "S" else None


def is_modifier_of_anything(category: Category) -> bool:
    r"""Whether a category is `X/X` or `X\X`, whatever X is."""
    return category.is_functor and category.is_modifier
