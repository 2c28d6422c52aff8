"""What a CCG treebank is like: lexicon, rules, growth; the figures that papers give for CCGbank.

After Hockenmaier and Steedman (2007), section 6: lexical categories in all and those that are
frequent, categories per word, rule instances, and how the lexicon grows with the treebank.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from treewright.data.records import Dependencies, Derivation, Node, preorder

FREQUENT = 10
STEPS = 10  # points of the growth curve


@dataclass(frozen=True)
class Statistics:
    """Counts over a treebank; `growth` has pairs of sentences and categories seen so far."""

    sentences: int
    words: int
    types: int
    categories: int
    frequent: int
    once: int
    per_word: float
    binary_rules: int
    unary_rules: int
    growth: tuple[tuple[int, int], ...]


def statistics(derivations: Iterable[Derivation]) -> Statistics:
    """The statistics of a treebank."""
    categories: Counter[str] = Counter()
    lexicon: defaultdict[str, set[str]] = defaultdict(set)
    tokens: Counter[str] = Counter()
    rules: tuple[set[tuple[str, ...]], set[tuple[str, ...]]] = set(), set()
    seen: list[int] = []
    for derivation in derivations:
        for leaf in derivation.leaves:
            categories[leaf.category] += 1
            lexicon[leaf.word].add(leaf.category)
            tokens[leaf.word] += 1
        for node in preorder(derivation.root):
            if isinstance(node, Node):
                children = tuple(child.category for child in node.children)
                rules[len(children) - 1].add((node.category, *children))
        seen.append(len(categories))
    words = tokens.total()
    expected = sum(count * len(lexicon[word]) for word, count in tokens.items())
    return Statistics(
        sentences=len(seen),
        words=words,
        types=len(tokens),
        categories=len(categories),
        frequent=sum(count >= FREQUENT for count in categories.values()),
        once=sum(count == 1 for count in categories.values()),
        per_word=expected / words if words else 0.0,
        binary_rules=len(rules[1]),
        unary_rules=len(rules[0]),
        growth=_growth(seen),
    )


def _growth(seen: list[int]) -> tuple[tuple[int, int], ...]:
    places = sorted({len(seen) * step // STEPS for step in range(1, STEPS + 1)} - {0})
    return tuple((place, seen[place - 1]) for place in places)


def long_range_share(sentences: Iterable[Dependencies]) -> float:
    """The share of dependencies that are marked as long-range."""
    rows = marked = 0
    for sentence in sentences:
        rows += len(sentence.rows)
        marked += len(sentence.marks)
    return marked / rows if rows else 0.0
