r"""A lexicon learnt from a treebank: entries of categories, and the choice of a word's entry.

Most categories have one entry that is nearly always correct. `(S\NP)/(S\NP)` and a few others
have several; the choice depends on the word (`can`, `wants`), or on the next word (`is going`, `is
glad`).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from treewright.data.records import Derivation, Leaf
from treewright.grammar.annotate import annotate
from treewright.grammar.category import Category, functor, parse
from treewright.grammar.defaults import default_entry, default_unary, is_marked, leaf_entry
from treewright.grammar.indices import indexed_unary_rules, is_indexed
from treewright.grammar.markup import Entry, Marked

Context = tuple[str, ...]
NOVELTY = 2.0  # weight of each entry seen in a context as evidence for unseen ones


class Lexicon:
    """Entries by category, counted in increasingly narrow contexts, and markup of unary rules.

    Categories without counts have the entries of `supplied` (a markedup file), or the default one.
    """

    def __init__(self, supplied: Mapping[Category, Sequence[Entry]] | None = None) -> None:
        self.supplied = supplied or {}
        self.counts: defaultdict[Context, Counter[Entry]] = defaultdict(Counter)
        self.rules: defaultdict[Category, Counter[Marked]] = defaultdict(Counter)

    def learn(self, derivations: Iterable[Derivation]) -> "Lexicon":
        """Counts the entries in annotated derivations; returns the lexicon itself."""
        for derivation in derivations:
            leaves = derivation.leaves
            for leaf, contexts in zip(leaves, _contexts(leaves), strict=True):
                entry = leaf_entry(leaf)
                for context in contexts:
                    self.counts[context][entry] += 1
            if is_indexed(derivation):
                for rule in indexed_unary_rules(derivation):
                    self.rules[rule.category][rule] += 1
        return self

    def entries(self, category: Category) -> list[Entry]:
        """The entries of a category, most frequent first; at least one."""
        if known := self.counts.get((category.text,)):
            return [entry for entry, _ in known.most_common()]
        return list(self.supplied.get(category) or [default_entry(category)])

    def choose(self, leaves: Sequence[Leaf]) -> list[Entry]:
        """The most probable entry of each word, given words, POS tags and categories."""
        pairs = zip(leaves, _contexts(leaves), strict=True)
        return [self._choose(parse(leaf.category), contexts) for leaf, contexts in pairs]

    def indexed(self, derivation: Derivation) -> Derivation:
        """The derivation with head indices, by its own markup or the most probable entries."""
        if is_indexed(derivation):
            return derivation
        pairs = zip(derivation.leaves, self.choose(derivation.leaves), strict=True)
        entries = [leaf_entry(leaf) if is_marked(leaf) else likeliest for leaf, likeliest in pairs]
        return annotate(derivation, entries, self.unary)

    def closest(self, leaves: Sequence[Leaf]) -> list[Entry]:
        """The entries of the leaves' annotation; the most probable ones if it is unknown."""
        wanted = (leaf_entry(leaf) for leaf in leaves)
        pairs = zip(wanted, self.choose(leaves), strict=True)
        return [w if w in self.entries(w.category) else likeliest for w, likeliest in pairs]

    def unary(self, child: Category, result: Category) -> Marked:
        """The most frequent markup of a unary rule."""
        known = self.rules.get(functor(result, "/", child))
        return known.most_common(1)[0][0] if known else default_unary(child, result)

    def _choose(self, category: Category, contexts: list[Context]) -> Entry:
        """Interpolates from the widest context to the narrowest (Witten and Bell)."""
        entries = self.entries(category)
        if len(entries) == 1:
            return entries[0]
        scores = dict.fromkeys(entries, 0.0)
        for context in contexts:
            if counts := self.counts.get(context):
                scale = 1 / (counts.total() + NOVELTY * len(counts))
                rest = NOVELTY * len(counts) * scale
                scores = {entry: rest * scores[entry] + scale * counts[entry] for entry in entries}
        return max(entries, key=lambda entry: scores[entry])


def _contexts(leaves: Sequence[Leaf]) -> Iterator[list[Context]]:
    """The contexts of each word, from its category alone to ever more context."""
    tags = [leaf.pos for leaf in leaves] + ["", ""]
    for i, leaf in enumerate(leaves):
        category, pos, word = leaf.category, leaf.pos, leaf.word.lower()
        after, later = tags[i + 1], tags[i + 2]
        yield [
            (category,),
            (category, pos),
            (category, pos, word),
            (category, pos, "", after),
            (category, pos, word, after),
            (category, pos, word, after, later),
        ]
