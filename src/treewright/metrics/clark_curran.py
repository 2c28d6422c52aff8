"""The evaluation of Clark and Curran (2007), section 11, beside our own.

Labelled dependencies are compared by head, lexical category, slot and argument, unlabelled ones by
head and argument, over the sentences that have a parse. LSENT and USENT are the shares of these
whose dependencies are all right. CCGbank's `[nb]`, which their grammar lacks, is passed over,
and so are dependencies of conjunctions, which CCGbank does not have.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from treewright.data.records import Dependency
from treewright.metrics.ccgdeps import Analysis, labelled_counts, score, unlabelled_counts
from treewright.metrics.counts import Counts, Score

IGNORED = frozenset({"conj"})  # categories whose dependencies do not count
NON_BARE = "[nb]"


@dataclass(frozen=True, slots=True)
class ClarkCurranScores:
    """What Clark and Curran report, by their names."""

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
    """Scores of the parses of a corpus, both by sentence id."""
    found = {name: comparable(analysis) for name, analysis in pred.items()}
    due = {name: comparable(analysis) for name, analysis in gold.items()}
    whole = score(found, due)
    parsed = [name for name in due if name in found]
    pairs = [found[name] for name in parsed], [due[name] for name in parsed]
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
    """An analysis without what does not count."""
    rows = frozenset(_bare(row) for row in analysis.dependencies if row.category not in IGNORED)
    tags = analysis.supertags
    return Analysis(rows, None if tags is None else tuple(t.replace(NON_BARE, "") for t in tags))


def _bare(row: Dependency) -> Dependency:
    return row._replace(category=row.category.replace(NON_BARE, ""))


def _all_right(counts: Counts) -> float:
    """The share of sentences whose counts of right, produced and due are one."""
    right = (counts.correct == counts.produced) & (counts.correct == counts.due)
    return float(np.mean(right)) if len(right) else 0.0
