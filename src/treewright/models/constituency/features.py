"""The features of a constituency parser's parts: of spans and splits, or their rule alone."""

import numpy as np

from treewright.arrays import Floats
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import ConstGrammar, Layout
from treewright.forests.features import FeatureMatrix
from treewright.scores.constituency.encoder import Tokens
from treewright.scores.constituency.features import ConstFeatures


class Featuriser:
    """Features and scores of parts, for either model."""

    def __init__(self, grammar: ConstGrammar, rich: ConstFeatures | None) -> None:
        self.rich, self.rules = rich, grammar.rules.size

    @property
    def layout(self) -> Layout:
        """Of the charts that it has features for."""
        return "rules" if self.rich is None else "spans"

    def __len__(self) -> int:
        return self.rules if self.rich is None else len(self.rich)

    def matrix(self, tokens: Tokens, chart: Chart) -> FeatureMatrix:
        """The parts' features: their rule alone in a weighted grammar."""
        if self.rich is not None:
            return self.rich.matrix(tokens, chart)
        rule = chart.parts[:, 0]
        first = np.concatenate(([0], np.cumsum(rule >= 0))).astype(np.int32)
        return FeatureMatrix.from_csr(first, rule[rule >= 0])

    def scores(self, tokens: Tokens, chart: Chart, weights: Floats) -> Floats:
        """The parts' scores."""
        if self.rich is not None:
            return self.rich.scores(tokens, chart, weights)
        rule = chart.parts[:, 0]
        return np.where(rule >= 0, weights[rule], 0.0)
