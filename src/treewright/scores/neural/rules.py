"""Scores of the rules of CCG charts: a network's labels of spans.

The score of a binary rule is log p(result | span) - log p(none | span), and that of a unary rule is
log p(rule | span) - log p(none | span), from a distribution of its own. As none has the score 0 in
the network's table, both are entries of the table.
"""

import numpy as np

from treewright.arrays import Floats
from treewright.errors import ForestError, StoreError
from treewright.forests.ccg.chart import CcgChart
from treewright.forests.ccg.rules import RuleLabels
from treewright.scores.neural.network import TrainedNetwork


class RuleScorer:
    """A network's head over spans.

    Args:
        network: a network with that head.
        head: its name; its labels are those of `forests.ccg.rules`.
    """

    def __init__(self, network: TrainedNetwork, head: str) -> None:
        self.network, self.head = network, head
        try:
            self.labels = RuleLabels(network.labels[head])
        except ForestError as error:
            raise StoreError(f"a network's head {head!r}: {error}") from error

    def scores(self, chart: CcgChart, words: tuple[str, ...]) -> Floats:
        """The scores of a chart's parts: float64 [parts], 0 for those that are no rules."""
        (table,) = self.network.tables(self.head, [words], pairs=True)
        rules = self.labels.parts(chart)
        found = np.zeros(len(chart.parts))
        found[rules.part] = table[rules.begin, rules.end, rules.label]
        return found
