"""What every part of the sampler does: draw by weight, make leaves, join neighbours by rule."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from treewright.data.records import Leaf, Node, Tree
from treewright.grammar.category import parse
from treewright.grammar.notation import parse_annotated
from treewright.minibank.tables import Tables

Thing = TypeVar("Thing")
FLATTEN = 2.0  # added to ranks in Zipf's law, so that the first word does not swallow the rest
VOWELS = tuple("aeiouAEIOU")


@dataclass(frozen=True, slots=True)
class Nominal:
    """A noun phrase with what verbs ask about it: its class and its agreement."""

    tree: Tree
    kind: str
    agreement: str


class Draw:
    """The source of chance and the tables, with the steps that all derivations are made of."""

    def __init__(self, tables: Tables, random: Random) -> None:
        self.tables = tables
        self.random = random

    def zipf(self, things: Sequence[Thing]) -> Thing:
        """One of several, the weight falling with the rank."""
        weights = [1 / (rank + FLATTEN) for rank in range(len(things))]
        return self.random.choices(things, weights)[0]

    def any(self, things: Sequence[Thing]) -> Thing:
        """One of several, all alike; what stands twice is twice as likely."""
        return things[self.random.randrange(len(things))]

    def happens(self, probability: float) -> bool:
        return self.random.random() < probability

    def option(self, table: str, allowed: Mapping[str, bool]) -> str:
        """An option of a table of weights; those that `allowed` denies are left out."""
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
        """The constituent that two neighbours make, by the first rule of the grammar that can."""
        steps = self.tables.rules.combine(parse(left.category), parse(right.category))
        if not steps:
            raise ValueError(f"no rule joins {left.category} and {right.category}")
        return Node(steps[0].result.text, (left, right))

    def join_all(self, first: Tree, *others: Tree) -> Tree:
        """Neighbours joined from left to right."""
        for other in others:
            first = self.join(first, other)
        return first

    def change(self, child: Tree, result: str) -> Node:
        """A constituent changed by a unary rule of the grammar."""
        if parse(result) not in self.tables.rules.change(parse(child.category)):
            raise ValueError(f"no unary rule makes {result} of {child.category}")
        return Node(result, (child,))

    def raised(self, phrase: Tree) -> Node:
        """A subject, type-raised."""
        return self.change(phrase, r"S/(S\NP)")

    def article(self, word: str, following: str) -> str:
        """A determiner as it is spelled before a word."""
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
