"""The check of a derivation: every step by a rule of the grammar, dependencies by unification.

What comes out is the derivation with the head child of every node, and its dependencies; both are
found by the machinery that reads treebanks, not by the conversion.
"""

from dataclasses import replace

from treewright.data.records import Dependencies, Dependency, Derivation, Leaf, Node, Tree, fold
from treewright.errors import GrammarError
from treewright.grammar.category import parse
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.heads import Filled, Item, apply, lexical_item, node_schema, rule_item
from treewright.grammar.longrange import long_range


def check(derivation: Derivation, words: list[str]) -> tuple[Derivation, Dependencies]:
    """The derivation with heads, and its dependencies; a GrammarError where a step has no rule."""
    found = [leaf.word for leaf in derivation.leaves]
    if found != words:
        raise GrammarError(f"sentence {derivation.id}: the words have changed")
    entries = [default_entry(parse(leaf.category)) for leaf in derivation.leaves]
    filled: set[Filled] = set()

    def word(place: int, leaf: Leaf) -> tuple[Tree, Item]:
        return leaf, lexical_item(place, entries[place])

    def node(tree: Node, below: list[tuple[Tree, Item]]) -> tuple[Tree, Item]:
        items = [item for _, item in below]
        how, rule = node_schema(derivation, tree, [i.marked for i in items], default_unary)
        item, new = apply(how, *((rule_item(rule), *items) if rule else items))
        filled.update(new)
        head = 0 if rule else how.head
        return replace(tree, children=tuple(made for made, _ in below), head=head), item

    root, _ = fold(derivation.root, word, node)
    categories = [leaf.category for leaf in derivation.leaves]
    rows = [Dependency(f.functor, categories[f.functor], f.slot, f.argument) for f in filled]
    rows.sort(key=lambda d: (d.argument, d.functor, d.slot))
    marks = long_range(derivation, entries, rows)
    named = dict(enumerate(words))
    return replace(derivation, root=root), Dependencies(
        derivation.id, len(words), tuple(rows), named, marks
    )
