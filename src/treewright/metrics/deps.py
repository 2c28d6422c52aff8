"""Comparison of dependency trees word by word, as in the CoNLL 2018 shared task.

Each metric is a key: an aligned word is correct if its key is the same on both sides. Some metrics
only count content words, or roots, according to each side's own relations. The shared task's
metrics, Words to BLEX, are those of Zeman et al. (2018); the arc-length score is that of Hall et
al. (2011), with the root at position 0. All counts are per gold sentence.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from treewright.arrays import Integers
from treewright.metrics.counts import Counts
from treewright.metrics.depnodes import CONTENT, ROOT, Aligned, Node


def _labelled(node: Node) -> Hashable:
    return node.head, node.deprel


def _everywhere(_: Node) -> bool:
    return True


def _is_content(node: Node) -> bool:
    return node.deprel in CONTENT


def _is_root(node: Node) -> bool:
    return node.head == ROOT


@dataclass(frozen=True)
class WordMetric:
    """A metric: the key that is compared, and the words that count."""

    key: Callable[[Node], Hashable]
    counts: Callable[[Node], bool] = _everywhere


METRICS: Mapping[str, WordMetric] = MappingProxyType(
    {
        "Words": WordMetric(lambda n: n.name),
        "UPOS": WordMetric(lambda n: n.upos),
        "XPOS": WordMetric(lambda n: n.xpos),
        "UFeats": WordMetric(lambda n: n.feats),
        "AllTags": WordMetric(lambda n: (n.upos, n.xpos, n.feats)),
        "Lemmas": WordMetric(lambda n: n.lemma),
        "UAS": WordMetric(lambda n: n.head),
        "LAS": WordMetric(_labelled),
        "CLAS": WordMetric(_labelled, _is_content),
        "MLAS": WordMetric(
            lambda n: (n.head, n.deprel, n.upos, n.feats, n.function_words), _is_content
        ),
        "BLEX": WordMetric(lambda n: (n.head, n.deprel, n.lemma), _is_content),
        "Root": WordMetric(_is_root, _is_root),
    }
)


def is_right(aligned: Aligned, metric: WordMetric) -> Integers:
    """The positions of the counted gold words that are correct."""
    right = [
        j
        for i, j in aligned.pairs
        if metric.counts(aligned.gold[j])
        and metric.key(aligned.pred[i]) == metric.key(aligned.gold[j])
    ]
    return np.array(right, dtype=np.int64)


def word_counts(aligned: Aligned, metric: WordMetric) -> Counts:
    """Correct, produced and due words of each gold sentence."""
    produced = np.array([metric.counts(node) for node in aligned.pred], dtype=np.bool_)
    due = np.array([metric.counts(node) for node in aligned.gold], dtype=np.bool_)
    return Counts(
        _tally(aligned, aligned.gold_sentence[is_right(aligned, metric)]),
        _tally(aligned, aligned.pred_sentence[produced]),
        _tally(aligned, aligned.gold_sentence[due]),
    )


def _tally(aligned: Aligned, sentences: Integers) -> Integers:
    return np.bincount(sentences, minlength=len(aligned.lengths)).astype(np.int64)


def arc_length_counts(aligned: Aligned, *, labelled: bool) -> Counts:
    """Summed lengths of correct gold arcs, and, twice, of all gold arcs, of each sentence."""
    right = is_right(aligned, METRICS["LAS" if labelled else "UAS"])
    produced = np.zeros_like(aligned.arcs)
    produced[right] = aligned.arcs[right]
    sums = (np.bincount(aligned.gold_sentence, lengths) for lengths in (produced, aligned.arcs))
    correct, total = (each.astype(np.int64) for each in sums)
    return Counts(correct, total, total)


def aligned_accuracy(aligned: Aligned, metric: WordMetric) -> float | None:
    """The proportion of correct words among aligned ones that count; None if there are none."""
    total = sum(metric.counts(aligned.gold[j]) for _, j in aligned.pairs)
    return len(is_right(aligned, metric)) / total if total else None
