r"""Markup for categories that no treebank or lexicon has marked up.

What the literature agrees on, read off the category alone:

    modifier      (NP{1}/NP{1}){0}                          what is modified stays the head
    determiner    (NP{1}/N{1}){0}                           the noun is the head
    verb          ((S{0}\NP{1}){0}/NP{2}){0}                 the word is the head
    control       (((S{0}\NP{1}){0}/(S{2}\NP{3}){2}){0}/NP{3}){0}    the nearest NP is the subject
    relative      ((NP{1}\NP{1}){0}/(S{2}\NP{1}){2}){0}       what is modified fills the gap

An auxiliary whose category is a modifier, `(S\NP)/(S\NP)`, falls under the first row.
"""

from collections.abc import Hashable
from functools import lru_cache
from itertools import count

from treewright.data.records import Leaf
from treewright.grammar.category import Category, functor, parse
from treewright.grammar.markup import Entry, Marked, entry, mark, read_entry

Names = list[Hashable]


@lru_cache(maxsize=1 << 14)
def default_entry(category: Category) -> Entry:
    """The entry of a category by the rules of this module."""
    return entry(mark(category, _Namer().word(category, "_")))


@lru_cache(maxsize=1 << 14)
def is_marked(leaf: Leaf) -> bool:
    """Whether a leaf has markup of its own, in any notation, besides its category."""
    return "{" in leaf.markup or "_" in leaf.markup


def leaf_entry(leaf: Leaf) -> Entry:
    """The entry that a leaf's markup writes, or the default one of its category."""
    return read_entry(leaf.markup) if is_marked(leaf) else default_entry(parse(leaf.category))


def default_unary(child: Category, result: Category) -> Marked:
    r"""A unary rule as a marked functor `result/child`: the child's head is the result's.

    Where a clause with a gap becomes a modifier, what it modifies fills the gap. Type-raising,
    `X -> T/(T\X)`, gives the result the head of what it will combine with.
    """
    namer = _Namer()
    if is_type_raised(child, result):
        goal = namer.part(result.result, namer.name())
        raised = ["_", *goal, goal[0], *goal, *namer.part(child, "_")]
        return mark(functor(result, "/", child), [None, *raised, *raised[-child.size :]])
    if _is_lifted(child, result):
        return _lifted(namer, child, result)
    names = namer.word(result, "_")
    gap = _filler(result, names) if _has_gap(child) else None
    return mark(functor(result, "/", child), [None, *names, *namer.part(child, "_", gap)])


def _is_lifted(child: Category, result: Category) -> bool:
    if child.slash is None or child.slash != result.slash or child.argument is not result.argument:
        return False
    return (child.result.base, result.result.base) == ("N", "NP")


def _lifted(namer: "_Namer", child: Category, result: Category) -> Marked:
    """The rule `N -> NP` inside functors, as `N/N -> NP/N` where a noun is shared."""
    inner, head = namer.name(), namer.name()
    argument = namer.part(child.argument, namer.name())
    names = [head, inner, *argument]
    return mark(functor(result, "/", child), [None, *names, *names])


def is_type_raised(child: Category, result: Category) -> bool:
    r"""Whether a category is `T/(T\X)` or `T\(T/X)`, X being the other."""
    inner = result.argument if result.is_functor else result
    return inner.is_functor and inner.result is result.result and inner.argument is child


def _has_gap(category: Category) -> bool:
    r"""Whether a category is a clause that lacks one noun phrase: `S\NP` or `S/NP`."""
    return category.is_functor and category.result.base == "S" and category.argument.base == "NP"


def _filler(category: Category, names: Names) -> Hashable:
    """Who fills the gap of a clause: a subject, what is modified, or the question word itself."""
    if _has_gap(category) or (category.is_modifier and _has_gap(category.argument)):
        return names[-1]
    if category.is_modifier:
        return names[1]
    return names[0] if category.feature in {"wq", "qem"} else None


class _Namer:
    """Gives out names of heads; the word itself is `_`."""

    def __init__(self) -> None:
        self.fresh = count()

    def name(self) -> Hashable:
        return next(self.fresh)

    def part(self, category: Category, head: Hashable, gap: Hashable = None) -> Names:
        """Names for something that the word takes: one head along its results."""
        if not category.is_functor:
            return [head]
        if category.is_modifier:
            inner = self.part(category.argument, self.name())
            return [head, *inner, *inner]
        filler = self.name() if gap is None else gap
        result = self.part(category.result, head)
        return [head, *result, *self.part(category.argument, filler)]

    def word(self, category: Category, head: Hashable, near: Hashable = None) -> Names:
        """Names for the category of a word; `near` is the last noun phrase that it took."""
        if not category.is_functor:
            return [head]
        modified = self.name()
        if category.is_modifier or (category.result.base, category.argument.base) == ("NP", "N"):
            return [head, *(2 * self.part(category.argument, modified))]
        result = self.word(category.result, head, modified if _is_np(category.argument) else near)
        gap = near if near is not None else _filler(category.result, result)
        missing = gap if _has_gap(category.argument) else None
        return [head, *result, *self.part(category.argument, modified, missing)]


def _is_np(category: Category) -> bool:
    return category.base in {"NP", "N"}
