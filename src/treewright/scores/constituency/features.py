"""Features of constituency parts, computed in the core on integers."""

from collections.abc import Iterable

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Indices, Keys
from treewright.forests.build import Chart
from treewright.forests.constituency.chart import ConstGrammar, Layout
from treewright.forests.features import FeatureMatrix
from treewright.forests.forest import frozen
from treewright.grammar.binarise import ARTIFICIAL, bare_label, is_artificial
from treewright.scores.constituency.templates import Tokens
from treewright.scores.features.encoder import core_keys


def feature_kinds(grammar: ConstGrammar) -> Indices:
    """The feature number of each symbol; annotations are ignored."""
    rules = grammar.rules
    names = [bare_label(s) + ARTIFICIAL * is_artificial(s) for s in rules.labels]
    number = {name: place for place, name in enumerate(sorted(set(names)), start=len(rules.tags))}
    numbers = [*range(len(rules.tags)), *(number[name] for name in names)]
    return np.array(numbers, dtype=np.int32)


class ConstFeatures:
    """The features of a grammar's parts.

    Args:
        grammar: the grammar of the charts.
        templates: see `treewright.scores.constituency.templates`.
        keys: features with their own weights.
        shared_bits: other features share 2^bits weights; -1 drops them.
    """

    def __init__(
        self, grammar: ConstGrammar, templates: _core.Templates, keys: Keys, shared_bits: int = -1
    ) -> None:
        self.keys, self.shared_bits = keys, shared_bits
        self._space = _core.FeatureSpace(grammar.core, feature_kinds(grammar), templates)
        plain, bits = core_keys(keys)
        self._index = _core.FeatureIndex(self._space, plain, shared_bits, bits)

    @classmethod
    def of(
        cls,
        grammar: ConstGrammar,
        templates: _core.Templates,
        gold: Iterable[tuple[_core.Tokens, Indices]],
        least: int = 1,
        shared_bits: int = -1,
    ) -> "ConstFeatures":
        """The features that occur at least `least` times in gold trees."""
        space = _core.FeatureSpace(grammar.core, feature_kinds(grammar), templates)
        counter = _core.FeatureCounter(space)
        for tokens, parts in gold:
            counter.add(tokens, parts.ravel())
        return cls(grammar, templates, counter.keys(least), shared_bits)

    def __len__(self) -> int:
        return self._index.size

    def matrix(self, tokens: _core.Tokens, chart: Chart) -> FeatureMatrix:
        """The features of a chart's parts."""
        return FeatureMatrix(*frozen(self._index.matrix(tokens, chart.parts.ravel())))

    def scores(self, tokens: _core.Tokens, chart: Chart, weights: Floats) -> Floats:
        """The scores of a chart's parts, float64 [parts]."""
        return self._index.scores(tokens, chart.parts.ravel(), weights)


class Featuriser:
    """Features and scores of parts, with rich features or rule weights."""

    def __init__(self, grammar: ConstGrammar, rich: ConstFeatures | None) -> None:
        self.rich, self.rules = rich, grammar.rules.size

    @property
    def layout(self) -> Layout:
        """The chart layout for these features."""
        return "rules" if self.rich is None else "spans"

    def __len__(self) -> int:
        return self.rules if self.rich is None else len(self.rich)

    def matrix(self, tokens: Tokens, chart: Chart) -> FeatureMatrix:
        """The features of the parts; in a weighted grammar, each part has its rule."""
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
