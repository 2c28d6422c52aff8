"""Pruning of charts with the posteriors of a span model."""

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Indices
from treewright.data.brackets import Bracketed, Phrase, Tagged
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import ConstGrammar, Layout
from treewright.scores.constituency.spans import WORD, SpanModel
from treewright.scores.constituency.templates import Tokens

WIDENING, MOST_WIDENINGS = 0.03, 3  # lower thresholds if a chart has no tree


class Pruner:
    """Selects candidate constituents for the charts of one grammar."""

    def __init__(self, grammar: ConstGrammar, model: SpanModel, threshold: float) -> None:
        self.grammar, self.model, self.threshold = grammar, model, threshold
        members: list[list[int]] = [[] for _ in model.classes.names]
        tags = len(grammar.rules.tags)
        for number, symbol in enumerate(grammar.rules.labels, start=tags):
            members[model.classes.of_symbol(symbol)].append(number)
        sizes = [len(each) for each in members]
        self._first = np.concatenate(([0], np.cumsum(sizes)))
        self._member = np.array([each for one in members for each in one], dtype=np.int32)

    def candidates(self, tokens: Tokens, threshold: float | None = None) -> Indices:
        """Rows (begin, end, symbol) of the classes whose posterior reaches the threshold."""
        limit = self.threshold if threshold is None else threshold
        rows, _ = self.model.candidates(tokens, limit)
        low = self._first[rows[:, 2]]
        size = self._first[rows[:, 2] + 1] - low
        row = np.repeat(np.arange(len(rows)), size)
        within = np.arange(len(row)) - np.repeat(np.cumsum(size) - size, size)
        spans = rows[row]
        spans[:, 2] = self._member[low[row] + within]
        return spans

    def chart(
        self, tokens: Tokens, tags: Indices, layout: Layout, more: Indices | None = None
    ) -> Chart | None:
        """The chart of the candidates; if it has no tree, lower thresholds are tried.

        more: additional candidates, as rows (begin, end, symbol).
        """
        threshold = self.threshold
        for _ in range(MOST_WIDENINGS + 1):
            rows = self.candidates(tokens, threshold)
            if more is not None:
                rows = np.unique(np.concatenate((rows, more)), axis=0)
            chart = self.grammar.chart(tags, rows, layout)
            if chart is not None:
                return chart
            threshold *= WIDENING
        return None

    def fallback(self, tokens: Tokens, words: Sequence[str], tags: Sequence[str]) -> Bracketed:
        """The span model's own best tree, for sentences that the grammar cannot derive."""
        done: list[Bracketed] = []
        names = self.model.classes.names
        for begin, end, number in reversed(self.model.best(tokens).tolist()):
            if end - begin == 1:
                leaf = Tagged(tags[begin], words[begin])
                label = self._label(number)
                done.append(leaf if names[number] == WORD else Phrase(label, (leaf,)))
            else:
                done.append(Phrase(self._label(number), (done.pop(), done.pop())))
        return done[0]

    def _label(self, number: int) -> str:
        """The first symbol of a class."""
        low, high = self._first[number : number + 2]
        return self.grammar.rules.symbols[self._member[low]] if low < high else "X"
