r"""The combinatory rules of CCG, each under its book name: two categories in, the result or None.

After Steedman, *The Syntactic Process* (2000), chapters 3 and 4; coordination and absorption of
punctuation as in CCGbank (Hockenmaier and Steedman 2007) and in treebanks without `[conj]`.
Letters are the books': a functor `X/Y` or `X\Y` takes a `Y`; `Z` is what `Y` still seeks.

CCGbank has additional rules, outside the combinators (Hockenmaier and Steedman 2005, 2007). A
grammar only has those that occur in its treebank or are listed in its file.

    , NP -> (S\NP)\(S\NP)          a phrase changes its category beside punctuation
    NP , -> S/S
    conj PP -> (S[adj]\NP)[conj]   conjuncts of different categories: the first one's counts
    S[dcl] X[conj] -> S[dcl]       gapping: X, such as S\((S\NP)/NP), lacks its verb
"""

from collections.abc import Collection

from treewright.grammar.category import Category, Slash, conjunct, functor, substitute, unify
from treewright.grammar.gaps import clause_base

CONJUNCTION = "conj"


def forward_application(left: Category, right: Category) -> Category | None:
    """`X/Y Y -> X`."""
    return _compose(left, right, "/", 0) if left.slash == "/" else None


def backward_application(left: Category, right: Category) -> Category | None:
    r"""`Y X\Y -> X`."""
    return _compose(right, left, "\\", 0) if right.slash == "\\" else None


def forward_composition(left: Category, right: Category, order: int = 1) -> Category | None:
    """`X/Y Y/Z -> X/Z`; with order n, `X/Y (Y/Z)|..|Zn -> (X/Z)|..|Zn`."""
    return _compose(left, right, "/", order) if _inner_slash(right, order) == "/" else None


def forward_crossed_composition(left: Category, right: Category, order: int = 1) -> Category | None:
    r"""`X/Y Y\Z -> X\Z`; with order n, `X/Y (Y\Z)|..|Zn -> (X\Z)|..|Zn`."""
    return _compose(left, right, "/", order) if _inner_slash(right, order) == "\\" else None


def backward_composition(left: Category, right: Category, order: int = 1) -> Category | None:
    r"""`Y\Z X\Y -> X\Z`; with order n, `(Y\Z)|..|Zn X\Y -> (X\Z)|..|Zn`."""
    return _compose(right, left, "\\", order) if _inner_slash(left, order) == "\\" else None


def backward_crossed_composition(
    left: Category, right: Category, order: int = 1
) -> Category | None:
    r"""`Y/Z X\Y -> X/Z`; with order n, `(Y/Z)|..|Zn X\Y -> (X/Z)|..|Zn`."""
    return _compose(right, left, "\\", order) if _inner_slash(left, order) == "/" else None


def forward_substitution(left: Category, right: Category) -> Category | None:
    """`(X/Y)/Z Y/Z -> X/Z`."""
    return _substitute(left, right, "/", "/")


def forward_crossed_substitution(left: Category, right: Category) -> Category | None:
    r"""`(X/Y)\Z Y\Z -> X\Z`."""
    return _substitute(left, right, "/", "\\")


def backward_substitution(left: Category, right: Category) -> Category | None:
    r"""`Y\Z (X\Y)\Z -> X\Z`."""
    return _substitute(right, left, "\\", "\\")


def backward_crossed_substitution(left: Category, right: Category) -> Category | None:
    r"""`Y/Z (X\Y)/Z -> X/Z`."""
    return _substitute(right, left, "\\", "/")


def marked_conjunction(left: Category, right: Category) -> Category | None:
    """`conj X -> X[conj]`, as in CCGbank, where a comma may stand for the conjunction."""
    return None if right.conj or left.is_functor else conjunct(right)


def marked_coordination(left: Category, right: Category) -> Category | None:
    """`X X[conj] -> X`, as in CCGbank."""
    return left if right.conj and unify(left, right.plain) is not None else None


def plain_conjunction(left: Category, right: Category) -> Category | None:
    """`conj X -> X`."""
    return right if left.text == CONJUNCTION else None


def plain_coordination(left: Category, right: Category) -> Category | None:
    """`X X -> X`."""
    return left if left is right else None


def left_absorption(left: Category, right: Category) -> Category | None:
    """`, X -> X`; the grammar determines which categories are punctuation."""
    return None if left.is_functor else right


def right_absorption(left: Category, right: Category) -> Category | None:
    """`X . -> X`."""
    return None if right.is_functor else left


def disordered_application(left: Category, right: Category) -> Category | None:
    r"""`Y X/Y -> X` and `X\Y Y -> X`: a slash that points the wrong way, as in gapping."""
    if right.slash == "/" and unify(right.argument, left) is not None:
        return _compose(right, left, "/", 0)
    return _compose(left, right, "\\", 0) if left.slash == "\\" else None


def _inner_slash(category: Category, order: int) -> Slash | None:
    """The slash of the innermost of the outer `order` arguments."""
    for _ in range(order - 1):
        if category.slash is None:
            return None
        category = category.result
    return category.slash if order else None


def _compose(primary: Category, other: Category, slash: Slash, order: int) -> Category | None:
    if primary.slash != slash or primary.conj or other.conj:
        return None
    inner, outer = other, []
    for _ in range(order):
        if inner.slash is None:
            return None
        outer.append((inner.slash, inner.argument))
        inner = inner.result
    values = unify(primary.argument, inner)
    if values is None:
        return None
    result = _result(primary, inner, values)
    for direction, argument in reversed(outer):
        result = functor(result, direction, substitute(argument, values))
    return result


def _result(primary: Category, taken: Category, values: dict[str, str]) -> Category:
    r"""The result of a functor.

    Modifiers `X|X`, raised categories `T|(T|X)` and clusters of them, `T|((T|X)|Z)`, pass on the
    category of their argument: `S\NP` has no feature in them, and takes that of the verb.
    """
    here, given = primary.argument, taken
    while here is not primary.result:
        if not here.is_functor:
            return substitute(primary.result, values)
        here, given = here.result, given.result
    return given


def _substitute(primary: Category, other: Category, y: Slash, z: Slash) -> Category | None:
    if primary.slash != z or other.slash != z or primary.result.slash != y:
        return None
    values = unify(functor(primary.result.argument, z, primary.argument), other)
    if values is None or primary.conj or other.conj:
        return None
    result = _result(primary.result, other.result, values)
    return functor(result, z, substitute(primary.argument, values))


TYPE_CHANGE, GAPPING = "tc", "gap"


def outside(
    left: Category, right: Category, result: Category, small: Collection[str]
) -> str | None:
    """The kind of the rule that yields the result, or None.

    `small`: conjunctions and punctuation.
    """
    if changing(left, right, small) is not None and _is_new_role(result):
        return TYPE_CHANGE
    return GAPPING if right.conj and result is left and _lacks_verb(right.plain) else None


def changing(left: Category, right: Category, small: Collection[str]) -> int | None:
    """The side whose category changes next to a small category: 0, 1, or None."""
    if left.text in small:
        return None if right.text in small else 1
    return 0 if right.text in small else None


def _is_new_role(result: Category) -> bool:
    """Whether a phrase becomes a modifier or a conjunct."""
    return result.conj or result.is_modifier


def _lacks_verb(category: Category) -> bool:
    r"""Whether a category is `S\X`, where X is a verb's category."""
    if category.slash != "\\" or not category.argument.is_functor:
        return False
    return clause_base(category) == "S"
