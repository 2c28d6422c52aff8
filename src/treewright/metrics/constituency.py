"""Scores of constituency parses: EVALB's summary, for all sentences and for short ones.

EVALB ignores sentences without a parse; `brackets_all` counts their brackets as misses.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from treewright.data.brackets import Bracketed
from treewright.metrics.brackets import COLLINS, Match, Rules, bracket_counts, match_trees
from treewright.metrics.counts import Score

CUTOFF = 40  # words of a short sentence, without traces


@dataclass(frozen=True, slots=True)
class Summary:
    """EVALB's figures; proportions are fractions of 1, None if undefined."""

    sentences: int
    brackets: Score
    complete: float | None
    average_crossing: float | None
    no_crossing: float | None
    two_or_less_crossing: float | None
    tagging: float | None


@dataclass(frozen=True, slots=True)
class ConstScores:
    """All scores of a parser on a corpus; `short`: sentences of at most CUTOFF words."""

    everything: Summary
    short: Summary
    brackets_all: Score
    coverage: float
    sentences: int

    def as_dict(self) -> dict[str, object]:
        """The scores by name, for JSON."""
        return asdict(self)


def score(
    pred: Sequence[Bracketed | None], gold: Sequence[Bracketed], rules: Rules = COLLINS
) -> ConstScores:
    """Scores the parses of a corpus; None is a missing parse."""
    matches = match_trees(pred, gold, rules)
    parsed = [match for match in matches if match.parsed]
    return ConstScores(
        everything=summarise(parsed),
        short=summarise([match for match in parsed if match.length <= CUTOFF]),
        brackets_all=bracket_counts(matches).score(),
        coverage=len(parsed) / len(matches) if matches else 1.0,
        sentences=len(matches),
    )


def summarise(matches: Sequence[Match]) -> Summary:
    """EVALB's summary of sentences with a parse."""
    size = len(matches)
    return Summary(
        sentences=size,
        brackets=bracket_counts(matches).score(),
        complete=_share(sum(match.complete for match in matches), size),
        average_crossing=_share(sum(match.crossing for match in matches), size),
        no_crossing=_share(sum(match.crossing == 0 for match in matches), size),
        two_or_less_crossing=_share(sum(match.crossing <= 2 for match in matches), size),
        tagging=_share(sum(match.tags for match in matches), sum(m.words for m in matches)),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
