"""A toy treebank and parser: phrase structures with attachment ambiguity, sampled from a grammar.

Small enough to read, rich enough to show what training for a metric does. Constituents are scored
as brackets; the symbols NBAR and VBAR are artefacts of binary rules and are not counted, so
derivations of one sentence differ in how many brackets they produce.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from treewright.arrays import Indices
from treewright.errors import ForestError
from treewright.forests import Chart, Example, FeatureMatrix, Grammar, chart

PHRASES = ("TOP", "S", "NP", "VP", "PP", "NBAR", "VBAR")
UNCOUNTED = {"TOP", "NBAR", "VBAR"}
LEXICON = {
    "DET": ("the", "a", "this", "every"),
    "NOUN": ("saw", "park", "telescope", "watch", "dog", "man", "hill", "fish", "garden"),
    "VERB": ("saw", "watch", "found", "fish", "wrote", "praised"),
    "ADJ": ("old", "small", "park", "green"),
    "PREP": ("of", "with", "in", "on"),
}
# parent -> alternatives with their weights
RULES = {
    "S": (("NP VP", 1.0),),
    "NP": (("DET NOUN", 5.0), ("DET NBAR", 2.0), ("NP PP", 2.0)),
    "NBAR": (("ADJ NOUN", 4.0), ("ADJ NBAR", 1.0)),
    "VP": (("VERB NP", 4.0), ("VBAR PP", 2.0), ("VP PP", 1.0)),
    "VBAR": (("VERB NP", 1.0),),
    "PP": (("PREP NP", 1.0),),
}
# The preference of each attachment site for prepositions.
PREPOSITIONS = {"NP": (8, 1, 3, 2), "VBAR": (1, 6, 2, 2), "VP": (1, 2, 4, 4)}
MOST_WORDS = 16
HASH_SPACE = 1 << 16


@dataclass(frozen=True)
class ToyTree:
    """A binary tree over words: a label, a span, and its children (none for a word)."""

    label: str
    begin: int
    end: int
    children: tuple["ToyTree", ...] = ()

    def bracketed(self, words: Sequence[str]) -> str:
        """Penn Treebank style."""
        inside = " ".join(child.bracketed(words) for child in self.children)
        return f"({self.label} {inside or words[self.begin]})"


@dataclass(frozen=True)
class Sentence:
    """Words with their tree."""

    words: tuple[str, ...]
    tree: ToyTree

    def __str__(self) -> str:
        return self.tree.bracketed(self.words)

    @cached_property
    def brackets(self) -> set[tuple[str, int, int]]:
        """The counted constituents."""
        brackets, agenda = set(), [self.tree]
        while agenda:
            tree = agenda.pop()
            agenda.extend(tree.children)
            if tree.children and tree.label not in UNCOUNTED:
                brackets.add((tree.label, tree.begin, tree.end))
        return brackets


def sample(sentences: int, seed: int) -> list[Sentence]:
    """Sentences drawn from the grammar, at most MOST_WORDS long, the same for a seed."""
    rng = np.random.default_rng(seed)
    drawn: list[Sentence] = []
    while len(drawn) < sentences:
        words: list[str] = []
        try:
            tree = _expand("S", words, rng, "")
        except OverflowError:
            continue
        drawn.append(Sentence(tuple(words), ToyTree("TOP", 0, len(words), (tree,))))
    return drawn


def _expand(label: str, words: list[str], rng: np.random.Generator, place: str) -> ToyTree:
    begin = len(words)
    if begin >= MOST_WORDS:
        raise OverflowError
    if label in LEXICON:
        choices = LEXICON[label]
        weights = np.array(PREPOSITIONS[place] if label == "PREP" else np.ones(len(choices)))
        words.append(str(rng.choice(choices, p=weights / weights.sum())))
        return ToyTree(label, begin, begin + 1)
    odds = np.array([weight for _, weight in RULES[label]])
    right, _ = RULES[label][rng.choice(len(odds), p=odds / odds.sum())]
    parts = right.split()
    # A PP's preposition depends on its attachment site: the first of its siblings.
    place = parts[0] if parts[-1] == "PP" else place
    children = tuple(_expand(part, words, rng, place) for part in parts)
    return ToyTree(label, begin, len(words), children)


class ToyParser:
    """Builds examples of the toy task: charts, counts against gold, hashed features."""

    def __init__(self) -> None:
        self.symbols = (*PHRASES, *LEXICON)
        number = {symbol: i for i, symbol in enumerate(self.symbols)}
        binary = [
            (number[parent], *(number[child] for child in right.split()))
            for parent, rights in RULES.items()
            for right, _ in rights
        ]
        self.grammar = Grammar.of(len(self.symbols), binary, [(number["TOP"], number["S"])])
        self.parents = [row[0] for row in binary] + [number["TOP"]]
        self.rule_of = {row: i for i, row in enumerate(binary)}
        self.number = number
        self.features = HASH_SPACE

    def chart(self, words: Sequence[str]) -> Chart:
        """All analyses of a sentence."""
        entries = [
            (i, self.number[tag])
            for i, word in enumerate(words)
            for tag, members in LEXICON.items()
            if word in members
        ]
        built = chart(self.grammar, len(words), entries, self.number["TOP"])
        if built is None:
            raise ForestError(f"no analysis: {' '.join(words)}")
        return built

    def example(self, sentence: Sentence) -> Example:
        """A sentence's forest with counts, features and its gold derivation."""
        built = self.chart(sentence.words)
        n, d, c = self._counts(built, sentence)
        forest = built.forest.with_counts(np.stack([n, d, c]), len(sentence.brackets))
        gold = forest.restrict(np.isin(forest.part, self._gold_parts(built, sentence)))
        return Example(forest, self.features_of(built, sentence.words), gold)

    def brackets(self, built: Chart, edges: Indices) -> set[tuple[str, int, int]]:
        """The counted constituents of a derivation."""
        rows = built.parts[built.forest.part[edges]]
        labels = ((self.symbols[self.parents[r]], b, e) for r, b, _, e in rows.tolist() if r >= 0)
        return {bracket for bracket in labels if bracket[0] not in UNCOUNTED}

    def tree(self, built: Chart, edges: Indices) -> ToyTree:
        """The tree of a derivation, whose edges come parents first."""
        trees: dict[int, ToyTree] = {}
        forest = built.forest
        for edge in reversed(edges.tolist()):
            node = int(forest.head[edge])
            begin, end, symbol = built.nodes[node].tolist()
            tails = (int(tail) for tail in (forest.left[edge], forest.right[edge]) if tail >= 0)
            children = tuple(trees[tail] for tail in tails)
            trees[node] = ToyTree(self.symbols[symbol], begin, end, children)
        return trees[forest.nodes - 1]

    def features_of(self, built: Chart, words: Sequence[str]) -> FeatureMatrix:
        """A rule alone, and with its first, last and middle word."""
        vocabulary = {word: i + 1 for i, word in enumerate(sorted(set().union(*LEXICON.values())))}
        ids = np.array([0, *(vocabulary[word] for word in words), 0])
        symbol = np.zeros(built.forest.parts, dtype=np.int64)
        symbol[built.forest.part] = built.nodes[built.forest.head, 2]
        rule, begin, split, end = built.parts.astype(np.int64).T
        kind = np.where(rule >= 0, rule, 100 + symbol)
        first, middle, last = ids[begin + 1], ids[split + 1], ids[end]
        none = np.zeros_like(kind)
        columns = [
            _hash(template, kind, a, b)
            for template, (a, b) in enumerate(
                [(none, none), (first, none), (middle, none), (last, none)]
            )
        ]
        table = np.stack(columns, axis=1)
        return FeatureMatrix.from_csr(np.arange(len(table) + 1) * len(columns), table.ravel())

    def _counts(self, built: Chart, sentence: Sentence) -> tuple[Indices, Indices, Indices]:
        """A bracket is due if its span is built, and correct with its label."""
        spans = {(begin, end) for _, begin, end in sentence.brackets}
        n, d, c = np.zeros((3, built.forest.parts), dtype=np.int32)
        for part, (rule, begin, _, end) in enumerate(built.parts.tolist()):
            label = self.symbols[self.parents[rule]] if rule >= 0 else "TOP"
            d[part] = label not in UNCOUNTED
            n[part] = d[part] and (label, begin, end) in sentence.brackets
            c[part] = rule >= 0 and label != "TOP" and (begin, end) in spans
        return n, d, c

    def _gold_parts(self, built: Chart, sentence: Sentence) -> list[int]:
        """The parts of the sentence's gold tree."""
        number = {tuple(row): part for part, row in enumerate(built.parts.tolist())}
        tags = {}
        for node, part in zip(built.forest.head, built.forest.part, strict=True):
            begin, _, symbol = built.nodes[node].tolist()
            if built.parts[part, 0] < 0:
                tags[begin, symbol] = int(part)
        parts, agenda = [], [sentence.tree]
        while agenda:
            tree = agenda.pop()
            agenda.extend(tree.children)
            if not tree.children:
                parts.append(tags[tree.begin, self.number[tree.label]])
            elif tree.label == "TOP":
                parts.append(number[len(self.rule_of), 0, -1, tree.end])
            else:
                row = tuple(self.number[t.label] for t in (tree, *tree.children))
                split = tree.children[0].end
                parts.append(number[self.rule_of[row], tree.begin, split, tree.end])
        return parts


def _hash(*columns: object) -> Indices:
    value = np.zeros(1, dtype=np.uint64)
    for column in columns:
        mixed = (value ^ np.asarray(column).astype(np.uint64)) + np.uint64(0x9E3779B97F4A7C15)
        value = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return (value >> np.uint64(48)).astype(np.int32)
