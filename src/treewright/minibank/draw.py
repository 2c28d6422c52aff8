"""Basic steps of the sampler: weighted choices, leaves, and combination of neighbours."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from treewright.data.records import Leaf, Node, Tree
from treewright.grammar.category import parse
from treewright.grammar.notation import parse_annotated
from treewright.minibank.tables import Tables

Thing = TypeVar("Thing")
FLATTEN = 2.0  # added to ranks in Zipf's law, so that the first word is not too frequent
VOWELS = tuple("aeiouAEIOU")


@dataclass(frozen=True, slots=True)
class Nominal:
    """A noun phrase with the properties that verbs select: its class and its agreement."""

    tree: Tree
    kind: str
    agreement: str


class Draw:
    """The random generator and the tables, with the basic steps of all derivations."""

    def __init__(self, tables: Tables, random: Random) -> None:
        self.tables = tables
        self.random = random

    def zipf(self, things: Sequence[Thing]) -> Thing:
        """A random item, with weights that decrease with rank."""
        weights = [1 / (rank + FLATTEN) for rank in range(len(things))]
        return self.random.choices(things, weights)[0]

    def any(self, things: Sequence[Thing]) -> Thing:
        """A random item; duplicates increase the probability."""
        return things[self.random.randrange(len(things))]

    def happens(self, probability: float) -> bool:
        return self.random.random() < probability

    def option(self, table: str, allowed: Mapping[str, bool]) -> str:
        """A random option of a table of weights, among those that are allowed."""
        weights = self.tables.weights[table]
        names = [name for name in weights if allowed.get(name, True)]
        return self.random.choices(names, [weights[name] for name in names])[0]

    def leaf(self, entry: str, word: str, pos: str, f: str = "", g: str = "") -> Leaf:
        """A word with an entry or a frame, whose open features are `f` and `g`."""
        markup = self.tables.entries.get(entry) or self.tables.frames[entry]
        return make_leaf(markup.replace("[f]", f"[{f}]").replace("[g]", f"[{g}]"), word, pos)

    def verb_leaf(self, frame: str, word: str, pos: str, f: str) -> Leaf:
        return make_leaf(self.tables.frames[frame].replace("[f]", f"[{f}]"), word, pos)

    def join(self, left: Tree, right: Tree) -> Node:
        """Combines two neighbours by the first matching rule of the grammar."""
        steps = self.tables.rules.combine(parse(left.category), parse(right.category))
        if not steps:
            raise ValueError(f"no rule joins {left.category} and {right.category}")
        return Node(steps[0].result.text, (left, right))

    def join_all(self, first: Tree, *others: Tree) -> Tree:
        """Combines neighbours from left to right."""
        for other in others:
            first = self.join(first, other)
        return first

    def change(self, child: Tree, result: str) -> Node:
        """Applies a unary rule of the grammar."""
        if parse(result) not in self.tables.rules.change(parse(child.category)):
            raise ValueError(f"no unary rule makes {result} of {child.category}")
        return Node(result, (child,))

    def raised(self, phrase: Tree) -> Node:
        """A subject, type-raised."""
        return self.change(phrase, r"S/(S\NP)")

    def article(self, word: str, following: str) -> str:
        """The form of a determiner before a word."""
        vowel = following.startswith(VOWELS) and following not in self.tables.list(
            "usage", "consonantal"
        )
        return "an" if word == "a" and vowel else word

    def conjoin(self, left: Tree, right: Tree, word: str = "and", *, comma: bool = False) -> Node:
        """Two conjuncts, perhaps with a comma before the conjunction."""
        conjunct = self.join(self.leaf("conjunction", word, "CC"), right)
        first = self.join(left, self.leaf("comma", ",", ",")) if comma else left
        return self.join(first, conjunct)


def make_leaf(markup: str, word: str, pos: str) -> Leaf:
    """A leaf whose category is that of its markup."""
    return Leaf(parse_annotated(markup).category.text, word, pos, pos, markup)
