"""Scores of CCG parses in AUTO or PARG files."""

import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from treewright.config import setting
from treewright.data.parg import read_ccgbank
from treewright.data.records import FRAGMENTS, Dependencies, Derivation
from treewright.errors import GrammarError
from treewright.formats.objects import quantity
from treewright.grammar.indices import dependencies_of
from treewright.grammar.skipped import Skipped, some
from treewright.metrics.ccgdeps import (
    Analysis,
    CcgScores,
    ClarkCurranScores,
    clark_curran,
    comparable,
    score,
)
from treewright.metrics.sentences import NamedCounts, ccg_counts
from treewright.models.evaluation import (
    PARTS,
    Evaluation,
    Report,
    Table,
    cells,
    errors_of,
    percent,
)


@dataclass(frozen=True)
class CcgEvaluationOptions:
    """Options of the evaluation."""

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
    """The analyses of both files; sentences skipped in gold are removed from the output."""
    parses, derivations = ccg_analyses(pred, lost), ccg_analyses(gold, lost_gold)
    bad = {name for names in lost_gold.causes.values() for name in names}
    return {name: each for name, each in parses.items() if name not in bad}, derivations


def ccg_analyses(path: Path, skipped: Skipped | None = None) -> dict[str, Analysis]:
    """The analyses of a CCGbank file by sentence id; `skipped` collects unreadable sentences."""
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
        f"Dependencies of {quantity(scores.sentences, 'sentence')}",
        ("", *PARTS),
        [*((name, *cells(each)) for name, each in rows.items()), *known],
    )


def _clark_curran_table(scores: ClarkCurranScores) -> Table:
    values = scores.as_dict()
    names = [name for name in values if name != "sentences"]
    rows = [(name, percent(value)) for name, value in values.items() if name in names]
    title = f"{quantity(scores.sentences, 'sentence')} as Clark and Curran (2007)"
    return Table(title, ("", ""), rows)


def _skipped_table(name: str, skipped: Skipped) -> Table:
    title = f"{len(skipped)} of {skipped.sentences} sentences skipped in {name}"
    rows = [(cause, str(len(names)), some(names)) for cause, names in skipped.by_frequency()]
    return Table(title, ("cause", "sentences", "ids"), rows)


EVALUATION = Evaluation(_report, _counts, CcgEvaluationOptions)
