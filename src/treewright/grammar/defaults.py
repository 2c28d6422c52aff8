r"""Markup for categories that no treebank or lexicon has marked up.

What the literature agrees on, read off the category alone:

    modifier      (NP{1}/NP{1}){0}                          what is modified stays the head
    determiner    (NP{1}/N{1}){0}                           the noun is the head
    verb          ((S{0}\NP{1}){0}/NP{2}){0}                 the word is the head
    control       (((S{0}\NP{1}){0}/(S{2}\NP{3}){2}){0}/NP{3}){0}    the nearest NP is the subject
    relative      ((NP{1}\NP{1}){0}/(S{2}\NP{1}){2}){0}       what is modified fills the gap
    cleft         (((S{0}\NP{1}){0}/(NP{2}\NP{2}){3}){0}/NP{2}){0}   a clause about the noun
    reporting     ((S[dcl]{0}\S[dcl]{1}){0}\NP{2}){0}        a verb, not a modifier

Who fills which gap is told in `treewright.grammar.gaps`.
An auxiliary whose category is a modifier, `(S\NP)/(S\NP)`, falls under the first row.
"""

from collections.abc import Hashable
from functools import lru_cache
from itertools import count

from treewright.data.records import Derivation, Leaf
from treewright.grammar.category import Category, functor, parse
from treewright.grammar.gaps import Taken, changed_filler, clause_base, clause_feature, filler
from treewright.grammar.markup import Entry, Marked, entry, mark, read_entry

Names = list[Hashable]


@lru_cache(maxsize=1 << 14)
def default_entry(category: Category) -> Entry:
    """The default entry of a category."""
    return entry(mark(category, _Namer().word(category, "_")))


@lru_cache(maxsize=1 << 14)
def is_marked(leaf: Leaf) -> bool:
    """Whether a leaf has markup, in any notation, besides its category."""
    return "{" in leaf.markup or "_" in leaf.markup


def leaf_entry(leaf: Leaf) -> Entry:
    """The entry of a leaf's markup, or the default one of its category."""
    return read_entry(leaf.markup) if is_marked(leaf) else default_entry(parse(leaf.category))


def check_entries(derivation: Derivation) -> None:
    """Raises a ValueError for the first word without a well-formed category or markup."""
    for leaf in derivation.leaves:
        try:
            leaf_entry(leaf)
        except ValueError as error:
            raise ValueError(f"word {leaf.word!r:.80}: {error}") from error


def default_unary(child: Category, result: Category) -> Marked:
    r"""A unary rule as a marked functor `result/child`: the child's head is the result's.

    If a clause with a gap becomes a modifier, the modified phrase fills the gap. Type-raising, `X
    -> T/(T\X)`, gives the result the head of its future functor.
    """
    namer = _Namer()
    if is_type_raised(child, result):
        goal = namer.part(result.result, namer.name())
        raised = ["_", *goal, goal[0], *goal, *namer.part(child, "_")]
        return mark(functor(result, "/", child), [None, *raised, *raised[-child.size :]])
    if _is_lifted(child, result):
        return _lifted(namer, child, result)
    names = namer.word(result, "_")
    if _is_parenthetical(child, result):
        return mark(functor(result, "/", child), [None, *names, "_", "_", names[1]])
    gap = changed_filler(result, names, child)
    return mark(functor(result, "/", child), [None, *names, *namer.part(child, "_", gap)])


def _is_parenthetical(child: Category, result: Category) -> bool:
    """Whether a clause such as `he said`, `S[dcl]/S[dcl]`, becomes a modifier: it takes that."""
    if not (child.is_modifier and result.is_modifier) or child.argument.is_functor:
        return False
    return (child.argument.base, child.argument.feature, clause_base(result)) == ("S", "dcl", "S")


def _is_lifted(child: Category, result: Category) -> bool:
    if child.slash is None or child.slash != result.slash or child.argument is not result.argument:
        return False
    return (child.result.base, result.result.base) == ("N", "NP")


def _lifted(namer: "_Namer", child: Category, result: Category) -> Marked:
    """The rule `N -> NP` inside functors, such as `N/N -> NP/N`."""
    inner, head = namer.name(), namer.name()
    argument = namer.part(child.argument, namer.name())
    names = [head, inner, *argument]
    return mark(functor(result, "/", child), [None, *names, *names])


def is_type_raised(child: Category, result: Category) -> bool:
    r"""Whether a category is `T/(T\X)` or `T\(T/X)`, where X is the given category."""
    inner = result.argument if result.is_functor else result
    return inner.is_functor and inner.result is result.result and inner.argument is child


class _Namer:
    """Generates names of heads; the word itself is `_`."""

    def __init__(self) -> None:
        self.fresh = count()

    def name(self) -> Hashable:
        return next(self.fresh)

    def part(self, category: Category, head: Hashable, gap: Hashable = None) -> Names:
        """Names for an argument of the word: one head along its results."""
        if not category.is_functor:
            return [head]
        if category.is_modifier:
            cleft = gap is not None and category.slash == "\\"
            inner = self.part(category.argument, gap if cleft else self.name())
            return [head, *inner, *inner]
        filler = self.name() if gap is None else gap
        result = self.part(category.result, head)
        return [head, *result, *self.part(category.argument, filler)]

    def word(self, category: Category, head: Hashable, near: Taken | None = None) -> Names:
        """Names for the category of a word; `near` is the last noun phrase that it took."""
        if not category.is_functor:
            return [head]
        taken = self.name()
        if category.is_modifier or (category.result.base, category.argument.base) == ("NP", "N"):
            return [head, *(2 * self.part(category.argument, taken))]
        if _reports(category):
            names = [head, head, *self.part(category.result.argument, self.name())]
            return [head, *names, *self.part(category.argument, taken)]
        own = (category.argument, taken) if _may_fill(category.argument) else near
        result = self.word(category.result, head, own)
        if is_pied_piper(category):
            return [head, *result, *self._piped(category, result, taken)]
        gap = filler(category.result, result, category.argument, near)
        return [head, *result, *self.part(category.argument, taken, gap)]

    def _piped(self, category: Category, result: Names, head: Hashable) -> Names:
        r"""`which` in `in which`: the noun modified by the relative clause, `NP\NP`.

        The preposition modifies the clause that follows.
        """
        whole, preposition = category.result, category.argument
        noun = result[2] if whole.result.is_modifier else result[0]
        names = self.part(preposition, head, noun)
        if preposition.result.is_modifier and clause_base(preposition.result) == "S":
            inner = self.part(preposition.result.argument, result[whole.result.size + 1])
            names[2 : 2 + 2 * len(inner)] = 2 * inner
        return names


def is_pied_piper(category: Category) -> bool:
    r"""Whether a category is `(X/S[dcl])\(P/NP)`, which takes a preposition and its clause."""
    whole, preposition = category.result, category.argument
    if category.slash != "\\" or not (whole.is_functor and preposition.is_functor):
        return False
    takes_clause = whole.slash == "/" and clause_base(whole.argument) == "S"
    return takes_clause and preposition.slash == "/" and preposition.argument.base == "NP"


def _reports(category: Category) -> bool:
    r"""Whether a word is a verb that follows its clause, as in `(S[dcl]\S[dcl])\NP`.

    Only if it takes a subject too: `S[dcl]\S[dcl]` alone is a modifier.
    """
    reported = category.result
    if not reported.is_modifier or category.argument.base != "NP":
        return False
    return reported.argument.base == "S" and reported.argument.feature not in {"", "adj"}


def _may_fill(category: Category) -> bool:
    """Whether an argument can fill the gap of another: noun phrases and adjectives."""
    return category.base in {"NP", "N"} or clause_feature(category) == "adj"
