"""Treebank grammars: the rules of binarised trees as integer tables with counts.

Symbols are numbered: first the tags, then the labels, both sorted. Rules are numbered: binary ones,
then labels over single tags, then possible roots, each group sorted.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.data.brackets import Bracketed, Phrase, Tagged, fold
from treewright.data.reshape import remove_traces, strip_tags
from treewright.errors import GrammarError
from treewright.grammar.binarise import label_of, symbol_of

TOP = "TOP"


class Span(NamedTuple):
    """A labelled node over the words `begin` to `end` (exclusive)."""

    begin: int
    end: int
    label: str


def prepare(tree: Bracketed) -> Bracketed | None:
    """Removes traces, function tags and the outermost bracket of a treebank's tree.

    Returns None if nothing is left. If the outermost bracket contains several trees, it becomes
    TOP.
    """
    kept = remove_traces(tree)
    if kept is None:
        return None
    match strip_tags(kept):
        case Phrase("" | "TOP", (only,)):
            return only
        case Phrase("", children):
            return Phrase(TOP, children)
        case bare:
            return bare


def enclose(tree: Bracketed) -> Bracketed:
    """The tree in an outermost bracket without a label, as in treebanks."""
    return Phrase("", tree.children if isinstance(tree, Phrase) and tree.label == TOP else (tree,))


def spans(tree: Bracketed) -> list[Span]:
    """All nodes above the tags, children first."""
    constituents: list[Span] = []
    position = 0

    def leaf(_: Tagged) -> tuple[int, int]:
        nonlocal position
        position += 1
        return position - 1, position

    def node(phrase: Phrase, below: list[tuple[int, int]]) -> tuple[int, int]:
        begin, end = below[0][0], below[-1][1]
        constituents.append(Span(begin, end, phrase.label))
        return begin, end

    fold(tree, leaf, node)
    return constituents


Rule = tuple[str, ...]  # a parent and its children; a root rule is (symbol,)
TAG = "\\t"  # marks tags in rules; in grammars, only those that are also labels


def rules_of(tree: Bracketed) -> Iterator[Rule]:
    """The rules of a binarised tree, with tags marked."""
    rules: list[Rule] = []

    def node(phrase: Phrase, below: list[str]) -> str:
        rules.append((phrase.label, *below))
        return phrase.label

    rules.append((fold(tree, lambda leaf: TAG + leaf.label, node),))
    return iter(rules)


def _unmarked(counted: Counter[Rule]) -> Counter[Rule]:
    """The rules with marks only on tags that are also labels."""
    labels = {rule[0] for rule in counted if len(rule) > 1}

    def name(symbol: str) -> str:
        plain = symbol.removeprefix(TAG)
        return symbol if plain in labels else plain

    return Counter({tuple(map(name, rule)): count for rule, count in counted.items()})


@dataclass(frozen=True, eq=False)
class TreebankRules:
    """A grammar: names of symbols, tables of rules, and the frequency of each rule.

    binary: int32 [rules, 3] parent, left, right; unary: [rules, 2] label, tag; root: [symbols].
    counts: int32 [all rules].
    """

    tags: tuple[str, ...]
    labels: tuple[str, ...]
    binary: Indices
    unary: Indices
    root: Indices
    counts: Indices

    @classmethod
    def of(cls, trees: Iterable[Bracketed], tags: Iterable[str] = ()) -> "TreebankRules":
        """The grammar of binarised trees; tags that occur in no tree can be added."""
        counted = _unmarked(Counter(rule for tree in trees for rule in rules_of(tree)))
        parents = {rule[0] for rule in counted if len(rule) > 1}
        children = {child for rule in counted for child in rule}
        more = {TAG * (tag in parents) + tag for tag in map(symbol_of, tags)}
        return cls.of_counts(tuple(sorted(children - parents | more)), counted)

    @classmethod
    def of_counts(cls, tags: Sequence[str], counted: Counter[Rule]) -> "TreebankRules":
        """The grammar of these rules."""
        parents = {rule[0] for rule in counted if len(rule) > 1}
        if clash := parents & set(tags):
            raise GrammarError(f"{min(clash)!r} is both a tag and a label")
        labels = tuple(sorted(parents))
        number = {name: place for place, name in enumerate((*tags, *labels))}
        tables, counts = [], []
        for size in (3, 2, 1):
            rows = sorted(
                (*(number[name] for name in r), c) for r, c in counted.items() if len(r) == size
            )
            table = np.array(rows, dtype=np.int32).reshape(-1, size + 1)
            tables.append(np.ascontiguousarray(table[:, :size]))
            counts.append(table[:, size])
        two, one, root = tables
        return cls(tuple(tags), labels, two, one, root.ravel(), np.concatenate(counts))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return (*self.tags, *self.labels)

    @cached_property
    def number(self) -> dict[str, int]:
        """The numbers of symbols by name."""
        return {name: place for place, name in enumerate(self.symbols)}

    @cached_property
    def tag_number(self) -> dict[str, int]:
        """The numbers of the treebank's tags by name."""
        names = (label_of(symbol.removeprefix(TAG)) for symbol in self.tags)
        return {name: place for place, name in enumerate(names)}

    @cached_property
    def frequent_tag(self) -> str:
        """The most frequent of the treebank's tags; the first one of several."""
        two, one = len(self.binary), len(self.unary)
        uses = (*self.binary[:, 1:].T, self.unary[:, 1], self.root)
        groups = np.split(self.counts, (two, two + one))
        weights = np.concatenate((groups[0], *groups))  # a binary rule has two children
        totals = np.bincount(np.concatenate(uses), weights, minlength=len(self.symbols))
        return list(self.tag_number)[int(totals[: len(self.tags)].argmax())]

    @property
    def size(self) -> int:
        """The number of rules."""
        return len(self.counts)

    def parents(self) -> Indices:
        """The parent of each rule; for root rules, the number of symbols."""
        top = np.full(len(self.root), len(self.symbols), dtype=np.int32)
        return np.concatenate((self.binary[:, 0], self.unary[:, 0], top))

    def log_probabilities(self) -> Floats:
        """Log relative frequencies of rules given their parents."""
        parents = self.parents()
        totals = np.bincount(parents, weights=self.counts)
        return np.asarray(np.log(self.counts / totals[parents]))

    def lines(self) -> str:
        """The grammar as text, one rule per line: count, parent, children."""
        names = (*self.symbols, TOP)
        rows = [*map(tuple, self.binary), *map(tuple, self.unary), *((s,) for s in self.root)]
        text = [f"tags\t{' '.join(self.tags)}"]
        for row, count in zip(rows, self.counts, strict=True):
            text.append("\t".join([str(count), *(names[place] for place in row)]))
        return "\n".join(text) + "\n"

    @classmethod
    def from_lines(cls, text: str) -> "TreebankRules":
        """Parses a grammar in the format of `lines`."""
        first, *rest = text.removesuffix("\n").split("\n")  # names can have other line separators
        try:
            head, _, tags = first.partition("\t")
            if head != "tags":
                raise ValueError("no tags")
            counted = Counter(
                {tuple(row[1:]): int(row[0]) for row in (line.split("\t") for line in rest)}
            )
            return cls.of_counts(tuple(tags.split(" ")), counted)
        except (ValueError, KeyError) as error:
            raise GrammarError(f"not a grammar: {error}") from error
