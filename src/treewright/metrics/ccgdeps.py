"""Scores of CCG parses: dependencies as sets, supertags, coverage.

A dependency is (functor, category, slot, argument), unlabelled (functor, argument); both are
compared as sets, as in Clark and Curran (2007). The papers leave out sentences without a parse; the
`_all` scores count them as misses.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from treewright.data.records import Dependency
from treewright.errors import TreewrightError
from treewright.metrics.counts import Counts, Score


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is scored of one sentence; supertags are None where a file does not have them."""

    dependencies: AbstractSet[Dependency]
    supertags: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class CcgScores:
    """All scores of a parser on a corpus."""

    labelled: Score
    unlabelled: Score
    labelled_all: Score
    unlabelled_all: Score
    supertags: float | None
    coverage: float
    sentences: int

    def as_dict(self) -> dict[str, object]:
        """The scores by name, ready for JSON."""
        names = "labelled", "unlabelled", "labelled_all", "unlabelled_all"
        scores: dict[str, object] = {name: getattr(self, name).as_dict() for name in names}
        rest = {"supertags": self.supertags, "coverage": self.coverage}
        return scores | rest | {"sentences": self.sentences}


def labelled_counts(pred: Iterable[Analysis], gold: Iterable[Analysis]) -> Counts:
    """Correct, produced and due dependencies of each sentence."""
    return Counts.of_sets((p.dependencies for p in pred), (g.dependencies for g in gold))


def unlabelled_counts(pred: Iterable[Analysis], gold: Iterable[Analysis]) -> Counts:
    """Correct, produced and due pairs of functor and argument of each sentence."""
    return Counts.of_sets(map(_pairs, pred), map(_pairs, gold))


def _pairs(analysis: Analysis) -> set[tuple[int, int]]:
    return {(row.functor, row.argument) for row in analysis.dependencies}


def score(pred: Mapping[str, Analysis], gold: Mapping[str, Analysis]) -> CcgScores:
    """Scores of the parses of a corpus, both by sentence id; a missing parse is a failure."""
    if unknown := [name for name in pred if name not in gold]:
        raise TreewrightError(f"sentence {unknown[0]} is not among the gold ones")
    failed = Analysis(frozenset())
    everything = [pred.get(name, failed) for name in gold]
    parsed = [name for name in gold if name in pred]
    some, due = [pred[name] for name in parsed], [gold[name] for name in parsed]
    return CcgScores(
        labelled=labelled_counts(some, due).score(),
        unlabelled=unlabelled_counts(some, due).score(),
        labelled_all=labelled_counts(everything, gold.values()).score(),
        unlabelled_all=unlabelled_counts(everything, gold.values()).score(),
        supertags=_supertag_accuracy(parsed, pred, gold),
        coverage=len(parsed) / len(gold) if gold else 1.0,
        sentences=len(gold),
    )


def _supertag_accuracy(
    names: list[str], pred: Mapping[str, Analysis], gold: Mapping[str, Analysis]
) -> float | None:
    """The share of words with the right category, or None where either side does not know them."""
    right = total = 0
    for name in names:
        found, due = pred[name].supertags, gold[name].supertags
        if found is None or due is None:
            return None
        if len(found) != len(due):
            raise TreewrightError(f"sentence {name}: {len(found)} words, but {len(due)} in gold")
        right += sum(map(str.__eq__, found, due))
        total += len(due)
    return right / total if total else None
