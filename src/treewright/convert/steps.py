r"""Steps of a derivation: two trees in, one out, by a rule that the grammar has.

A gap is an argument that stands elsewhere: below its filler every category X on the path to the
trace becomes `X/G`. The head then composes where it would have applied, and what stands between it
and the edge is type-raised: `[who] I/S/(S\NP) [met (S\NP)/NP]` makes `S/NP`.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from treewright.convert.penn import Penn
from treewright.convert.symbols import backward, forward, modifier
from treewright.data.records import Leaf, Node, Tree
from treewright.errors import TreewrightError
from treewright.grammar.category import Category, parse
from treewright.grammar.rules import RuleSet

RULES = RuleSet()  # everything that combinators can do


class ConversionError(TreewrightError):
    """A tree that cannot be converted; `cause` is what reports count."""

    def __init__(self, cause: str, detail: str = "") -> None:
        super().__init__(f"{cause}: {detail}" if detail else cause)
        self.cause = cause


@dataclass(frozen=True)
class Gap:
    """An argument that is missing where its traces are."""

    category: Category
    traces: tuple[Penn, ...]

    def inside(self, node: Penn) -> bool:
        return any(node.holds(trace) for trace in self.traces)

    def at(self, node: Penn) -> bool:
        return any(node is trace for trace in self.traces)


def leaf(node: Penn, category: Category) -> Leaf:
    """A word with its lexical category."""
    return Leaf(category.text, node.word, node.label, node.label)


def category_of(tree: Tree) -> Category:
    """The category at the root of a derivation."""
    return parse(tree.category)


def change(tree: Tree, category: Category) -> Tree:
    """A unary rule, unless the category is there already."""
    return tree if tree.category == category.text else Node(category.text, (tree,))


def combine(left: Tree, right: Tree, wanted: Category | None = None) -> Tree:
    """Two trees under the category that a rule makes of them, the wanted one where it is given."""
    steps = RULES.combine(category_of(left), category_of(right))
    for step in steps:
        if wanted is None or step.result is wanted:
            return Node(step.result.text, (left, right))
    goal = wanted.text if wanted else "anything"
    raise ConversionError("no rule", f"{left.category} and {right.category} do not make {goal}")


def raised(tree: Tree, result: Category, side: str) -> Tree:
    r"""An argument type-raised over a category: `X/(X\A)` to the left, `X\(X/A)` to the right."""
    goal, own = modifier(result), category_of(tree)
    if side == "left":
        return change(tree, forward(goal, backward(goal, own)))
    return change(tree, backward(goal, forward(goal, own)))


def with_gap(category: Category, gap: Gap | None) -> Category:
    """The category of something that has the gap inside."""
    return forward(category, gap.category) if gap else category


def live(children: Iterable[Penn], gap: Gap | None) -> list[Penn]:
    """The children that count: words, phrases, and the traces of the gap."""
    return [c for c in children if not c.trace or (gap is not None and gap.at(c))]
