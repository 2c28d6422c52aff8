"""Minimum-risk decoding (Goodman 1996).

Events are the items that a metric counts: dependencies, constituents, tags. A part can have several
events, and several parts the same event; without a table, every part is its own event. Ties are
broken by the model score (docs/theory.md, section 7).
"""

from dataclasses import dataclass

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Indices
from treewright.errors import ForestError
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.inference.exact import Derivation
from treewright.metrics.counts import f_measure


@dataclass(frozen=True, eq=False)
class Events:
    """The events of parts: part p has the events `event[first[p] : first[p + 1]]`."""

    first: Indices
    event: Indices

    def sums(self, parts: Floats) -> Floats:
        """The sum over the parts of each event: counts or posteriors, [events]."""
        of_event = np.repeat(parts, np.diff(self.first))
        return np.bincount(self.event, of_event).astype(np.float64, copy=False)


def _check(forest: Forest, events: Events) -> None:
    if len(events.first) != forest.parts + 1:
        raise ForestError(f"events for {len(events.first) - 1} parts, not {forest.parts}")


def max_expected_counts(
    forest: Forest, scores: Floats, events: Events | None = None, penalty: float = 0.0
) -> Derivation:
    """The derivation with the largest expected number of correct events.

    Args:
        forest: any forest.
        scores: float64 [parts].
        events: the events to count; None: the parts.
        penalty: penalty per predicted event: 0 maximises recall, 0.5 balances precision and recall.

    Returns:
        The derivation; its score is the sum of its events' posteriors minus the penalties.
    """
    marginals = exact.marginals(forest, scores).parts
    return best_by_posterior(forest, scores, marginals, events, penalty)


def best_by_posterior(
    forest: Forest,
    scores: Floats,
    marginals: Floats,
    events: Events | None = None,
    penalty: float = 0.0,
) -> Derivation:
    """The same with given marginals [parts]; scores forbid parts and break ties."""
    gains = marginals - penalty if events is None else _gains(forest, marginals, events, penalty)
    if scores.min(initial=0.0) == -np.inf:  # a part that the model forbids stays forbidden
        gains = np.where(np.isneginf(scores), -np.inf, gains)
    return exact.viterbi_by(forest, gains, scores)


def _gains(forest: Forest, marginals: Floats, events: Events, penalty: float) -> Floats:
    """The gain of each part: the sum of posterior minus penalty over its events."""
    _check(forest, events)
    return _core.event_gains(events.first, events.event, marginals, penalty)


def max_expected_f1(
    forest: Forest, scores: Floats, k: int = 100, events: Events | None = None
) -> Derivation:
    """The derivation among the k best with the highest expected F1 against the others.

    The expectation is over the k best, with probabilities renormalised.
    """
    listed = exact.kbest(forest, scores, k)
    if not listed:
        raise ForestError("no derivation has a finite score")
    counts = np.array([exact.part_counts(forest, each.edges) for each in listed], np.float64)
    if events is not None:
        _check(forest, events)
        counts = np.array([events.sums(row) for row in counts])
    log_p = np.array([each.score for each in listed])
    p = np.exp(log_p - log_p.max())
    expected = [_expected_f1(row, counts, p / p.sum()) for row in counts]
    best = int(np.argmax(exact.rounded(np.array(expected))))  # ties: the best under the model
    return Derivation(float(expected[best]), listed[best].edges)


def _expected_f1(row: Floats, counts: Floats, p: Floats) -> float:
    """Expected F1 of counts; events match as multisets, each at most once."""
    correct = np.minimum(row, counts).sum(axis=1)
    return float(p @ f_measure(correct, row.sum(), counts.sum(axis=1)))
