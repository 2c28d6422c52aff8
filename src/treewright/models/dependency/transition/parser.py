"""Trained transition parsers as dependency models use them: beam search, and risk over its list."""

from collections.abc import Sequence
from copy import copy

import numpy as np

from treewright.arrays import Floats
from treewright.inference.exact import rounded
from treewright.inference.transition import Arrays, TransitionParser, TransitionShape
from treewright.models.dependency.algorithms import Found
from treewright.models.dependency.analysis import LISTED
from treewright.models.dependency.config import Decoder
from treewright.scores.dependency.encoder import EncodedSentence

MAX_WORDS = 10_000  # time and memory are linear


class TransitionTrees:
    """A trained transition parser.

    With decoder min-risk, the tree of the beam's best ones that has the most right words in
    expectation over them, where a tree has the weight exp(score).
    """

    max_words = MAX_WORDS

    def __init__(self, parser: TransitionParser, decoder: Decoder = "viterbi") -> None:
        self.parser, self.decoder = parser, decoder

    @classmethod
    def of(cls, shape: TransitionShape, arrays: Arrays, beam: int) -> "TransitionTrees":
        """The parser of trained weights."""
        return cls(TransitionParser(shape, arrays, beam))

    def parse_batch(self, sentences: Sequence[EncodedSentence], threads: int = 1) -> list[Found]:
        if self.decoder == "min-risk":
            return [min_risk(self.kbest(sentence, LISTED)) for sentence in sentences]
        return [Found(*tree) for tree in self.parser.parse_batch(sentences, threads)]

    def kbest(self, sentence: EncodedSentence, k: int) -> list[Found]:
        return [Found(*tree) for tree in self.parser.kbest(sentence, k)]

    def marginals(self, sentence: EncodedSentence) -> Floats | None:  # noqa: ARG002
        return None  # there are no sums over what a beam leaves out

    def log_z(self, sentence: EncodedSentence) -> float | None:  # noqa: ARG002
        return None

    def with_decoder(self, decoder: Decoder) -> "TransitionTrees":
        return TransitionTrees(self.parser, decoder)

    def with_beam(self, beam: int) -> "TransitionTrees":
        other = copy(self.parser)
        other.beam = beam
        return TransitionTrees(other, self.decoder)


def min_risk(found: Sequence[Found]) -> Found:
    """The tree with the most right words, labels included, expected under weights exp(score)."""
    heads, labels = (np.array([each[i] for each in found]) for i in (0, 1))
    scores = np.array([each.score for each in found])
    weights = np.exp(scores - scores.max())
    same = (heads[:, None] == heads) & (labels[:, None] == labels)  # [tree, tree, word]
    gains = same.sum(axis=2) @ (weights / weights.sum())
    best = int(np.argmax(rounded(gains)))  # of equals the beam's best
    return found[best]._replace(gain=float(gains[best]))
