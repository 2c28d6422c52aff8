"""Head indices for a derivation that has none: what `indices` reads, written.

Variables of all leaves are followed through the derivation; those that become one share an index,
that of the first word that heads them. Leaves annotated so spell out the dependencies that
unification finds, and the file that holds them can be scored without a lexicon. (Where a wrong
entry lets heads meet that are not coordinated, which is rare, they too share an index.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType

from treewright.data.records import Derivation, Leaf, Node, Tree, fold
from treewright.grammar.category import Category
from treewright.grammar.heads import UnaryMarkup, node_schema
from treewright.grammar.markup import Entry, Marked, render
from treewright.grammar.schema import Schema

Variables = list[int]


Schemas = Mapping[Node, Schema]
NONE: Schemas = MappingProxyType({})


def annotate(
    derivation: Derivation,
    entries: Sequence[Entry],
    unary: UnaryMarkup,
    schemas: Schemas = NONE,
) -> Derivation:
    """The derivation with head indices in its leaves, which have the given entries.

    `schemas` are those of binary nodes whose rule is known, for two rules may make one category.
    """
    own, heads = _follow(derivation, entries, unary, schemas)
    index = {heads.find(o[0]): i for i, o in reversed(list(enumerate(own, start=1)))}
    unfilled = count(len(own) + 1)
    markup = []
    for entry, variables in zip(entries, own, strict=True):
        roots = [heads.find(variables[head]) for head in entry.marked.heads]
        for node in _text_order(entry.category):
            if roots[node] not in index:
                index[roots[node]] = next(unfilled)
        markup.append(render(entry.category, [f"{{{index[root]}}}" for root in roots]))

    def write(word: int, leaf: Leaf) -> Tree:
        return replace(leaf, markup=markup[word])

    def rebuild(node: Node, children: list[Tree]) -> Tree:
        return replace(node, children=tuple(children))

    return replace(derivation, root=fold(derivation.root, write, rebuild))


def _text_order(category: Category) -> list[int]:
    """The nodes of a category in the order in which its text names their heads: parents last."""
    order: list[int] = []
    stack = [(category, 0, False)]
    while stack:
        here, node, ready = stack.pop()
        if ready or here.slash is None:
            order.append(node)
        else:
            argument = (here.argument, node + 1 + here.result.size, False)
            stack += [(here, node, True), argument, (here.result, node + 1, False)]
    return order


def _follow(
    derivation: Derivation, entries: Sequence[Entry], unary: UnaryMarkup, schemas: Schemas
) -> tuple[list[Variables], "_Joined"]:
    """The variables of each leaf, numbered through the sentence, and which of them became one."""
    heads = _Joined()
    own = [heads.new(entry.marked.variables) for entry in entries]

    def combine(node: Node, children: list[tuple[Marked, Variables]]) -> tuple[Marked, Variables]:
        if node in schemas:
            return schemas[node].result, heads.join(schemas[node], [own for _, own in children])
        how, rule = node_schema(derivation, node, [marked for marked, _ in children], unary)
        sides = [heads.new(rule.variables)] if rule else []
        return how.result, heads.join(how, sides + [variables for _, variables in children])

    fold(derivation.root, lambda word, _: (entries[word].marked, own[word]), combine)
    return own, heads


class _Joined:
    """Variables of a whole sentence, of which some have become one."""

    def __init__(self) -> None:
        self.parent: list[int] = []

    def new(self, variables: int) -> Variables:
        first = len(self.parent)
        self.parent += range(first, first + variables)
        return list(range(first, first + variables))

    def find(self, variable: int) -> int:
        while self.parent[variable] != variable:
            variable = self.parent[variable]
        return variable

    def join(self, how: Schema, sides: list[Variables]) -> Variables:
        """The variables of the result of a schema, those that met having become one."""
        met: dict[int, int] = {}
        for numbers, variables in zip(how.maps, sides, strict=True):
            for number, variable in zip(numbers, variables, strict=True):
                root = self.find(variable)
                self.parent[root] = met.setdefault(number, root)
        return [met[number] for number in range(how.result.variables)]
