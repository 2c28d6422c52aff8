"""How good and how bad the parses in a parser's charts can be (Auli and Lopez 2011, table 2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from treewright.data.records import Derivation
from treewright.forests.ccg.chart import ChartSettings, Gold, Outcome, ccg_chart
from treewright.grammar.dependencies import dependencies_of
from treewright.inference import oracle
from treewright.metrics.counts import Counts
from treewright.models.ccg.lattice import Lattice, lattices
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam


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
    """One row a beam; charts have the parser's settings, but for a margin that is given."""
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
