r"""Head variables and slots: who heads each part of a category, and which parts are arguments.

    wants   ((S{0}\NP{1}){0}/(S{2}\NP{1}){2}){0}    slots 1 and 2: control, the subject is shared
    has     ((S{1}\NP{2}){1}/(S{1}\NP{2}){1}){0}    slot 2 only: an auxiliary, the verb is the head

A marked category lists the variable of every node in preorder, numbered from 0 in the order of
appearance, so that equal patterns are equal tuples; marked categories are interned. A lexical entry
adds the slots. One category may have several entries.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from treewright.grammar.category import Category
from treewright.grammar.notation import Annotated, parse_annotated


@dataclass(frozen=True, slots=True, eq=False)
class Marked:
    """A category and the head variable of each of its nodes, in preorder.

    Created by `mark` only.
    """

    category: Category
    heads: tuple[int, ...]

    @property
    def variables(self) -> int:
        return max(self.heads) + 1

    def __str__(self) -> str:
        return render(self.category, [f"{{{head}}}" for head in self.heads])


_marked: dict[tuple[Category, tuple[int, ...]], Marked] = {}


def mark(category: Category, names: Sequence[Hashable]) -> Marked:
    """The category with named heads of its nodes; None is a new variable."""
    numbers: dict[Hashable, int] = {}
    unnamed = object()
    keys = [(unnamed, i) if name is None else name for i, name in enumerate(names)]
    heads = tuple(numbers.setdefault(key, len(numbers)) for key in keys)
    if len(heads) != category.size:
        raise ValueError(f"{len(heads)} heads for the {category.size} nodes of {category}")
    key = category, heads
    if key not in _marked:
        _marked[key] = Marked(*key)
    return _marked[key]


def render(category: Category, suffixes: Sequence[str]) -> str:
    """The category with a suffix after each node, fully bracketed at functors."""
    parts: list[str] = []
    stack: list[Category | str] = [category]
    left = iter(suffixes)
    while stack:
        here = stack.pop()
        if isinstance(here, str):
            parts.append(here)
        elif here.slash is None:
            parts.append(here.text + next(left))
        else:
            parts.append("(")
            stack += [")" + next(left), here.argument, here.slash, here.result]
    return "".join(parts)


class Slot(NamedTuple):
    """An argument of a word: its number, from 1, and its node in the category."""

    number: int
    node: int


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """A lexical entry: a marked category and the slots of its words.

    Interned: created by `entry` and `read_entry` only.
    """

    marked: Marked
    slots: tuple[Slot, ...]

    @property
    def category(self) -> Category:
        return self.marked.category

    def __str__(self) -> str:
        marks = [f"{{{head}}}" for head in self.marked.heads]
        for number, node in self.slots:
            marks[node] += f"<{number}>"
        return render(self.category, marks)


@lru_cache(maxsize=1 << 14)
def entry(marked: Marked) -> Entry:
    r"""The entry whose slots are the category's arguments, innermost first.

    In a modifier `X/X` or `X\X` with one head for both, the arguments inside `X` belong to the
    modified phrase, not to the modifier.
    """
    slots = []
    here, position = marked.category, 0
    while here.slash is not None:
        result, argument = position + 1, position + 1 + here.result.size
        slots.append(Slot(here.arity, argument))
        if here.is_modifier and marked.heads[result] == marked.heads[argument]:
            break
        here, position = here.result, result
    return _intern(marked, slots[::-1])


_entries: dict[tuple[Marked, tuple[Slot, ...]], Entry] = {}


def _intern(marked: Marked, slots: list[Slot]) -> Entry:
    key = marked, tuple(slots)
    if key not in _entries:
        _entries[key] = Entry(*key)
    return _entries[key]


@lru_cache(maxsize=1 << 16)  # treebanks repeat a few thousand entries
def read_entry(text: str) -> Entry:
    """Parses an annotated category in any notation."""
    annotated = parse_annotated(text)
    marked = mark(annotated.category, _with_heads(annotated))
    slots = [Slot(number, node) for node, number in enumerate(annotated.slots) if number]
    return _intern(marked, sorted(slots)) if slots else entry(marked)


def _with_heads(annotated: Annotated) -> list[Hashable]:
    r"""The names of all heads; missing ones are the word, or that of the functor around.

    CCGbank's leaves name only some heads: `N_7/N_7` and the `S` of `(S\NP_1)/NP_2` are the word's.
    """
    names: list[Hashable] = list(annotated.names)
    names[0] = names[0] or "_"
    for node, part in enumerate(annotated.category.nodes()):
        if part.is_functor and names[node + 1] is None:
            names[node + 1] = names[node]
    return names
