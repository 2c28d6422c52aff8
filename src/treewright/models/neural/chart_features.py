"""Scores of a log-linear constituency parser, which a neural parser adds to its own.

The trees are those of the log-linear parser's grammar. A chart has the constituents that its span
model keeps, and those that the network finds likely. Each of them also gets the network's score of
its labelled span, so that the score of a tree is exactly the sum of both models' scores. Artificial
nodes of binarisation have no score by the network.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Indices
from treewright.data.records import Sentence
from treewright.errors import ConfigError
from treewright.forests.labelled_spans import span_forest
from treewright.grammar.binarise import chain_labels, is_artificial
from treewright.inference import exact
from treewright.models.constituency.analysis import Scored
from treewright.models.constituency.decode import symbols_of
from treewright.models.constituency.parser import ConstParser, PrunedParser
from treewright.models.neural.members import CHAIN, usable
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable, packed_table

SILENT = -1  # the column of what the network does not score
LIKELY = 1e-3  # least posterior by the network of constituents that are added to charts


class ChartFeatures:
    """The charts of a log-linear parser, for the labels of a network.

    Args:
        parser: a parser with pruned charts; its tagger is not used.
        labels: the network's labels: chains of labels, joined as in `members.CHAIN`.
    """

    def __init__(self, parser: ConstParser, labels: Sequence[str]) -> None:
        if not isinstance(parser, PrunedParser):
            raise ConfigError("features of charts need a log-linear parser: model = rich, rules")
        self.parser, self.counter = parser, parser.counter
        number = {label: i for i, label in enumerate(labels)}
        self._symbols: list[list[int]] = [[] for _ in range(len(labels) + 1)]
        rules = parser.grammar.rules
        columns = [SILENT] * (len(rules.symbols) + 1)
        for symbol, name in enumerate(rules.labels, start=len(rules.tags)):
            if not is_artificial(name):
                columns[symbol] = number.get(CHAIN.join(chain_labels(name)), len(labels))
                self._symbols[columns[symbol]].append(symbol)
        self._column = np.array(columns)

    @classmethod
    def from_bundle(cls, bundle: Bundle, labels: Sequence[str]) -> "ChartFeatures":
        return cls(ConstParser.from_bundle(bundle), labels)

    def bundle(self) -> Bundle:
        """The parser without its tagger."""
        return replace(self.parser.bundle(), parts={})

    def scored(
        self, sentence: Sentence, table: NDArray[np.floating], weight: float
    ) -> Scored | None:
        """The chart of a tagged sentence with the sums of both scores; None if it has no tree.

        Args:
            sentence: words with tags.
            table: the network's scores, [words + 1, words + 1, labels]. Labels that the network
                does not have get the lowest score of their span.
            weight: weight of the log-linear scores.
        """
        found = self.parser.scored(sentence, self.likely(len(sentence.tokens), table))
        if found is None:
            return None
        chart, scores = found
        symbol, begin, end = symbols_of(chart, self.counter)
        column = self._column[symbol]
        labelled = np.flatnonzero(column != SILENT)
        places = begin[labelled], end[labelled]
        rows = table[places].astype(np.float64)
        rows = np.concatenate((rows, rows.min(axis=1, keepdims=True)), axis=1)
        total = weight * scores
        total[labelled] += rows[np.arange(len(rows)), column[labelled]]
        return chart, total

    def likely(self, words: int, table: NDArray[np.floating]) -> Indices:
        """The constituents with a posterior by the network: rows (begin, end, symbol)."""
        made = span_forest(words, len(self._symbols) - 1)
        posteriors = exact.marginals(made.forest, made.scores(table)).parts[:-1]
        rows = [
            (made.begin[part], made.end[part], symbol)
            for part in np.flatnonzero(posteriors >= LIKELY).tolist()
            for symbol in self._symbols[made.label[part]]
        ]
        return np.array(rows, np.int32).reshape(-1, 3)


def log_linear_charts(directory: Path, pruned: float) -> PrunedParser:
    """A trained parser with pruned charts.

    pruned: the smallest weights are removed, up to this fraction of the sum of squares.
    """
    bundle = usable(directory, lambda parser: ChartFeatures(parser, ()))
    if "keys" in bundle.arrays and pruned:
        bundle = replace(bundle, arrays=packed_table(dict(bundle.arrays), FeatureTable(), pruned))
    return PrunedParser.from_bundle(bundle)
