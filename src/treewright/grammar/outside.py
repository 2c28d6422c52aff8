r"""Rules outside the combinators, as CCGbank has them (Hockenmaier and Steedman 2005, 2007).

    , NP -> (S\NP)\(S\NP)          a phrase changes its category beside punctuation
    NP , -> S/S
    conj PP -> (S[adj]\NP)[conj]   conjuncts of different categories: the first one's counts
    S[dcl] X[conj] -> S[dcl]       gapping: X, such as S\((S\NP)/NP), lacks its verb

A grammar has such rules only where its treebank shows them or its file lists them.
"""

from collections.abc import Collection

from treewright.grammar.category import Category
from treewright.grammar.gaps import clause_base

TYPE_CHANGE, GAPPING = "tc", "gap"


def outside(
    left: Category, right: Category, result: Category, small: Collection[str]
) -> str | None:
    """The kind of the rule that makes the result, or None; `small` are conjunction and marks."""
    if changing(left, right, small) is not None and _is_new_role(result):
        return TYPE_CHANGE
    return GAPPING if right.conj and result is left and _lacks_verb(right.plain) else None


def changing(left: Category, right: Category, small: Collection[str]) -> int | None:
    """The side whose category changes, the other one being small: 0, 1, or None."""
    if left.text in small:
        return None if right.text in small else 1
    return 0 if right.text in small else None


def _is_new_role(result: Category) -> bool:
    """Whether a phrase that changes becomes a modifier or a conjunct."""
    return result.conj or result.is_modifier


def _lacks_verb(category: Category) -> bool:
    r"""Whether a category is `S\X`, X being a verb's."""
    if category.slash != "\\" or not category.argument.is_functor:
        return False
    return clause_base(category) == "S"
