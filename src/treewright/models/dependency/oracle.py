"""How good and how bad the trees of a dependency parser's k-best lists are.

All trees are open to a graph-based parser, and all that a transition system can build to a beam, so
lists stand for the search space: those of the k best trees, or of a beam of at least k.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from treewright.data import conllu
from treewright.data.dependency import DependencyTree
from treewright.metrics.counts import Counts
from treewright.metrics.deprules import universal_relation
from treewright.models.dependency.analysis import DependencyAnalysis
from treewright.models.dependency.parser import DependencyParser
from treewright.models.evaluation import Extremes, Oracle, Report, accuracy_report, percent

Arcs = list[tuple[int, str]]  # heads and relations


@dataclass(frozen=True)
class DependencyOracleOptions:
    """Lengths of the lists, and how much is read."""

    sizes: tuple[int, ...] = (1, 2, 4, 8, 16, 32)
    sentences: int = 0

    def __post_init__(self) -> None:
        if not self.sizes or min(self.sizes) < 1:
            raise ValueError("every number of --sizes must be at least 1")


@dataclass(frozen=True)
class Choice:
    """Right words of one tree: with their heads and relations, and with their heads."""

    labelled: int
    unlabelled: int


def _report(parser: DependencyParser, gold: Path, options: DependencyOracleOptions) -> Report:
    trees = list(conllu.read(gold))[: options.sentences or None]
    parses = list(parser.parse_many(trees))
    rows = [_row(parses, trees, size) for size in options.sizes]
    title = "LAS of the best and the worst trees in lists"
    return accuracy_report(title, ("list", "trees", "UAS of the best"), rows)


def _row(
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


ORACLE = Oracle(_report, DependencyOracleOptions)
