"""A lexicon learnt from a treebank: how often each word had which entry, and unary rules theirs.

Most categories have one entry that is right nearly always; `(S\\NP)/(S\\NP)` and a few others need
the word to tell an auxiliary from a verb of control.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from treewright.data.records import Derivation, Leaf
from treewright.grammar.category import Category, functor, parse
from treewright.grammar.defaults import default_entry, default_unary
from treewright.grammar.indices import indexed_unary_rules, is_indexed
from treewright.grammar.markup import Entry, Marked, read_entry

Key = tuple[str, ...]


class Lexicon:
    """Counts of entries for each category, with its part of speech, and with its word too."""

    def __init__(self) -> None:
        self.counts: defaultdict[Key, Counter[Entry]] = defaultdict(Counter)
        self.rules: defaultdict[Category, Counter[Marked]] = defaultdict(Counter)

    def learn(self, derivations: Iterable[Derivation]) -> "Lexicon":
        """Count what annotated derivations show; returns the lexicon itself."""
        for derivation in derivations:
            for leaf in derivation.leaves:
                self.add(leaf, read_entry(leaf.markup))
            if is_indexed(derivation):
                for rule in indexed_unary_rules(derivation):
                    self.rules[rule.category][rule] += 1
        return self

    def add(self, leaf: Leaf, entry: Entry) -> None:
        """Count one word with its entry."""
        for key in _keys(leaf.category, leaf.pos, leaf.word):
            self.counts[key][entry] += 1

    def entries(self, category: Category) -> list[Entry]:
        """The entries of a category, the frequent ones first; the default one where it has none."""
        found = self.counts.get((category.text,))
        return [entry for entry, _ in found.most_common()] if found else [default_entry(category)]

    def best(self, leaf: Leaf) -> Entry:
        """The most probable entry of a word, its part of speech and category given.

        Words decide where they were seen; the part of speech, then the category, where not.
        """
        for key in _keys(leaf.category, leaf.pos, leaf.word):
            if found := self.counts.get(key):
                return found.most_common(1)[0][0]
        return default_entry(parse(leaf.category))

    def closest(self, leaf: Leaf) -> Entry:
        """The entry that the leaf's annotation asks for, if it is known; else the best."""
        wanted = read_entry(leaf.markup)
        return wanted if wanted in self.entries(wanted.category) else self.best(leaf)

    def unary(self, child: Category, result: Category) -> Marked:
        """The most frequent markup of a unary rule."""
        found = self.rules.get(functor(result, "/", child))
        return found.most_common(1)[0][0] if found else default_unary(child, result)


def _keys(category: str, pos: str, word: str) -> list[Key]:
    return [(category, pos, word.lower()), (category, pos), (category,)]
