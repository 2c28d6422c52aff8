"""What a compiled grammar consists of: numbered categories, symbols, entries, relations, rules."""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from treewright.grammar.markup import Entry, Marked

Thing = TypeVar("Thing", bound=Hashable)
Pair = tuple[int, int]


class Numbering(Generic[Thing]):
    """Things and their numbers, in the order of their first appearance."""

    def __init__(self, things: Iterable[Thing] = ()) -> None:
        self.things: list[Thing] = []
        self.numbers: dict[Thing, int] = {}
        for thing in things:
            self.add(thing)

    def __len__(self) -> int:
        return len(self.things)

    def __getitem__(self, number: int) -> Thing:
        return self.things[number]

    def __iter__(self) -> Iterator[Thing]:
        return iter(self.things)

    def add(self, thing: Thing) -> int:
        """The number of a thing, a new one if it has none yet."""
        number = self.numbers.setdefault(thing, len(self.things))
        if number == len(self.things):
            self.things.append(thing)
        return number

    def get(self, thing: Thing) -> int:
        """The number of a thing, or -1."""
        return self.numbers.get(thing, -1)


@dataclass(frozen=True, slots=True)
class CompiledRule:
    """One schema as numbers: the columns of the core's table; `right` is -1 in a unary rule."""

    left: int
    right: int
    result: int
    number: int
    form: int
    head: int
    variables: int
    maps: tuple[tuple[int, ...], tuple[int, ...]]


@dataclass
class Tables:
    """What a compiled grammar consists of."""

    categories: Numbering[str] = field(default_factory=Numbering)
    symbols: Numbering[Marked] = field(default_factory=Numbering)
    entries: Numbering[Entry] = field(default_factory=Numbering)
    relations: Numbering[tuple[str, int]] = field(default_factory=Numbering)
    names: Numbering[tuple[str, str, str]] = field(default_factory=Numbering)
    pairs: dict[Pair, list[CompiledRule]] = field(default_factory=dict)
