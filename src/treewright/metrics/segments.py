"""Tokens, words and sentences of two segmentations of one text, per gold sentence.

A token or sentence is right where both sides have it from the same first to the same last
character; words are aligned as in the CoNLL 2018 shared task. What is produced counts with the gold
sentence in which it begins.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from treewright.arrays import Integers
from treewright.data.dependency import DependencyTree
from treewright.metrics.alignment import Pair, sentence_spans, token_spans
from treewright.metrics.counts import Counts
from treewright.metrics.depnodes import align_trees
from treewright.metrics.deps import METRICS, word_counts
from treewright.metrics.sentences import NamedCounts


def segment_counts(pred: Sequence[DependencyTree], gold: Sequence[DependencyTree]) -> NamedCounts:
    """Tokens, words and sentences."""
    words = word_counts(align_trees(pred, gold), METRICS["Words"])
    starts = np.array(sorted(start for start, _ in sentence_spans(gold)))
    return {
        "Tokens": _counts(token_spans(pred), token_spans(gold), starts),
        "Words": words,
        "Sentences": _counts(sentence_spans(pred), sentence_spans(gold), starts),
    }


def _counts(pred: set[Pair], gold: set[Pair], starts: Integers) -> Counts:
    return Counts(*(_tally(spans, starts) for spans in (pred & gold, pred, gold)))


def _tally(spans: Iterable[Pair], starts: Integers) -> Integers:
    begins = np.array([start for start, _ in spans], np.int64)
    owner = np.searchsorted(starts, begins, side="right") - 1
    return np.bincount(owner, minlength=len(starts)).astype(np.int64)
