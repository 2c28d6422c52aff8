"""How good and how bad the parses in a parser's charts can be (Auli and Lopez 2011, table 2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from treewright.data.auto import read_auto
from treewright.data.records import Derivation
from treewright.forests.ccg.chart import ChartSettings, Gold, Outcome
from treewright.grammar.defaults import check_entries
from treewright.grammar.dependencies import dependencies_of
from treewright.inference import oracle
from treewright.metrics.counts import Counts
from treewright.models.ccg.lattice import Lattice, lattices
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam, Schedule, search
from treewright.models.evaluation import (
    Extremes,
    Oracle,
    Report,
    check_shares,
    extremes_report,
    percent,
)


@dataclass(frozen=True)
class CcgOracleOptions:
    """Beams and cutoff of the supertagger, a margin in place of the charts', how much is read."""

    betas: tuple[float, ...] = (0.075, 0.03, 0.01, 0.005, 0.001)
    cutoff: int = 20
    margin: float | None = None
    sentences: int = 0

    def __post_init__(self) -> None:
        check_shares("betas", self.betas)


def _report(parser: CcgParser, gold: Path, options: CcgOracleOptions) -> Report:
    derivations = list(read_auto(gold, check_entries))[: options.sentences or None]
    beams = [Schedule((Beam(beta, options.cutoff),)) for beta in options.betas]
    found = ccg_oracle(parser, derivations, beams, options.margin)
    title = "Labelled F1 of the best and the worst parses in the charts"
    return extremes_report(
        title, ("beta", "categories per word", "coverage"), [*map(_shown, options.betas, found)]
    )


def _shown(beta: float, row: "OracleRow") -> Extremes:
    figures = {"beta": beta, "categories": row.categories, "coverage": row.coverage}
    cells = (f"{beta:g}", f"{row.categories:.2f}", percent(row.coverage))
    return Extremes(figures, cells, row.best, row.worst)


ORACLE = Oracle(_report, CcgOracleOptions)


@dataclass(frozen=True)
class OracleRow:
    """Labelled F1 of the best and the worst parse, over the sentences with a parse.

    categories: per word, in the last chart that was tried.
    """

    categories: float
    coverage: float
    best: Counts
    worst: Counts


def ccg_oracle(
    parser: CcgParser,
    derivations: Iterable[Derivation],
    schedules: Sequence[Schedule],
    margin: float | None = None,
) -> list[OracleRow]:
    """One row per schedule; charts have the parser's settings, but for a margin that is given."""
    gold = list(derivations)
    words = [derivation.sentence.words for derivation in gold]
    pos = [[leaf.pos for leaf in derivation.leaves] for derivation in gold]
    cutoff = schedules[0].beams[0].cutoff
    found = lattices(parser.supertagger.tagger, words, pos, parser.entry_of_tag, cutoff)
    how = replace(parser.chart, spans=False, dependencies=True)
    if margin is not None:
        how = replace(how, margin=margin, cell_margin=margin)
    return [_row(parser, gold, found, schedule, how) for schedule in schedules]


def _row(
    parser: CcgParser,
    derivations: Sequence[Derivation],
    found: Sequence[Lattice],
    schedule: Schedule,
    how: ChartSettings,
) -> OracleRow:
    best: list[tuple[int, int, int]] = []
    worst: list[tuple[int, int, int]] = []
    entries, words = 0.0, 0
    for derivation, lattice in zip(derivations, found, strict=True):
        gold = Gold.of(parser.grammar, derivation, (), dependencies_of(derivation))
        unasked = np.full(len(lattice.words), -1, dtype=np.int32)
        gold = replace(gold, entries=unasked)
        searched = search(parser.grammar, lattice.cells, schedule, how, gold)
        last = searched.attempts[-1]
        entries += last.categories * len(lattice.words)
        words += len(lattice.words)
        if searched.chart is None or last.outcome is not Outcome.PARSED:
            continue
        for into, extreme in (best, oracle.best_f1), (worst, oracle.worst_f1):
            at = extreme(searched.chart.forest)
            into.append((at.correct, at.produced, gold.size))
    coverage = len(best) / max(len(derivations), 1)
    return OracleRow(entries / max(words, 1), coverage, *map(Counts.of_rows, (best, worst)))
