"""Scores of CCG charts with a network's scores of functor-argument pairs.

The score of a dependency is log p(argument | functor, slot) - log p(none | functor, slot). Three
other scores can be added: those of rules (`scores.neural.rules`), those of features, trained
separately, and those of dependency trees. In a dependency tree, functor and argument are usually
connected: one is the head of the other (an adverb and its verb), or the argument is the head of the
functor's head (a preposition and the verb that its noun depends on).
"""

from collections.abc import Callable, Sequence

import numpy as np

from treewright.arrays import Floats
from treewright.forests.ccg.chart import CcgChart
from treewright.scores.ccg.scorer import CcgScorer, ChartScorer, EncodedWords
from treewright.scores.neural.network import TrainedNetwork, log_softmax
from treewright.scores.neural.rules import RuleScorer

Words = tuple[str, ...]
Encoded = tuple[Words, EncodedWords | None]
ArcProbabilities = Callable[[Words], Floats]  # of arcs, [words + 1, words + 1], head by word
FLOOR, USUAL = 0.03, 0.3  # added to probabilities of connections; the probability with score 0


class SlotScorer(ChartScorer):
    """A network's head over functors, slots and arguments.

    Args:
        network: a network with that head.
        head: its name; its labels are the slots, from 1.
        weight: weight of the network's scores.
        features: a log-linear model, or None.
        feature_weight: weight of its scores.
        arcs: probabilities of arcs in a dependency tree, or None.
        arc_weight: weight of their scores.
        rules: the network's scores of rules, or None.
        rule_weight: their weight.
    """

    def __init__(
        self,
        network: TrainedNetwork,
        head: str,
        weight: float = 1.0,
        features: CcgScorer | None = None,
        feature_weight: float = 1.0,
        arcs: ArcProbabilities | None = None,
        arc_weight: float = 0.0,
        rules: RuleScorer | None = None,
        rule_weight: float = 0.0,
    ) -> None:
        self.network, self.head, self.weight = network, head, weight
        self.features, self.feature_weight = features, feature_weight
        self.arcs, self.arc_weight = arcs, arc_weight
        self.rules, self.rule_weight = rules, rule_weight
        self.uses_spans = (features is not None and features.uses_spans) or (
            rules is not None and rule_weight != 0
        )

    def encode(self, words: Sequence[str], pos: Sequence[str]) -> Encoded:
        """Encodes the words for the network and for features."""
        return tuple(words), self.features.encode(words, pos) if self.features else None

    def scores(self, chart: CcgChart, words: Encoded, tagger_weight: float = 0.0) -> Floats:
        """The scores of the parts, including the supertagger's weighted log p(entry | word)."""
        plain, encoded = words
        worth = self.weight * self.worth(chart, plain)
        if self.arcs is not None and self.arc_weight:
            worth += self.arc_weight * arc_worth(chart, self.arcs(plain))
        found = part_sums(chart, worth)
        if self.rules is not None and self.rule_weight:
            found = found + self.rule_weight * self.rules.scores(chart, plain)
        if self.features is not None and encoded is not None:
            found = found + self.feature_weight * self.features.scores(chart, encoded)
        return self.with_tagger(chart, found, tagger_weight)

    def worth(self, chart: CcgChart, words: Words) -> Floats:
        """The score of each of the chart's distinct dependencies."""
        (table,) = self.network.tables(self.head, [words], pairs=True)
        logs = log_softmax(table.transpose(0, 2, 1)).astype(np.float64)
        functor, relation, argument = chart.dependencies[0].T
        relations = chart.grammar.tables.relations
        slots = np.array([relations[number][1] for number in relation.tolist()], np.int64) - 1
        slot = np.minimum(slots, logs.shape[1] - 1)
        found: Floats = logs[functor + 1, slot, argument + 1] - logs[functor + 1, slot, 0]
        return found


def arc_worth(chart: CcgChart, arcs: Floats) -> Floats:
    """The score of each of the chart's distinct dependencies by the probabilities of arcs."""
    # link(f, a) = p(a -> f) + p(f -> a) + sum_n p(a -> n) p(n -> f)
    link = np.minimum(arcs + arcs.T + (arcs @ arcs).T, 1.0)
    functor, _, argument = chart.dependencies[0].T
    found: Floats = np.log((link[functor + 1, argument + 1] + FLOOR) / (USUAL + FLOOR))
    return found


def part_sums(chart: CcgChart, worth: Floats) -> Floats:
    """The sum of the scores of the dependencies that each part fills: float64 [parts]."""
    first, number = chart.filled
    row = chart.dependencies[1]
    sums = np.concatenate(([0.0], np.cumsum(worth[row[number]])))
    found: Floats = sums[first[1:]] - sums[first[:-1]]
    return found
