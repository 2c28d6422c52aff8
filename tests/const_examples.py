"""Random constituency trees and small charts for tests."""

from random import Random

from treewright.data.brackets import Bracketed, Phrase, Tagged, tagged_words
from treewright.forests.constituency.chart import ConstGrammar
from treewright.grammar.binarise import Binariser, head_child
from treewright.grammar.treebank import TreebankRules

TAGS = ("DT", "NN", "VB", "IN", ",")
LABELS = ("S", "NP", "VP", "PP")
BINARISERS = (
    Binariser("right", 0, 1),
    Binariser("right", 1, 2),
    Binariser("left", 2, 3),
    Binariser("left", 0, 1),
    Binariser("right", None, 1),
    Binariser("head", 1, 2, head_child),
    Binariser("head", 0, 1, head_child),
)


def random_tree(random: Random, words: int) -> Phrase:
    """A random tree with unary chains, flat nodes and repeated labels."""
    tree = _subtree(random, words, 0)
    return tree if isinstance(tree, Phrase) else Phrase("S", (tree,))


def _subtree(random: Random, words: int, depth: int) -> Bracketed:
    if words == 1 and (depth > 3 or random.random() < 0.6):
        return Tagged(random.choice(TAGS), random.choice("abc"))
    if words == 1 or random.random() < 0.2:
        return Phrase(random.choice(LABELS), (_subtree(random, words, depth + 1),))
    sizes, rest = [], words
    while rest:
        sizes.append(random.randint(1, max(1, min(rest, words - 1))))
        rest -= sizes[-1]
    children = tuple(_subtree(random, size, depth + 1) for size in sizes)
    return Phrase(random.choice(LABELS), children)


def words_and_tags(tree: Bracketed) -> tuple[list[str], list[str]]:
    leaves = list(tagged_words(tree))
    return [leaf.word for leaf in leaves], [leaf.label for leaf in leaves]


def grammar_of(trees: list[Bracketed], binariser: Binariser) -> ConstGrammar:
    return ConstGrammar(TreebankRules.of((binariser.binarise(tree) for tree in trees), TAGS))


def all_candidates(grammar: ConstGrammar, words: int) -> list[tuple[int, int, int]]:
    """All labels over all spans."""
    first, size = len(grammar.rules.tags), len(grammar.rules.symbols)
    return [
        (begin, end, symbol)
        for begin in range(words)
        for end in range(begin + 1, words + 1)
        for symbol in range(first, size)
    ]
