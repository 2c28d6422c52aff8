"""How good and how bad the parses in a parser's charts can be (Auli and Lopez 2011, table 2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from treewright.data.auto import read_auto
from treewright.data.records import Derivation
from treewright.forests.ccg.chart import ChartSettings, Gold, Outcome, ccg_chart
from treewright.grammar.defaults import check_entries
from treewright.grammar.dependencies import dependencies_of
from treewright.inference import oracle
from treewright.metrics.counts import Counts
from treewright.models.ccg.lattice import Lattice, lattices
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam
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
    found = ccg_oracle(parser, derivations, options.betas, options.cutoff, options.margin)
    title = "Labelled F1 of the best and the worst parses in the charts"
    return extremes_report(
        title, ("beta", "categories per word", "coverage"), [_shown(row) for row in found]
    )


def _shown(row: "OracleRow") -> Extremes:
    figures = {"beta": row.beam.beta, "categories": row.categories, "coverage": row.coverage}
    cells = (f"{row.beam.beta:g}", f"{row.categories:.2f}", percent(row.coverage))
    return Extremes(figures, cells, row.best, row.worst)


ORACLE = Oracle(_report, CcgOracleOptions)


@dataclass(frozen=True)
class OracleRow:
    """Labelled F1 of the best and the worst parse at one beam, over the sentences with a chart."""

    beam: Beam
    categories: float
    coverage: float
    best: Counts
    worst: Counts


def ccg_oracle(
    parser: CcgParser,
    derivations: Iterable[Derivation],
    betas: Sequence[float],
    cutoff: int = 20,
    margin: float | None = None,
) -> list[OracleRow]:
    """One row per beam; charts have the parser's settings, but for a margin that is given."""
    gold = list(derivations)
    words = [derivation.sentence.words for derivation in gold]
    pos = [[leaf.pos for leaf in derivation.leaves] for derivation in gold]
    found = lattices(parser.supertagger.tagger, words, pos, parser.entry_of_tag, cutoff)
    how = replace(parser.chart, spans=False, dependencies=True)
    if margin is not None:
        how = replace(how, margin=margin, cell_margin=margin)
    return [_row(parser, gold, found, Beam(beta, cutoff), how) for beta in betas]


def _row(
    parser: CcgParser,
    derivations: Sequence[Derivation],
    found: Sequence[Lattice],
    beam: Beam,
    how: ChartSettings,
) -> OracleRow:
    best: list[tuple[int, int, int]] = []
    worst: list[tuple[int, int, int]] = []
    entries = words = 0
    for derivation, lattice in zip(derivations, found, strict=True):
        cells = lattice.cells(beam)
        entries, words = entries + len(cells.entry), words + cells.words
        gold = Gold.of(parser.grammar, derivation, (), dependencies_of(derivation))
        gold = replace(gold, entries=np.full(cells.words, -1, dtype=np.int32))  # not asked for
        chart = ccg_chart(parser.grammar, cells, how, gold)
        if chart.outcome is not Outcome.PARSED:
            continue
        for into, extreme in (best, oracle.best_f1), (worst, oracle.worst_f1):
            at = extreme(chart.forest)
            into.append((at.correct, at.produced, gold.size))
    coverage = len(best) / max(len(derivations), 1)
    return OracleRow(
        beam, entries / max(words, 1), coverage, Counts.of_rows(best), Counts.of_rows(worst)
    )
