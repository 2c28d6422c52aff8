"""Dependencies by unification: head words are values of variables in a derivation.

An item is a constituent in a chart cell: a marked category, the head words of each variable
(several after coordination, none while the variable is free) and the open slots of variables. When
two items combine, the schema of their categories unifies variables; when a free variable is unified
with head words, its slots are filled, with one dependency per head.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treewright.data.records import Dependency, Derivation, Node, fold
from treewright.errors import GrammarError
from treewright.grammar.category import Category, parse
from treewright.grammar.markup import Entry, Marked
from treewright.grammar.rules import dialect, recognise
from treewright.grammar.schema import LEFT, RIGHT, Schema, schema, unary_schema

Words = tuple[int, ...]


class Waiting(NamedTuple):
    """An open slot of a word, and its variable."""

    functor: int
    slot: int
    variable: int


class Filled(NamedTuple):
    """A slot of a word, and the word that fills it."""

    functor: int
    slot: int
    argument: int


@dataclass(frozen=True, slots=True)
class Item:
    """A constituent, as needed for dependencies."""

    marked: Marked
    heads: tuple[Words, ...]
    waiting: tuple[Waiting, ...]


def lexical_item(word: int, entry: Entry) -> Item:
    """The item of a word: it heads its category, and all its slots are open."""
    heads = ((word,), *((),) * (entry.marked.variables - 1))
    variables = ((number, entry.marked.heads[node]) for number, node in entry.slots)
    waiting = tuple(Waiting(word, number, variable) for number, variable in variables if variable)
    return Item(entry.marked, heads, waiting)


def rule_item(rule: Marked) -> Item:
    """The item of a unary rule: a functor without a word, see `schema`."""
    return Item(rule, ((),) * rule.variables, ())


def apply(how: Schema, left: Item, right: Item) -> tuple[Item, list[Filled]]:
    """The item that results from two items, and the dependencies that this fills.

    No word is its own argument, although unification can produce this in odd coordinations.
    """
    heads: list[Words] = [()] * how.variables
    for side, item in (LEFT, left), (RIGHT, right):
        for variable, words in zip(how.maps[side], item.heads, strict=True):
            heads[variable] += words
    filled, waiting = [], []
    kept = how.result.variables
    for side, item in (LEFT, left), (RIGHT, right):
        for functor, slot, old in item.waiting:
            variable = how.maps[side][old]
            if heads[variable]:
                others = (word for word in heads[variable] if word != functor)
                filled += [Filled(functor, slot, word) for word in others]
            elif variable < kept:
                waiting.append(Waiting(functor, slot, variable))
    return Item(how.result, tuple(heads[:kept]), tuple(waiting)), filled


UnaryMarkup = Callable[[Category, Category], Marked]


def derive(
    derivation: Derivation, entries: Sequence[Entry], unary: UnaryMarkup
) -> list[Dependency]:
    """The dependencies of a derivation, given the lexical entry of each leaf.

    `unary(child, result)` returns the markup of a unary rule. Dependencies are ordered by argument,
    as in PARG files.
    """
    filled: set[Filled] = set()

    def combine(node: Node, children: list[Item]) -> Item:
        how, rule = node_schema(derivation, node, [child.marked for child in children], unary)
        item, new = apply(how, *((rule_item(rule), *children) if rule else children))
        filled.update(new)
        return item

    fold(derivation.root, lambda word, _: lexical_item(word, entries[word]), combine)
    categories = [entry.category.text for entry in entries]
    rows = [Dependency(f.functor, categories[f.functor], f.slot, f.argument) for f in filled]
    return sorted(rows, key=lambda d: (d.argument, d.functor, d.slot))


def node_schema(
    derivation: Derivation, node: Node, children: Sequence[Marked], unary: UnaryMarkup
) -> tuple[Schema, Marked | None]:
    """The schema of a node with marked children; a unary node also has its rule."""
    if len(children) == 1:
        rule = unary(children[0].category, parse(node.category))
        return unary_schema(rule, children[0]), rule
    step = recognise(node, dialect(derivation)) or recognise(node)
    if step is None:
        categories = " and ".join(child.category for child in node.children)
        fault = f"no rule makes {node.category} of {categories}"
        raise GrammarError(f"sentence {derivation.id}: {fault}")
    return schema(step, *children), None
