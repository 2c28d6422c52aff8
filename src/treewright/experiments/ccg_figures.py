"""Columns that all tables of CCG parsers share, with the papers' figures."""

from collections.abc import Iterator, Sequence

from treewright.experiments.experiment import Beside
from treewright.metrics.ccgdeps import CcgScores

FIGURES = ("LF", "LP", "LR", "UF", "UP", "UR", "ST")
PaperFigures = Sequence[float | None]  # LF, UF, ST; or LF, LP, LR, UF, UP, UR; or none


def percentages(scores: CcgScores) -> Iterator[float]:
    """LF, LP, LR, UF, UP, UR."""
    for each in (scores.labelled, scores.unlabelled):
        yield from (100 * each.f, 100 * each.p, 100 * each.r)


def figures(scores: CcgScores, paper: PaperFigures = ()) -> list[Beside]:
    """The cells of FIGURES."""
    ours = (*percentages(scores), 100 * (scores.supertags or 0.0))
    return [Beside(o, t) for o, t in zip(ours, _all_columns(paper), strict=True)]


def _all_columns(paper: PaperFigures) -> PaperFigures:
    match list(paper):
        case []:
            return (None,) * 7
        case [lf, uf, st]:
            return (lf, None, None, uf, None, None, st)
    return (*paper, None)
