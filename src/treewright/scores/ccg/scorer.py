"""Scores of CCG charts: weighted features of their parts, and the supertagger's scores."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Integers, Keys
from treewright.errors import ForestError
from treewright.forests.ccg.chart import CcgChart, PartKind
from treewright.forests.features import FeatureMatrix
from treewright.scores.ccg.templates import CcgEncoder
from treewright.scores.features.encoder import core_keys

EncodedWords = _core.CcgWords  # an encoded sentence


class ChartScorer(ABC):
    """The interface of scorers of charts; `words` is an encoded sentence."""

    uses_spans: bool  # whether charts must distinguish parts over different spans

    @abstractmethod
    def encode(self, words: Sequence[str], pos: Sequence[str]) -> Any:
        """Encodes a sentence."""

    @abstractmethod
    def scores(self, chart: CcgChart, words: Any, tagger_weight: float = 0.0) -> Floats:
        """The scores of the parts, including the supertagger's weighted log p(entry | word)."""

    def with_tagger(self, chart: CcgChart, scores: Floats, weight: float) -> Floats:
        """Adds the supertagger's weighted log p(entry | word) to the scores of the parts."""
        if chart.cells.score is None or not weight:
            return scores
        lexical = chart.parts[:, 0] == PartKind.LEXICAL
        raised = scores.copy()
        raised[lexical] += weight * chart.cells.score[chart.parts[lexical, 1]]
        return raised


class CcgScorer(ChartScorer):
    """A log-linear model of CCG charts.

    Args:
        templates: as in `treewright.scores.ccg.templates`.
        keys: uint64 [features], hashed features.
        weights: float64 [features].
    """

    def __init__(
        self,
        templates: Sequence[str],
        keys: Keys | None = None,
        weights: Floats | None = None,
    ) -> None:
        self.templates = tuple(templates)
        self.encoder = CcgEncoder(templates)
        self.uses_spans = self.encoder.templates.uses_spans
        self.keys = np.zeros(0, dtype=np.uint64) if keys is None else keys
        self.weights = np.zeros(len(self.keys)) if weights is None else weights
        if len(self.weights) != len(self.keys):
            raise ForestError(f"{len(self.weights)} weights for {len(self.keys)} features")
        self.table = _core.KeyTable(*core_keys(self.keys))

    def with_weights(self, weights: Floats) -> "CcgScorer":
        """The same features with other weights."""
        return CcgScorer(self.templates, self.keys, weights)

    def encode(self, words: Sequence[str], pos: Sequence[str]) -> _core.CcgWords:
        """Encodes a sentence for feature extraction."""
        return self.encoder.encode(words, pos)

    def part_keys(self, chart: CcgChart, words: _core.CcgWords) -> tuple[Integers, Keys]:
        """The hashed features of each part: first [parts + 1], keys."""
        core = chart.tables.core
        return _core.ccg_feature_keys(core, chart.core, words, self.encoder.templates.core)

    def features(
        self, chart: CcgChart, words: _core.CcgWords, with_tagger: bool = False
    ) -> FeatureMatrix:
        """The features of the parts that have weights.

        with_tagger: add a last feature, the supertagger's log p(entry | word).
        """
        templates = self.encoder.templates.core
        core = chart.tables.core
        first, number = _core.ccg_feature_numbers(core, chart.core, words, templates, self.table)
        if not with_tagger or chart.cells.score is None:
            return FeatureMatrix.from_csr(first, number)
        lexical = np.flatnonzero(chart.parts[:, 0] == PartKind.LEXICAL)
        value = np.ones(len(number))
        return FeatureMatrix.from_csr(
            first + np.concatenate(([0], np.cumsum(chart.parts[:, 0] == PartKind.LEXICAL))),
            np.insert(number, first[lexical + 1], len(self.keys)),
            np.insert(value, first[lexical + 1], chart.cells.score[chart.parts[lexical, 1]]),
        )

    def scores(self, chart: CcgChart, words: _core.CcgWords, tagger_weight: float = 0.0) -> Floats:
        """The scores of the parts, plus the supertagger's log p(entry | word) times its weight."""
        templates = self.encoder.templates.core
        core = chart.tables.core
        cells = chart.cells.score if tagger_weight else None
        return _core.ccg_feature_scores(
            core, chart.core, words, templates, self.table, self.weights, cells, tagger_weight
        )


def log_linear(scorer: ChartScorer) -> CcgScorer:
    """The scorer itself, if it is log-linear; a neural one has no feature weights."""
    if not isinstance(scorer, CcgScorer):
        raise ForestError("a neural parser has no weights of features")
    return scorer
