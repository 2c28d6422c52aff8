"""Schedules of beams over a stub of the supertagger's lattice."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.ccg_cases import HAND_RULES, hand_grammar
from treewright.errors import ConfigError
from treewright.forests.ccg.chart import Cells, ChartSettings, Outcome
from treewright.models.ccg.search import (
    PAPER,
    SCHEDULES,
    Beam,
    CellsOf,
    Schedule,
    schedule_named,
    search,
)  # fmt: skip

WIDE, MIDDLE, NARROW = Beam(0.001, 20), Beam(0.01, 20), Beam(0.1, 20)
GRAMMAR = hand_grammar(replace(HAND_RULES, roots=("S",)))
NUMBER = {str(e.category): i for i, e in reversed(list(enumerate(GRAMMAR.tables.entries)))}
NARROW_CELLS = [["NP"], ["(S\\NP)/NP"], ["N/N"]]
WIDE_CELLS = [["NP", "N"], ["(S\\NP)/NP"], ["N/N", "N"]]
HOW = ChartSettings()


def lattice(cells: dict[Beam, Sequence[Sequence[str]]], asked: list[Beam]) -> CellsOf:
    def cells_of(beam: Beam) -> Cells:
        asked.append(beam)
        return Cells.of([[NUMBER[text] for text in word] for word in cells[beam]])

    return cells_of


BEAMS = {NARROW: NARROW_CELLS, MIDDLE: WIDE_CELLS, WIDE: WIDE_CELLS}
ADAPTIVE = Schedule((NARROW, MIDDLE, WIDE))
REVERSE = Schedule((WIDE, MIDDLE, NARROW), widens=False)


def test_adaptive_search_stops_at_the_first_parse() -> None:
    asked: list[Beam] = []
    found = search(GRAMMAR, lattice(BEAMS, asked), ADAPTIVE, HOW)
    assert found.chart is not None
    assert found.chart.outcome is Outcome.PARSED
    assert asked == [NARROW, MIDDLE]
    assert [(a.beam, a.outcome) for a in found.attempts] == [
        (NARROW, Outcome.NO_PARSE),
        (MIDDLE, Outcome.PARSED),
    ]
    assert [a.categories for a in found.attempts] == pytest.approx([1.0, 5 / 3])


def test_a_wider_beam_does_not_help_a_large_chart() -> None:
    asked: list[Beam] = []
    cells = {NARROW: NARROW_CELLS, MIDDLE: WIDE_CELLS, WIDE: WIDE_CELLS}
    found = search(GRAMMAR, lattice(cells, asked), ADAPTIVE, replace(HOW, max_items=8))
    assert [a.outcome for a in found.attempts] == [Outcome.NO_PARSE, Outcome.TOO_LARGE]
    assert found.chart is not None  # of the narrow beam, which was small enough
    assert found.chart.outcome is Outcome.FRAGMENTS
    assert len(found.chart.cells.entry) == 3


def test_reverse_search_narrows_while_charts_are_too_large() -> None:
    many = [[*WIDE_CELLS[0], "S/S", "NP/N"], WIDE_CELLS[1], [*WIDE_CELLS[2], "NP", "conj"]]
    cells = {WIDE: many, MIDDLE: WIDE_CELLS, NARROW: NARROW_CELLS}
    limit = next(
        size
        for size in range(1, 200)
        if search(GRAMMAR, lattice(cells, []), Schedule((MIDDLE,)), replace(HOW, max_items=size))
        .attempts[0].outcome is Outcome.PARSED
    )  # fmt: skip
    asked: list[Beam] = []
    found = search(GRAMMAR, lattice(cells, asked), REVERSE, replace(HOW, max_items=limit))
    assert [a.outcome for a in found.attempts] == [Outcome.TOO_LARGE, Outcome.PARSED]
    assert asked == [WIDE, MIDDLE]


def test_a_narrower_beam_adds_no_parse() -> None:
    asked: list[Beam] = []
    cells = dict.fromkeys(BEAMS, NARROW_CELLS)
    found = search(GRAMMAR, lattice(cells, asked), REVERSE, HOW)
    assert [a.outcome for a in found.attempts] == [Outcome.NO_PARSE]
    assert found.chart is not None
    assert found.chart.outcome is Outcome.FRAGMENTS


def test_fragments_come_from_the_narrowest_beam() -> None:
    asked: list[Beam] = []
    cells = {NARROW: NARROW_CELLS, MIDDLE: NARROW_CELLS, WIDE: [["NP", "N"], ["conj"], ["N/N"]]}
    found = search(GRAMMAR, lattice(cells, asked), ADAPTIVE, HOW)
    assert [a.outcome for a in found.attempts] == [Outcome.NO_PARSE] * 3
    assert found.chart is not None
    assert asked == [NARROW, MIDDLE, WIDE, NARROW]
    assert len(found.chart.cells.entry) == 3


def test_nothing_at_all() -> None:
    empty = {beam: [["NP"], [], ["NP"]] for beam in BEAMS}
    found = search(GRAMMAR, lattice(empty, []), ADAPTIVE, HOW)
    assert found.chart is None
    assert [a.outcome for a in found.attempts] == [Outcome.NO_PARSE] * 3


def test_presets_widen_and_narrow() -> None:
    assert schedule_named("adaptive").beams == PAPER
    for schedule in SCHEDULES.values():
        betas = [beam.beta for beam in schedule.beams]
        assert betas == sorted(betas, reverse=schedule.widens)


def test_beams_by_hand() -> None:
    assert schedule_named("0.05") == Schedule((Beam(0.05, 20),))
    assert schedule_named("0.05:7") == Schedule((Beam(0.05, 7),))
    assert schedule_named("0.01,0.1:7") == Schedule((Beam(0.01, 20), Beam(0.1, 7)), widens=False)
    assert schedule_named("0.1,0.01").widens


@pytest.mark.parametrize(
    "name", ["", "fast", "2", "-0.1", "nan", "0.1:x", "0.1:-1", "0.1:2:3", "0.1,", "0.1,0.2,0.1"]
)
def test_unknown_schedules(name: str) -> None:
    with pytest.raises(ConfigError):
        schedule_named(name)


def test_cells_know_their_words() -> None:
    assert Cells.of([[1], [], [2, 3]]).first.tolist() == [0, 1, 1, 3]
    assert Cells.of([]).words == 0
    assert Cells.of([[], []]).entry.dtype == np.int32
