"""All metrics of a formalism as counts per gold sentence, for paired significance tests.

A sentence without a parse counts as one with no items. A token or sentence is correct if both sides
have it from the same first to the same last character; words are aligned as in the CoNLL 2018
shared task. Predicted items count in the gold sentence in which they start.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from treewright.arrays import Integers
from treewright.data.brackets import Bracketed
from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError
from treewright.metrics.alignment import Pair, sentence_spans, token_spans
from treewright.metrics.brackets import COLLINS, Rules, bracket_counts, match_trees
from treewright.metrics.ccgdeps import Analysis, labelled_counts, unlabelled_counts
from treewright.metrics.counts import Counts
from treewright.metrics.depnodes import align_trees
from treewright.metrics.deps import METRICS, arc_length_counts, word_counts

NamedCounts = dict[str, Counts]


def ccg_counts(pred: Mapping[str, Analysis], gold: Mapping[str, Analysis]) -> NamedCounts:
    """Dependencies, supertags (if all files have them) and coverage, in the order of gold."""
    if unknown := [name for name in pred if name not in gold]:
        raise TreewrightError(f"sentence {unknown[0]} is not in the gold file")
    paired = [pred.get(name, Analysis(frozenset())) for name in gold]
    counts = {
        "labelled": labelled_counts(paired, gold.values()),
        "unlabelled": unlabelled_counts(paired, gold.values()),
        "coverage": Counts.of_rows((int(name in pred), 1, 1) for name in gold),
    }
    rows = [_supertags(name, pred.get(name), due) for name, due in gold.items()]
    known = [row for row in rows if row is not None]
    return counts | ({"supertags": Counts.of_rows(known)} if len(known) == len(rows) else {})


def _supertags(name: str, pred: Analysis | None, gold: Analysis) -> tuple[int, int, int] | None:
    """Correct, all and all supertags; None if a file has none."""
    if gold.supertags is None or (pred is not None and pred.supertags is None):
        return None
    produced, due = (pred.supertags or ()) if pred else (), gold.supertags
    if pred is not None and len(produced) != len(due):
        raise TreewrightError(f"sentence {name}: {len(produced)} words, but {len(due)} in gold")
    return sum(a == b for a, b in zip(produced, due, strict=False)), len(due), len(due)


def const_counts(
    pred: Sequence[Bracketed | None], gold: Sequence[Bracketed], rules: Rules = COLLINS
) -> NamedCounts:
    """Brackets, complete matches and POS tags."""
    matches = match_trees(pred, gold, rules)
    return {
        "brackets": bracket_counts(matches),
        "complete": Counts.of_rows((int(m.parsed and m.complete), 1, 1) for m in matches),
        "tags": Counts.of_rows((m.tags, m.words, m.words) for m in matches),
        "coverage": Counts.of_rows((int(m.parsed), 1, 1) for m in matches),
    }


def dep_counts(pred: Sequence[DependencyTree], gold: Sequence[DependencyTree]) -> NamedCounts:
    """The word metrics of the CoNLL 2018 shared task, arc lengths and whole trees."""
    aligned = align_trees(pred, gold)
    words = {name: word_counts(aligned, metric) for name, metric in METRICS.items()}
    return words | {
        "arc lengths": arc_length_counts(aligned, labelled=False),
        "arc lengths, labelled": arc_length_counts(aligned, labelled=True),
        "exact match": words["UAS"].exact(),
        "exact match, labelled": words["LAS"].exact(),
    }


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
