"""Adds head indices to a derivation, in the form that `indices` reads.

The variables of all leaves are followed through the derivation; variables that are unified share an
index, that of the first word that heads them. Leaves annotated in this way encode the dependencies
found by unification, so a file of them can be scored without a lexicon. (If a wrong entry unifies
heads that are not coordinated, which is rare, they share an index too.)
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count
from types import MappingProxyType

from treewright.data.records import Derivation, Leaf, Node, Tree, fold, preorder
from treewright.grammar.category import Category, parse, without_nb
from treewright.grammar.heads import UnaryMarkup, node_schema
from treewright.grammar.markup import Entry, Marked, render
from treewright.grammar.schema import Joined, Schema

Variables = list[int]


Schemas = Mapping[Node, Schema]
NONE: Schemas = MappingProxyType({})


def annotate(
    derivation: Derivation,
    entries: Sequence[Entry],
    unary: UnaryMarkup,
    schemas: Schemas = NONE,
) -> Derivation:
    """The derivation with head indices in its leaves, for the given lexical entries.

    `schemas` has the schemas of binary nodes whose rule is known; two rules can produce the same
    category.
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


def normalised(derivation: Derivation) -> Derivation:
    """The derivation with normalised categories: no `[nb]`, and one notation for `[conj]`."""

    def rebuild(node: Node, children: list[Tree]) -> Tree:
        category = without_nb(parse(node.category)).text
        return replace(node, category=category, children=tuple(children))

    nodes = (tree for tree in preorder(derivation.root) if isinstance(tree, Node))
    if all(without_nb(parse(node.category)).text == node.category for node in nodes):
        return derivation
    return replace(derivation, root=fold(derivation.root, lambda _, leaf: leaf, rebuild))


def _text_order(category: Category) -> list[int]:
    """The nodes of a category in the order of their heads in its text: parents last."""
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
) -> tuple[list[Variables], "_Heads"]:
    """The variables of each leaf, numbered through the sentence, and their unification."""
    heads = _Heads()
    own = [heads.new(entry.marked.variables) for entry in entries]

    def combine(node: Node, children: list[tuple[Marked, Variables]]) -> tuple[Marked, Variables]:
        if node in schemas:
            return schemas[node].result, heads.combine(schemas[node], [own for _, own in children])
        how, rule = node_schema(derivation, node, [marked for marked, _ in children], unary)
        sides = [heads.new(rule.variables)] if rule else []
        return how.result, heads.combine(how, sides + [variables for _, variables in children])

    fold(derivation.root, lambda word, _: (entries[word].marked, own[word]), combine)
    return own, heads


class _Heads(Joined):
    """Variables of a sentence, some of which are unified."""

    def combine(self, how: Schema, sides: list[Variables]) -> Variables:
        """Unifies variables by a schema and returns those of the result."""
        met: dict[int, int] = {}
        for numbers, variables in zip(how.maps, sides, strict=True):
            for number, variable in zip(numbers, variables, strict=True):
                root = self.find(variable)
                self.parent[root] = met.setdefault(number, root)
        # New variables of a change of category, such as the verb that a modifier modifies.
        return [
            met[number] if number in met else self.new(1)[0]
            for number in range(how.result.variables)
        ]
