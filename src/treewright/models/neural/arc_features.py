"""Arc scores of a log-linear dependency parser, which a neural parser adds to its own.

The log-linear parser is graph-based and first-order, so that both score the same labelled arcs.
Its features use the tags of the sentence: those of its CoNLL-U input, otherwise those of the neural
parser.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from treewright.arrays import Floats32
from treewright.errors import ConfigError
from treewright.models.contract import Parser
from treewright.models.dependency.graph.algorithm import GraphTrees
from treewright.models.dependency.parser import DependencyParser
from treewright.models.neural.members import usable
from treewright.scores.dependency.encoder import EncodedSentence, Tagged
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import smallest

INDEX, VALUE = "arcs.index", "arcs.value"


class ArcFeatures:
    """The arc scores of a log-linear parser, for the relations of a network.

    Args:
        parser: a graph-based, first-order parser; its taggers are not used.
        relations: the names of the network's relations.
    """

    def __init__(self, parser: Parser[Any], relations: Sequence[str]) -> None:
        if not isinstance(parser, DependencyParser) or not isinstance(parser.trees, GraphTrees):
            raise ConfigError("features of arcs need a graph-based parser: algorithm = mst, eisner")
        if parser.trees.parser.siblings is not None:
            raise ConfigError("features of arcs need a parser with graph.second_order = false")
        self.parser, self._scores = parser, parser.trees.parser.scores
        known = parser.encoder.relation_number
        self._label = np.array([known.get(name, len(known)) for name in relations])

    @classmethod
    def from_bundle(cls, bundle: Bundle, relations: Sequence[str]) -> "ArcFeatures":
        return cls(DependencyParser.from_bundle(bundle), relations)

    def bundle(self) -> Bundle:
        """The parser without its tagger and tokeniser."""
        return replace(self.parser.bundle(), parts={})

    @property
    def tag_columns(self) -> Sequence[str]:
        """The columns of tags that the features use."""
        return self.parser.encoder.tag_columns

    def encode_all(self, sentences: Sequence[Sequence[Tagged]]) -> list[EncodedSentence]:
        """Encodes the tagged words of sentences."""
        return self.parser.encoder.encode_all(sentences)

    def scores(self, sentence: EncodedSentence) -> Floats32:
        """Scores of labelled arcs, [words + 1, words + 1, relations], head by word.

        A relation that the log-linear parser does not have or does not allow for an arc has the
        lowest score of the arc's other relations. What is not an arc has the score 0.
        """
        own = self._scores(sentence)
        forbidden = np.isneginf(own)
        lowest = np.where(forbidden, np.inf, own).min(axis=2, keepdims=True)
        lowest[np.isinf(lowest)] = 0.0
        full = np.concatenate((np.where(forbidden, lowest, own), lowest), axis=2)
        found: Floats32 = full[:, :, self._label].astype(np.float32)
        return found


def log_linear_arcs(directory: Path, pruned: float) -> DependencyParser:
    """A trained parser whose arc scores can be added.

    pruned: the smallest weights are removed, up to this fraction of the sum of squares.
    """
    bundle = usable(directory, lambda parser: ArcFeatures(parser, ()))
    index, value = bundle.arrays[INDEX], bundle.arrays[VALUE]
    kept = np.abs(value) >= smallest(value, pruned)
    arrays = {**bundle.arrays, INDEX: index[kept], VALUE: value[kept]}
    return DependencyParser.from_bundle(replace(bundle, arrays=arrays))
