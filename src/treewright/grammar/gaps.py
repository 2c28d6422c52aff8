r"""Clauses with gaps and the fillers of gaps: control, raising, relatives, questions.

A word that takes such a clause often takes the filler too: in `(S[dcl]\NP)/(S[to]\NP)` the
subject is shared. A gap for a subject, `S\NP`, is bounded; one to the right, `S/NP` or
`(S[to]\NP)/NP`, where something was extracted, is unbounded. CCGbank marks the two `:B` and `:U`.
"""

from collections.abc import Hashable, Sequence

from treewright.grammar.category import Category

Names = Sequence[Hashable]
Taken = tuple[Category, Hashable]  # an argument and the name of its head
BOUNDED, UNBOUNDED = "B", "U"
DUMMIES = {"expl", "thr"}  # expletive subjects
INFINITE = {"to", "ng"}  # clauses that are not relatives: of `raising`, how `to raise`
QUESTIONS = {"wq", "qem", "q"}


def gap_of(category: Category) -> str | None:
    """The kind of a clause's gap: BOUNDED, UNBOUNDED or None."""
    if category.slash is None or category.is_modifier or category.argument.base == "S":
        return None
    if category.result.base == "S":
        if category.slash == "\\":
            return BOUNDED if category.argument.base == "NP" else None
        return UNBOUNDED
    verb_phrase = category.slash == "/" and gap_of(category.result) == BOUNDED
    return UNBOUNDED if verb_phrase else None


def clause_feature(category: Category) -> str:
    r"""The feature of the clause in a category's result: `to` of `(S[to]\NP)/NP`."""
    return bottom(category).feature


def clause_base(category: Category) -> str:
    """The final result of a category without its feature: S, NP, N or PP."""
    return bottom(category).base


def bottom(category: Category) -> Category:
    """The final result of a category."""
    while category.is_functor:
        category = category.result
    return category


def filler(around: Category, names: Names, clause: Category, near: Taken | None) -> Hashable:
    r"""The name of the filler of a gap in a clause that a word takes, or None.

    around: the word's result after the clause, whose parts have `names`; near: the last noun phrase
    or adjective that the word took. In a cleft (`it is Ann who sings`) the relative clause,
    `NP\NP`, modifies that noun phrase.
    """
    if clause.is_modifier and near is not None and clause_base(around) == "S":
        return near[1] if near[0] is clause.argument and near[0].base == "NP" else None
    gap = gap_of(clause)
    if gap is None:
        return None
    if near is not None and _fits(clause.argument, near[0]):
        return near[1]
    if around.is_modifier:
        return _of_modifier(around, names, clause)
    if around.slash is None:
        return _of_atom(around, names, clause)
    return _of_verb(around, names, clause)


def _fits(gap: Category, near: Category) -> bool:
    return near is gap or (gap.base == "NP" and near.base in {"NP", "N"})


def _of_modifier(around: Category, names: Names, clause: Category) -> Hashable:
    """The modified phrase, if it is a noun with a relative clause; otherwise its subject."""
    modified = around.argument
    if modified.base in {"N", "NP"}:
        relative = gap_of(clause) == UNBOUNDED or clause_feature(clause) not in INFINITE
        return names[1] if relative else None
    if modified.base == "S" and not modified.is_functor and around.slash == "\\":
        return names[1] if clause_feature(clause) == "dcl" else None  # it rained, which helped
    bounded = gap_of(clause) == BOUNDED and gap_of(modified) == BOUNDED
    return names[-1] if bounded else None


def _of_atom(around: Category, names: Names, clause: Category) -> Hashable:
    """A question word or free relative fills the gap itself."""
    asks = around.feature in QUESTIONS or around.base == "NP"
    relative = gap_of(clause) == UNBOUNDED or clause_feature(clause) not in INFINITE
    return names[0] if asks and relative else None


def _of_verb(around: Category, names: Names, clause: Category) -> Hashable:
    """An object that the word takes later, or its subject."""
    subject: tuple[Category, Hashable] | None = None
    here, node = around, 0
    while here.slash is not None:
        argument = node + 1 + here.result.size
        if here.argument.base == "NP":
            subject = here.argument, names[argument]
            if here.slash == "/":
                break  # an object: makes (it) clear
        if here.argument.feature == "em" and _is_left_to(clause, around):
            return None  # made clear that: the clause that follows is clear
        here, node = here.result, node + 1
    if subject is None:
        return None
    dummy = subject[0].feature in DUMMIES and clause_feature(clause) in INFINITE
    return None if dummy and clause.argument.feature != subject[0].feature else subject[1]


def _is_left_to(clause: Category, around: Category) -> bool:
    """Whether an adjective's subject is the clause that follows it."""
    dummies = (argument.feature in DUMMIES for argument in around.arguments())
    return clause_feature(clause) == "adj" and not any(dummies)


def changed_filler(result: Category, names: Names, child: Category) -> Hashable:
    """The filler of the gap of a clause that a unary rule changes: the phrase it modifies."""
    if gap_of(child) is None or not result.is_modifier:
        return None
    if result.argument.base in {"N", "NP"}:
        return names[1]
    both = gap_of(child) == BOUNDED and gap_of(result.argument) == BOUNDED
    return names[-1] if both else None
