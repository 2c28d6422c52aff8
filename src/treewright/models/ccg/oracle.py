"""The best and the worst parses in CCG charts (Auli and Lopez 2011, section 3 and table 2)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from treewright.data.auto import read_auto
from treewright.data.records import Derivation
from treewright.forests.ccg.chart import Cells, ChartSettings, Gold, Outcome
from treewright.grammar.compiled import CompiledGrammar
from treewright.grammar.defaults import check_entries
from treewright.grammar.indices import dependencies_of
from treewright.inference import oracle
from treewright.metrics.counts import Counts
from treewright.models.ccg.lattice import lattices
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import PAPER, Beam, CellsOf, Schedule, search
from treewright.models.evaluation import (
    Extremes,
    Oracle,
    Report,
    check_shares,
    extremes_report,
    percent,
)

CUTOFFS = {beam.beta: beam.cutoff for beam in PAPER}
GOLD = Schedule((Beam(1.0, 0),))  # gold supertags: the only choice


@dataclass(frozen=True)
class CcgOracleOptions:
    """Supertagger beams, limits that replace those of the charts, and the sentences to read.

    cutoff: the cutoff of the word dictionary; None: as in the paper, 150 for the widest beam and 20
    for others.
    """

    betas: tuple[float, ...] = tuple(CUTOFFS)
    cutoff: int | None = None
    margin: float | None = None
    max_items: int | None = None
    max_words: int | None = None
    sentences: int = 0

    def __post_init__(self) -> None:
        check_shares("betas", self.betas)

    def beam(self, beta: float) -> Beam:
        """The beam with this beta."""
        return Beam(beta, CUTOFFS.get(beta, 20) if self.cutoff is None else self.cutoff)


@dataclass(frozen=True)
class OracleRow:
    """Labelled F1 of the best and the worst parse, over the sentences with a parse.

    categories: the number per word in the last chart that was tried.
    """

    categories: float
    coverage: float
    best: Counts
    worst: Counts


def _oracle(parser: CcgParser, gold: Path, options: CcgOracleOptions) -> Report:
    read = list(read_auto(gold, check_entries))[: options.sentences or None]
    most = options.max_words or math.inf
    derivations = [each for each in read if len(each.leaves) <= most]
    beams = [options.beam(beta) for beta in options.betas]
    how = oracle_charts(parser, options.margin, options.max_items)
    rows = ccg_oracle(parser, derivations, [Schedule((beam,)) for beam in beams], how)
    named = [*map(_extremes, beams, rows), _perfect(gold_oracle(parser, derivations, how))]
    title = "Labelled F1 of the best and the worst parses in the charts"
    columns = ("beta", "cutoff", "categories per word", "coverage")
    return extremes_report(title, columns, named)


def _extremes(beam: Beam, row: OracleRow) -> Extremes:
    figures = {**beam._asdict(), "categories": row.categories, "coverage": row.coverage}
    cells = (f"{beam.beta:g}", str(beam.cutoff), f"{row.categories:.2f}", percent(row.coverage))
    return Extremes(figures, cells, row.best, row.worst)


def _perfect(row: OracleRow) -> Extremes:
    """The row of gold supertags."""
    figures = {"beta": None, "categories": row.categories, "coverage": row.coverage}
    cells = ("gold supertags", "", f"{row.categories:.2f}", percent(row.coverage))
    return Extremes(figures, cells, row.best, row.worst)


ORACLE = Oracle(_oracle, CcgOracleOptions)


def oracle_charts(
    parser: CcgParser, margin: float | None = None, max_items: int | None = None
) -> ChartSettings:
    """The parser's chart settings with all dependencies, and with other limits if given."""
    how = replace(parser.chart, spans=False, dependencies=True)
    if margin is not None:
        how = replace(how, margin=margin, cell_margin=margin)
    return how if max_items is None else replace(how, max_items=max_items)


def ccg_oracle(
    parser: CcgParser,
    derivations: Sequence[Derivation],
    schedules: Sequence[Schedule],
    how: ChartSettings,
) -> list[OracleRow]:
    """The best and the worst parses within the supertagger's beams, one row per schedule."""
    words = [derivation.sentence.words for derivation in derivations]
    pos = [[leaf.pos for leaf in derivation.leaves] for derivation in derivations]
    cutoff = schedules[0].beams[0].cutoff
    tagged = lattices(parser.supertagger.tagger, words, pos, parser.entry_of_tag, cutoff)
    cells = [lattice.cells for lattice in tagged]
    return [_row(parser.grammar, derivations, cells, schedule, how) for schedule in schedules]


def gold_oracle(
    parser: CcgParser, derivations: Sequence[Derivation], how: ChartSettings
) -> OracleRow:
    """The same with a perfect supertagger, so that only the grammar limits the parses.

    Each word has all entries of its gold category.
    """
    entries: dict[str, list[int]] = {}
    for number, entry in enumerate(parser.grammar.tables.entries):
        entries.setdefault(str(entry.category), []).append(number)

    def cells(derivation: Derivation, _: Beam) -> Cells:
        return Cells.of([entries.get(leaf.category, []) for leaf in derivation.leaves])

    of_gold = [partial(cells, derivation) for derivation in derivations]
    return _row(parser.grammar, derivations, of_gold, GOLD, how)


def _row(
    grammar: CompiledGrammar,
    derivations: Sequence[Derivation],
    cells: Sequence[CellsOf],
    schedule: Schedule,
    how: ChartSettings,
) -> OracleRow:
    words = sum(len(derivation.leaves) for derivation in derivations)
    found = list(_extreme_counts(grammar, derivations, cells, schedule, how))
    best, worst = ([pair[i] for _, pair in found if pair is not None] for i in (0, 1))
    coverage = len(best) / max(len(derivations), 1)
    categories = sum(entries for entries, _ in found) / max(words, 1)
    return OracleRow(categories, coverage, Counts.of_rows(best), Counts.of_rows(worst))


Row = tuple[int, int, int]  # correct, produced and due dependencies


def _extreme_counts(
    grammar: CompiledGrammar,
    derivations: Sequence[Derivation],
    cells: Sequence[CellsOf],
    schedule: Schedule,
    how: ChartSettings,
) -> Iterator[tuple[float, tuple[Row, Row] | None]]:
    """For each sentence, the number of categories, and the best and worst parse if it has any."""
    for derivation, cells_of in zip(derivations, cells, strict=True):
        gold = Gold.of(grammar, derivation, (), dependencies_of(derivation))
        unasked = np.full(len(derivation.leaves), -1, dtype=np.int32)
        searched = search(grammar, cells_of, schedule, how, replace(gold, entries=unasked))
        last, chart = searched.attempts[-1], searched.chart
        entries = last.categories * len(derivation.leaves)
        if chart is None or last.outcome is not Outcome.PARSED:
            yield entries, None
            continue
        ends = oracle.best_f1(chart.forest), oracle.worst_f1(chart.forest)
        best, worst = ((each.correct, each.produced, gold.size) for each in ends)
        yield entries, (best, worst)
