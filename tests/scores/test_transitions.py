"""Weights of transitions: what training counts is what tagging adds."""

import itertools

import numpy as np
import pytest

from tests.scores.small_tagger import random_tagger
from treewright.scores.tagging.transitions import Transitions, tag_trigrams

TAGS = np.array([0, 1, 2, 0, 1, 1, 0, 1], dtype=np.int32)
ENDS = np.array([0, 3, 7, 8], dtype=np.int32)
SEEN = tag_trigrams(TAGS, ENDS)


def test_sentences_have_borders() -> None:
    assert SEEN[:4].tolist() == [[-1, -1, 0], [-1, 0, 1], [0, 1, 2], [1, 2, -1]]
    assert len(SEEN) == len(TAGS) + len(ENDS) - 1


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("cutoffs", [(1, 1), (2, 2), (9, 9)])
def test_tables_hold_what_features_say(order: int, cutoffs: tuple[int, int]) -> None:
    transitions = Transitions(3, order, SEEN, cutoffs)
    weights = np.random.default_rng(1).normal(size=transitions.size)
    bigram, trigrams, trigram = transitions.tables(weights)
    ngrams = np.unique(SEEN, axis=0)[:, 2 - order :].astype(np.int32)
    first, numbers = transitions.features(ngrams)
    tagger = random_tagger(order)
    tagger.tags = ("a", "b", "c")
    arrays = {"bigram": bigram, "trigrams": trigrams, "trigram": trigram}
    tagger.weights = type(tagger.weights)(**(tagger.weights.arrays() | arrays))
    expected = [weights[numbers[a:b]].sum() for a, b in itertools.pairwise(first)]
    assert tagger.transition_scores(ngrams) == pytest.approx(expected, abs=1e-6)


def test_rare_pairs_share_a_weight() -> None:
    transitions = Transitions(3, 1, SEEN, (2, 1))
    _, numbers = transitions.features(np.array([[2, 0], [1, 2], [0, 1]], dtype=np.int32))
    assert numbers[:2].tolist() == [0, 0]
    assert numbers[2] > 0
