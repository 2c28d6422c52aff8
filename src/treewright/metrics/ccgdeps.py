"""Scores of CCG parses: dependencies as sets, supertags, coverage.

A dependency is (functor, category, slot, argument), unlabelled (functor, argument); both are
compared as sets, as in Clark and Curran (2007). The papers ignore sentences without a parse; the
`_all` scores count them as misses.

The evaluation of Clark and Curran (2007), section 11, is available too. Labelled dependencies are
compared by head, lexical category, slot and argument, unlabelled ones by head and argument, over
the sentences that have a parse. LSENT and USENT are the proportions of these with all dependencies
correct. CCGbank's feature `[nb]`, which their grammar lacks, is ignored, and so are dependencies of
conjunctions, which CCGbank does not have.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

import numpy as np

from treewright.data.records import Dependency
from treewright.errors import TreewrightError
from treewright.metrics.counts import Counts, Score


@dataclass(frozen=True, slots=True)
class Analysis:
    """The scored annotation of one sentence; supertags are None if the file has none."""

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
        """The scores by name, for JSON."""
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
    """Scores the parses of a corpus by sentence id; a missing parse is a failure.

    If no sentence has a parse, all scores count missing parses.
    """
    if unknown := [name for name in pred if name not in gold]:
        raise TreewrightError(f"sentence {unknown[0]} is not in the gold file")
    failed = Analysis(frozenset())
    everything = [pred.get(name, failed) for name in gold]
    parsed = [name for name in gold if name in pred]
    scored = parsed or list(gold)
    some, due = [pred.get(name, failed) for name in scored], [gold[name] for name in scored]
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
    """The supertag accuracy, or None if either side has no supertags."""
    right = total = 0
    for name in names:
        produced, due = pred[name].supertags, gold[name].supertags
        if produced is None or due is None:
            return None
        if len(produced) != len(due):
            raise TreewrightError(f"sentence {name}: {len(produced)} words, but {len(due)} in gold")
        right += sum(map(str.__eq__, produced, due))
        total += len(due)
    return right / total if total else None


IGNORED = frozenset({"conj"})  # categories whose dependencies are ignored
NON_BARE = "[nb]"


@dataclass(frozen=True, slots=True)
class ClarkCurranScores:
    """The figures in the evaluation of Clark and Curran, with their names."""

    labelled: Score
    unlabelled: Score
    labelled_sentences: float
    unlabelled_sentences: float
    categories: float | None
    coverage: float
    sentences: int

    def as_dict(self) -> dict[str, float | None]:
        """The scores by name, ready for JSON."""
        named = {"LP": self.labelled.p, "LR": self.labelled.r, "LF": self.labelled.f}
        plain = {"UP": self.unlabelled.p, "UR": self.unlabelled.r, "UF": self.unlabelled.f}
        whole = {"LSENT": self.labelled_sentences, "USENT": self.unlabelled_sentences}
        rest = {"CAT": self.categories, "COV": self.coverage, "sentences": self.sentences}
        return {**named, **plain, **whole, **rest}


def clark_curran(pred: Mapping[str, Analysis], gold: Mapping[str, Analysis]) -> ClarkCurranScores:
    """Scores the parses of a corpus by sentence id."""
    produced = {name: comparable(analysis) for name, analysis in pred.items()}
    due = {name: comparable(analysis) for name, analysis in gold.items()}
    whole = score(produced, due)
    parsed = [name for name in due if name in produced]
    pairs = [produced[name] for name in parsed], [due[name] for name in parsed]
    return ClarkCurranScores(
        whole.labelled,
        whole.unlabelled,
        _all_right(labelled_counts(*pairs)),
        _all_right(unlabelled_counts(*pairs)),
        whole.supertags,
        whole.coverage,
        whole.sentences,
    )


def comparable(analysis: Analysis) -> Analysis:
    """The analysis without ignored features and dependencies."""
    rows = frozenset(_bare(row) for row in analysis.dependencies if row.category not in IGNORED)
    tags = analysis.supertags
    return Analysis(rows, None if tags is None else tuple(t.replace(NON_BARE, "") for t in tags))


def _bare(row: Dependency) -> Dependency:
    return row._replace(category=row.category.replace(NON_BARE, ""))


def _all_right(counts: Counts) -> float:
    """The proportion of sentences in which correct, produced and due are equal."""
    right = (counts.correct == counts.produced) & (counts.correct == counts.due)
    return float(np.mean(right)) if len(right) else 0.0
