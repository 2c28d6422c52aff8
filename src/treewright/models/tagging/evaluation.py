"""Scores of taggers, and their oracle accuracy within a beam.

Files are AUTO, or lines in the output format of taggers: `word|POS`, or `word|POS|category`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from treewright.data.auto import read_auto
from treewright.data.lines import peeked, read_lines
from treewright.data.records import Leaf, Sentence
from treewright.errors import FormatError, TreewrightError
from treewright.metrics.counts import Counts
from treewright.metrics.sentences import NamedCounts
from treewright.metrics.tags import Tagged, TagScores, score, tag_counts
from treewright.models.contract import Analysis, Parser
from treewright.models.evaluation import (
    PARTS,
    Evaluation,
    Extremes,
    Oracle,
    Report,
    Table,
    accuracy_report,
    cells,
    check_shares,
    errors_of,
    percent,
)
from treewright.models.kinds import Kind
from treewright.models.tagging.analysis import TagAnalysis, within
from treewright.models.tagging.parser import TaggerModel
from treewright.storage.bundle import Bundle
from treewright.storage.pruning import FeatureTable
from treewright.train.run import Run

MARK = "|"


@dataclass(frozen=True)
class Columns:
    """The format of tagged tokens: number of fields up to the tag, and attribute of leaves."""

    name: str
    before: int
    attribute: str

    def of_leaf(self, leaf: Leaf) -> tuple[str, str]:
        return leaf.word, getattr(leaf, self.attribute)

    def of_token(self, token: str) -> tuple[str, str]:
        word, *fields = token.rsplit(MARK, self.before)
        if len(fields) < self.before or not word or not all(fields):
            raise ValueError(f"expected {self.name}, not {token!r}")
        return word, fields[-1]


POS = Columns("word|POS", 1, "pos")
CATEGORIES = Columns("word|POS|category", 2, "category")


def read_tagged(path: Path, columns: Columns) -> Iterator[list[tuple[str, str]]]:
    """Reads the words of each sentence with their tags."""
    with peeked(path) as (first, file):
        if first.startswith("ID="):
            rows = (derivation.leaves for derivation in read_auto(file))
            yield from ([columns.of_leaf(leaf) for leaf in row] for row in rows)
            return
        for number, line in read_lines(file):
            try:
                yield [columns.of_token(token) for token in line.split()]
            except ValueError as error:
                raise FormatError(path, number, str(error)) from error


@dataclass(frozen=True)
class TagOptions:
    """A file with known words: the training data."""

    known: Path | None = None


def _files(
    columns: Columns, pred: Path, gold: Path, options: TagOptions
) -> tuple[Sequence[Tagged], Sequence[Tagged], set[str] | None]:
    produced, due = (list(read_tagged(path, columns)) for path in (pred, gold))
    if options.known is None:
        return produced, due, None
    return produced, due, {word for row in read_tagged(options.known, columns) for word, _ in row}


def _report(columns: Columns, pred: Path, gold: Path, options: TagOptions) -> Report:
    files = _files(columns, pred, gold, options)
    with errors_of(pred):
        scores = score(*files)
    return Report(scores.as_dict(), [_accuracy(scores), _tags(scores)])


def _counts(columns: Columns, pred: Path, gold: Path, options: TagOptions) -> NamedCounts:
    files = _files(columns, pred, gold, options)
    with errors_of(pred):
        return tag_counts(*files)


def _accuracy(scores: TagScores) -> Table:
    rows = {"words": scores.words, "unknown words": scores.unknown, "sentences": scores.exact}
    shown = [(name, percent(row.f), str(row.due)) for name, row in rows.items() if row]
    return Table("Accuracy", ("", "right", "of"), shown)


def _tags(scores: TagScores) -> Table:
    rows = [(tag, str(row.due), *cells(row)) for tag, row in scores.by_tag.items()]
    return Table("By tag", ("tag", "gold", *PARTS), rows)


def evaluation(columns: Columns) -> Evaluation:
    """The evaluation of taggers with this file format."""
    return Evaluation(partial(_report, columns), partial(_counts, columns), TagOptions)


@dataclass(frozen=True)
class TagOracleOptions:
    """Beams, the cutoff of the word dictionary (None: the model's), and the sentences to read."""

    betas: tuple[float, ...] = (0.1, 0.01, 0.001, 0.0001)
    cutoff: int | None = None
    sentences: int = 0

    def __post_init__(self) -> None:
        check_shares("betas", self.betas)


def _oracle(columns: Columns, model: TaggerModel, gold: Path, options: TagOracleOptions) -> Report:
    due = list(read_tagged(gold, columns))[: options.sentences or None]
    if options.cutoff is not None:
        model = model.with_settings(dictionary_cutoff=options.cutoff)
    parses = list(model.parse_many(Sentence.of([word for word, _ in row]) for row in due))
    if not any(due):
        raise TreewrightError(f"{gold}: no words")
    rows = [_row(parses, due, beta) for beta in options.betas]
    title = "Accuracy of the best and the worst tags within the beam"
    return accuracy_report(title, ("beta", "tags per word"), rows)


def _row(analyses: Sequence[TagAnalysis], gold: Sequence[Tagged], beta: float) -> Extremes:
    best, worst, tags, words = [], [], 0, 0
    for analysis, sentence in zip(analyses, gold, strict=True):
        kept = [within(row, beta) for row in analysis.marginals]
        pairs = list(zip(kept, (tag for _, tag in sentence), strict=True))
        n = len(pairs)
        best.append((sum(tag in row for row, tag in pairs), n, n))
        worst.append((sum(tag in row and len(row) == 1 for row, tag in pairs), n, n))
        tags, words = tags + sum(map(len, kept)), words + n
    share = tags / words
    figures = {"beta": beta, "tags": share}
    extremes = Counts.of_rows(best), Counts.of_rows(worst)
    return Extremes(figures, (f"{beta:g}", f"{share:.2f}"), *extremes)


def oracle(columns: Columns) -> Oracle:
    """The oracle of taggers with this file format."""
    return Oracle(partial(_oracle, columns), TagOracleOptions)


def tagger_kind(
    name: str,
    settings: type,
    train: Callable[[Any, Run], Parser[Analysis]],
    load: Callable[[Bundle], Parser[Analysis]],
    columns: Columns,
    neural: str,
) -> Kind:
    """A kind of tagger with this file format; `neural` names its neural scorer."""
    return Kind(
        name,
        settings,
        train,
        load,
        ray=True,
        evaluation=evaluation(columns),
        oracle=oracle(columns),
        table=FeatureTable("keys", "row_first", ("row_tag",), ("local", "chain"), fine=("chain",)),
        rounded=("bigram", "trigram"),
        metric="accuracy",
        scorers={"neural": f"treewright.models.neural.scorers:{neural}"},
    )
