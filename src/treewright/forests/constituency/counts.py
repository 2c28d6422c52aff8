"""Counts of constituents on parts: n correct, d produced, c due (max-margin paper, eq. 8, 9).

Only original constituents count: artificial nodes and annotations do not, and a collapsed unary
chain counts all its nodes, so the sums over a derivation are the counts of the original tree. With
EVALB's rules, words with deleted tags have no width. Two brackets with the same label that only
differ by such words match the same gold bracket, which only a comparison of whole trees can detect:
n is exact for rules that delete no words and an upper bound otherwise; d is always exact.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from treewright.arrays import Integers, SmallCounts
from treewright.data.brackets import Bracketed
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import FIRST_SPAN_PART, WORD_PART, ConstGrammar
from treewright.grammar.binarise import chain_labels
from treewright.grammar.treebank import TOP, spans
from treewright.metrics.brackets import COLLINS, NEW, Rules

PLAIN = Rules(frozenset({TOP}), equal=MappingProxyType({}))
COUNTINGS = MappingProxyType({"plain": PLAIN, "collins": COLLINS, "new": NEW})
Place = tuple[int, int]


@dataclass(frozen=True, eq=False)
class PartCounts:
    """Counts of a chart's parts, int16 [3, parts], and the number of gold constituents."""

    counts: SmallCounts
    due: int


class ConstituentCounter:
    """Counts constituents on the parts of charts of one grammar.

    Args:
        grammar: the grammar of the charts.
        rules: the labels and words that count.
        binarised: count all nodes of the binarised tree under their full symbols, including
            artificial ones: the losses `(bin.)` of the paper.
    """

    def __init__(
        self, grammar: ConstGrammar, rules: Rules = PLAIN, binarised: bool = False
    ) -> None:
        self.grammar, self.rules, self.binarised = grammar, rules, binarised
        self.parents = np.append(grammar.rules.parents(), len(grammar.rules.symbols))
        tags = len(grammar.rules.tags)
        chains = [self.counted(symbol) for symbol in grammar.rules.labels]
        self.chains: list[tuple[str, ...]] = [()] * tags + chains + [()]
        self.sizes = np.array([len(chain) for chain in self.chains], dtype=np.int16)

    def counted(self, symbol: str) -> tuple[str, ...]:
        """The labels that a symbol counts as."""
        if self.binarised:
            return (symbol,)
        labels = (self.rules.label(label) for label in chain_labels(symbol))
        return tuple(label for label in labels if label)

    def due(self, tree: Bracketed, tags: Sequence[str]) -> dict[Place, Counter[str]]:
        """The labels of a binarised gold tree by span; spans are measured without deleted words."""
        place = self._places(tags)
        by_place: dict[Place, Counter[str]] = {}
        for begin, end, symbol in spans(tree):
            labels = self.counted(symbol)
            if labels and place[begin] < place[end]:
                by_place.setdefault((int(place[begin]), int(place[end])), Counter()).update(labels)
        return by_place

    def count(self, chart: Chart, gold: Bracketed, tags: Sequence[str]) -> PartCounts:
        """Counts of all parts against a binarised gold tree."""
        due, place = self.due(gold, tags), self._places(tags)
        rule, begin, _, end = chart.parts.T
        if (rule <= FIRST_SPAN_PART).any():
            symbol = np.where(rule <= FIRST_SPAN_PART, FIRST_SPAN_PART - rule, len(self.sizes) - 1)
        else:
            symbol = np.where(rule == WORD_PART, len(self.sizes) - 1, self.parents[rule])
        low, high = place[begin], place[end]
        d = np.where(low < high, self.sizes[symbol], 0).astype(np.int16)
        keys = low.astype(np.int64) << 16 | high
        wanted = np.array([a << 16 | b for a, b in due], dtype=np.int64)
        n, c = np.zeros_like(d), np.zeros_like(d)
        for part in np.flatnonzero(np.isin(keys, wanted) & (d > 0)).tolist():
            here = due[int(low[part]), int(high[part])]
            c[part] = here.total()
            n[part] = sum(
                min(number, here[label])
                for label, number in Counter(self.chains[symbol[part]]).items()
            )
        total = sum(here.total() for here in due.values())
        return PartCounts(np.stack((n, d, c)), total)

    def _places(self, tags: Sequence[str]) -> Integers:
        kept = [tag not in self.rules.deleted for tag in tags]
        return np.concatenate(([0], np.cumsum(kept)))
