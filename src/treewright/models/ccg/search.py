"""Schedules of supertagger beams, and the search that follows them.

Adaptive supertagging (Clark and Curran 2004) starts with few categories per word and widens the
beam until there is a parse; the reverse schedule (Auli and Lopez 2011) starts wide and narrows the
beam until the chart is small enough.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from treewright.errors import ConfigError
from treewright.forests.ccg.chart import (
    CcgChart,
    Cells,
    ChartSettings,
    Gold,
    Outcome,
    ccg_chart,
)
from treewright.grammar.compiled import CompiledGrammar


class Beam(NamedTuple):
    """A beam: categories within a factor beta of the best one, and the word dictionary's cutoff."""

    beta: float
    cutoff: int


@dataclass(frozen=True)
class Schedule:
    """Beams in the order in which they are tried; `widens`: from narrow to wide."""

    beams: tuple[Beam, ...]
    widens: bool = True


PAPER = (Beam(0.075, 20), Beam(0.03, 20), Beam(0.01, 20), Beam(0.005, 20), Beam(0.001, 150))
CC_TRAINING = tuple(Beam(beta, 20) for beta in (0.0045, 0.0055, 0.01, 0.05, 0.1))
SCHEDULES = {
    "adaptive": Schedule(PAPER),
    "reverse": Schedule(PAPER[::-1], widens=False),
    "quick": Schedule((Beam(0.075, 20), Beam(0.01, 20), Beam(0.001, 150))),
    # The two training schedules of the softmax-margin paper, table 2.
    "training": Schedule((Beam(0.001, 150), Beam(0.001, 20), *CC_TRAINING), widens=False),
    "cc-training": Schedule(CC_TRAINING, widens=False),
}


def schedule_named(name: str) -> Schedule:
    """A preset by name, or beams written as BETA[:CUTOFF] and separated by commas."""
    if name in SCHEDULES:
        return SCHEDULES[name]
    try:
        beams = tuple(map(_beam, name.split(",")))
    except ValueError:
        known = ", ".join(SCHEDULES)
        raise ConfigError(f"unknown schedule {name!r}: {known}, or BETA[:CUTOFF],...") from None
    if not all(0 <= beam.beta <= 1 and beam.cutoff >= 0 for beam in beams):
        raise ConfigError(
            f"schedule {name!r}: beta must be between 0 and 1, the cutoff not negative"
        )
    betas = [beam.beta for beam in beams]
    if sorted(betas) != betas and sorted(betas, reverse=True) != betas:
        raise ConfigError(
            f"schedule {name!r}: beams must be sorted, from wide to narrow or from narrow to wide"
        )
    return Schedule(beams, widens=betas[0] >= betas[-1])


def _beam(text: str) -> Beam:
    beta, _, cutoff = text.partition(":")
    return Beam(float(beta), int(cutoff or 20))


@dataclass(frozen=True)
class Attempt:
    """One chart that was tried: its beam, categories per word, margin and outcome."""

    beam: Beam
    categories: float
    margin: float
    outcome: Outcome


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The result of a search: the chart, its beam, and all attempts.

    chart: None if there are not even fragments.
    """

    chart: CcgChart | None
    beam: Beam
    attempts: tuple[Attempt, ...]


CellsOf = Callable[[Beam], Cells]


def search(
    grammar: CompiledGrammar,
    cells_of: CellsOf,
    schedule: Schedule,
    settings: ChartSettings,
    gold: Gold | None = None,
) -> SearchResult:
    """Follows the schedule until there is a parse; otherwise finds the best fragments.

    If `gold` is given, the chart's parts are counted against it.
    """
    attempts: list[Attempt] = []
    for beam in schedule.beams:
        cells = cells_of(beam)
        chart = ccg_chart(grammar, cells, settings, gold)
        per_word = len(cells.entry) / max(cells.words, 1)
        attempts.append(Attempt(beam, per_word, chart.margin, chart.outcome))
        if chart.outcome is Outcome.PARSED:
            return SearchResult(chart, beam, tuple(attempts))
        # A wider beam makes a chart larger; a narrower one does not add parses.
        if chart.outcome is (Outcome.TOO_LARGE if schedule.widens else Outcome.NO_PARSE):
            break
    return SearchResult(*_fragments(grammar, cells_of, attempts, settings), tuple(attempts))


def _fragments(
    grammar: CompiledGrammar, cells_of: CellsOf, attempts: Sequence[Attempt], how: ChartSettings
) -> tuple[CcgChart | None, Beam]:
    """Fragments in the narrowest beam whose chart is not too large."""
    for attempt in sorted(attempts, key=lambda each: -each.beam.beta):
        chart = ccg_chart(grammar, cells_of(attempt.beam), how, fragments=True)
        if chart.usable:
            return chart, attempt.beam
    return None, attempts[-1].beam
