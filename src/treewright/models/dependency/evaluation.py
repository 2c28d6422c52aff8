"""Scores of dependency trees in CoNLL-U files, and oracle scores of k-best lists.

Trees are compared as in the CoNLL 2018 shared task. A graph-based parser can produce any tree and a
beam any tree of its transition system, so the oracle is computed on lists instead: the k best
trees, or those of a beam of size at least k.

With reordering rules, the word order that they derive from the trees is scored too (Hall et al.
2011, section 4.1).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treewright.config import setting
from treewright.data import conllu
from treewright.data.conllu import read
from treewright.data.dependency import DependencyTree
from treewright.errors import TreewrightError
from treewright.formats.objects import quantity
from treewright.grammar.reorder import read_rules
from treewright.metrics.counts import Counts
from treewright.metrics.dependency import DepScores, score
from treewright.metrics.depnodes import universal_relation
from treewright.metrics.reordering import reordering_counts
from treewright.metrics.sentences import NamedCounts, dep_counts
from treewright.models.dependency.analysis import DependencyAnalysis
from treewright.models.dependency.parser import DependencyParser
from treewright.models.evaluation import (
    PARTS,
    Evaluation,
    Extremes,
    Oracle,
    Report,
    Table,
    accuracy_report,
    cells,
    errors_of,
    percent,
)
from treewright.train.supervision import has_order, order_of, reference_order


@dataclass(frozen=True)
class DependencyEvaluationOptions:
    """Additional scores."""

    reorder: str | None = setting(
        None, "score reordering with these rules: a TOML file or a built-in rule set"
    )


def _report(pred: Path, gold: Path, options: DependencyEvaluationOptions) -> Report:
    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        scores = score(parses, trees)
        orders = _orders(parses, trees, options)
    tables = [_words(scores), _sentences(scores), _lengths(scores), _relations(scores)]
    shares = {name: each.score().r for name, each in orders.items()}
    if shares:
        rows = [(name, percent(share)) for name, share in shares.items()]
        tables.insert(2, Table(f"Word order by {options.reorder}", ("metric", "score"), rows))
    return Report({**scores.as_dict(), **shares}, tables)


def _counts(pred: Path, gold: Path, options: DependencyEvaluationOptions) -> NamedCounts:
    parses, trees = list(read(pred)), list(read(gold))
    with errors_of(pred):
        return dep_counts(parses, trees) | _orders(parses, trees, options)


def _orders(
    parses: Sequence[DependencyTree],
    trees: Sequence[DependencyTree],
    options: DependencyEvaluationOptions,
) -> NamedCounts:
    """Scores the word orders of parses against those in gold's comments, or of gold's trees."""
    if options.reorder is None:
        return {}
    if [tree.forms for tree in parses] != [tree.forms for tree in trees]:
        raise TreewrightError("reordering scores need the same sentences and words as gold")
    rules = read_rules(options.reorder)
    wanted = [reference_order(t) if has_order(t) else order_of(t, rules) for t in trees]
    counts: Counts = reordering_counts([order_of(tree, rules) for tree in parses], wanted)
    return {"reordering": counts, "reordering, exact": counts.exact()}


def _words(scores: DepScores) -> Table:
    title = f"Words of {quantity(scores.sentences, 'sentence')}"
    rows = scores.words.items()
    shown = [(name, *cells(row.score), percent(row.aligned_accuracy)) for name, row in rows]
    return Table(title, ("metric", *PARTS, "aligned"), shown)


def _sentences(scores: DepScores) -> Table:
    lengths = scores.arc_length_unlabelled, scores.arc_length_labelled
    exact = scores.exact_unlabelled, scores.exact_labelled
    rows = [("arc-length score", *map(percent, lengths)), ("exact match", *map(percent, exact))]
    return Table("Arc lengths and whole trees", ("metric", "unlabelled", "labelled"), rows)


def _lengths(scores: DepScores) -> Table:
    rows = [
        (name, str(row.sentences), percent(row.unlabelled.f), percent(row.labelled.f))
        for name, row in scores.by_length.items()
    ]
    return Table("By sentence length", ("words", "sentences", "UAS", "LAS"), rows)


def _relations(scores: DepScores) -> Table:
    rows = [(name, str(row.due), *cells(row)) for name, row in scores.by_relation.items()]
    return Table("Labelled attachment by relation", ("relation", "gold", *PARTS), rows)


EVALUATION = Evaluation(_report, _counts, DependencyEvaluationOptions)


Arcs = list[tuple[int, str]]  # heads and relations


@dataclass(frozen=True)
class DependencyOracleOptions:
    """List sizes, and the number of sentences to read."""

    sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    sentences: int = 0

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise ValueError("--sizes must be at least 1")


@dataclass(frozen=True)
class Choice:
    """The number of words of a tree with correct head and relation, and with correct head."""

    labelled: int
    unlabelled: int


def _oracle(parser: DependencyParser, gold: Path, options: DependencyOracleOptions) -> Report:
    trees = list(conllu.read(gold))[: options.sentences or None]
    parses = list(parser.parse_many(trees))
    rows = [_oracle_row(parses, trees, size) for size in options.sizes]
    title = "LAS of the best and the worst trees in lists"
    return accuracy_report(title, ("list", "trees", "UAS of the best"), rows)


def _oracle_row(
    analyses: Sequence[DependencyAnalysis], gold: Sequence[DependencyTree], size: int
) -> Extremes:
    best, worst, unlabelled, trees = [], [], [], 0
    for analysis, tree in zip(analyses, gold, strict=True):
        listed = [_choice(each, tree) for each in analysis.kbest(size)]
        at = max(listed, key=lambda choice: (choice.labelled, choice.unlabelled))
        n = len(tree)
        best.append((at.labelled, n, n))
        unlabelled.append((at.unlabelled, n, n))
        worst.append((min(choice.labelled for choice in listed), n, n))
        trees += len(listed)
    share, uas = trees / max(len(gold), 1), Counts.of_rows(unlabelled).score().f
    figures = {"list": size, "trees": share, "best_uas": uas}
    shown = (str(size), f"{share:.2f}", percent(uas))
    return Extremes(figures, shown, Counts.of_rows(best), Counts.of_rows(worst))


def _choice(analysis: DependencyAnalysis, gold: DependencyTree) -> Choice:
    arcs, due = _arcs(analysis.tree), _arcs(gold)
    pairs = list(zip(arcs, due, strict=True))
    return Choice(sum(a == b for a, b in pairs), sum(a[0] == b[0] for a, b in pairs))


def _arcs(tree: DependencyTree) -> Arcs:
    return [(word.head, universal_relation(word.deprel)) for word in tree.words]


ORACLE = Oracle(_oracle, DependencyOracleOptions)
