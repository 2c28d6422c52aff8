"""Scores of CCG parses in AUTO or PARG files, and of the best and worst parses in charts.

The oracle follows table 2 of Auli and Lopez (2011).
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from treewright.config import setting
from treewright.data.auto import read_auto
from treewright.data.parg import read_ccgbank
from treewright.data.records import FRAGMENTS, Dependencies, Derivation
from treewright.errors import GrammarError
from treewright.forests.ccg.chart import ChartSettings, Gold, Outcome
from treewright.grammar.defaults import check_entries
from treewright.grammar.indices import dependencies_of
from treewright.grammar.skipped import Skipped, some
from treewright.inference import oracle
from treewright.metrics.ccgdeps import (
    Analysis,
    CcgScores,
    ClarkCurranScores,
    clark_curran,
    comparable,
    score,
)
from treewright.metrics.counts import Counts
from treewright.metrics.sentences import NamedCounts, ccg_counts
from treewright.models.ccg.lattice import Lattice, lattices
from treewright.models.ccg.parser import CcgParser
from treewright.models.ccg.search import Beam, Schedule, search
from treewright.models.evaluation import (
    PARTS,
    Evaluation,
    Extremes,
    Oracle,
    Report,
    Table,
    cells,
    check_shares,
    errors_of,
    extremes_report,
    percent,
)


@dataclass(frozen=True)
class CcgEvaluationOptions:
    """What counts, and how."""

    clark_curran: bool = setting(False, "score as Clark and Curran (2007)")
    skip_bad: bool = setting(
        False, "skip sentences that cannot be read or have a step that matches no rule"
    )


def _report(pred: Path, gold: Path, options: CcgEvaluationOptions) -> Report:
    lost = [Skipped(strict=not options.skip_bad) for _ in range(2)]
    parses, derivations = _both(pred, gold, *lost)
    values: dict[str, object] = {}
    with errors_of(pred):
        if options.clark_curran:
            theirs = clark_curran(parses, derivations)
            tables = [_clark_curran_table(theirs)]
            values |= theirs.as_dict()
        else:
            scores = score(parses, derivations)
            tables = [_table(scores)]
            values |= scores.as_dict()
    for name, skipped in zip(("output", "gold"), lost, strict=True):
        if skipped:
            values[f"skipped in {name}"] = skipped.report()
            tables.append(_skipped_table(name, skipped))
    return Report(values, tables)


def _counts(pred: Path, gold: Path, options: CcgEvaluationOptions) -> NamedCounts:
    lost = [Skipped(strict=not options.skip_bad) for _ in range(2)]
    parses, derivations = _both(pred, gold, *lost)
    for path, skipped in zip((pred, gold), lost, strict=True):
        if skipped:
            message = f"{path}: {len(skipped)} of {skipped.sentences} sentences skipped"
            warnings.warn(message, stacklevel=2)
    if options.clark_curran:
        parses, derivations = (
            {name: comparable(each) for name, each in analyses.items()}
            for analyses in (parses, derivations)
        )
    with errors_of(pred):
        return ccg_counts(parses, derivations)


def _both(
    pred: Path, gold: Path, lost: Skipped, lost_gold: Skipped
) -> tuple[dict[str, Analysis], dict[str, Analysis]]:
    """The analyses of both files; what is skipped in gold does not count in the output."""
    parses, derivations = ccg_analyses(pred, lost), ccg_analyses(gold, lost_gold)
    bad = {name for names in lost_gold.causes.values() for name in names}
    return {name: each for name, each in parses.items() if name not in bad}, derivations


def ccg_analyses(path: Path, skipped: Skipped | None = None) -> dict[str, Analysis]:
    """The analyses of a CCGbank file by sentence id; `skipped` counts those that have none."""
    skipped = Skipped(strict=True) if skipped is None else skipped
    analyses: dict[str, Analysis] = {}
    for sentence in read_ccgbank(path, None if skipped.strict else skipped.damaged):
        if isinstance(sentence, Derivation) and sentence.root.category == FRAGMENTS:
            continue  # no parse
        if sentence.id in analyses:
            raise GrammarError(f"{path}: sentence {sentence.id} appears twice")
        analysis = skipped.attempt(str(path), sentence.id, partial(_analysis, sentence))
        if analysis is not None:
            analyses[sentence.id] = analysis
    return analyses


def _analysis(sentence: Derivation | Dependencies) -> Analysis:
    if isinstance(sentence, Derivation):
        supertags = tuple(leaf.category for leaf in sentence.leaves)
        return Analysis(frozenset(dependencies_of(sentence)), supertags)
    return Analysis(frozenset(sentence.rows))


def _table(scores: CcgScores) -> Table:
    rows = {
        "labelled": scores.labelled,
        "unlabelled": scores.unlabelled,
        "labelled, missing parses counted": scores.labelled_all,
        "unlabelled, missing parses counted": scores.unlabelled_all,
    }
    shares = {"supertags": scores.supertags, "coverage": scores.coverage}
    known = ((name, "", "", percent(each)) for name, each in shares.items() if each is not None)
    return Table(
        f"Dependencies of {scores.sentences} sentences",
        ("", *PARTS),
        [*((name, *cells(each)) for name, each in rows.items()), *known],
    )


def _clark_curran_table(scores: ClarkCurranScores) -> Table:
    values = scores.as_dict()
    names = [name for name in values if name != "sentences"]
    rows = [(name, percent(value)) for name, value in values.items() if name in names]
    return Table(f"{scores.sentences} sentences as Clark and Curran (2007)", ("", ""), rows)


def _skipped_table(name: str, skipped: Skipped) -> Table:
    title = f"{len(skipped)} of {skipped.sentences} sentences skipped in {name}"
    rows = [(cause, str(len(names)), some(names)) for cause, names in skipped.by_frequency()]
    return Table(title, ("cause", "sentences", "ids"), rows)


EVALUATION = Evaluation(_report, _counts, CcgEvaluationOptions)


@dataclass(frozen=True)
class CcgOracleOptions:
    """Beams and cutoff of the supertagger, a margin in place of the charts', how much is read."""

    betas: tuple[float, ...] = (0.075, 0.03, 0.01, 0.005, 0.001)
    cutoff: int = 20
    margin: float | None = None
    sentences: int = 0

    def __post_init__(self) -> None:
        check_shares("betas", self.betas)


def _oracle(parser: CcgParser, gold: Path, options: CcgOracleOptions) -> Report:
    derivations = list(read_auto(gold, check_entries))[: options.sentences or None]
    beams = [Schedule((Beam(beta, options.cutoff),)) for beta in options.betas]
    rows = ccg_oracle(parser, derivations, beams, options.margin)
    title = "Labelled F1 of the best and the worst parses in the charts"
    return extremes_report(
        title, ("beta", "categories per word", "coverage"), [*map(_extremes, options.betas, rows)]
    )


def _extremes(beta: float, row: "OracleRow") -> Extremes:
    figures = {"beta": beta, "categories": row.categories, "coverage": row.coverage}
    cells = (f"{beta:g}", f"{row.categories:.2f}", percent(row.coverage))
    return Extremes(figures, cells, row.best, row.worst)


ORACLE = Oracle(_oracle, CcgOracleOptions)


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
    tagged = lattices(parser.supertagger.tagger, words, pos, parser.entry_of_tag, cutoff)
    how = replace(parser.chart, spans=False, dependencies=True)
    if margin is not None:
        how = replace(how, margin=margin, cell_margin=margin)
    return [_oracle_row(parser, gold, tagged, schedule, how) for schedule in schedules]


def _oracle_row(
    parser: CcgParser,
    derivations: Sequence[Derivation],
    tagged: Sequence[Lattice],
    schedule: Schedule,
    how: ChartSettings,
) -> OracleRow:
    best: list[tuple[int, int, int]] = []
    worst: list[tuple[int, int, int]] = []
    entries, words = 0.0, 0
    for derivation, lattice in zip(derivations, tagged, strict=True):
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
