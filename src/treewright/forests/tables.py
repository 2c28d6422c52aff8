"""Training examples whose parts refer to a table of scores per sentence, written by a network.

tags            [words, tags], then transitions [tags + 1, ..., tags + 1], 0 outside
arcs            [words + 1, words + 1, labels], head by word; the root is 0
labelled spans  [words + 1, words + 1, labels], begin by end
CCG charts      [words, tags], then
[words + 1, words + 1, slots], functor by argument, words from 1; then, with rules,
[words + 1, words + 1, labels], begin by end
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import Indices, Integers
from treewright.errors import ForestError
from treewright.forests.build import chain
from treewright.forests.ccg.chart import CcgChart, PartKind
from treewright.forests.ccg.rules import RuleLabels
from treewright.forests.dependency.arcs import Arcs, arc_forest
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.forest import Forest
from treewright.forests.labelled_spans import LabelledSpan, SpanForest, span_forest


def tag_example(gold: Sequence[int], tags: int, order: int = 0, name: str = "") -> Example:
    """All tag sequences; losses count correct tags.

    Args:
        gold: the gold tags.
        tags: the number of tags.
        order: 0 to 2, the number of preceding tags in a transition.
        name: the name of the sentence.
    """
    words = len(gold)
    built = chain([np.arange(tags)] * words, order)
    size = tags + 1
    moves = np.zeros(len(built.ngrams), np.int64)
    for place in range(built.ngrams.shape[1] if built.ngrams.ndim == 2 else 0):
        moves = moves * size + built.ngrams[:, place] + 1
    columns = np.concatenate((np.arange(built.candidates), words * tags + moves))
    right = np.zeros(built.forest.parts, np.bool_)
    right[np.arange(words) * tags + np.asarray(gold, np.int64)] = True
    emits = np.arange(built.forest.parts) < built.candidates
    counts = np.stack((right, emits, emits)).astype(np.int16)
    forest = built.forest.with_counts(counts, words)
    golden = forest.restrict((right | ~emits)[forest.part])
    return Example(forest, FeatureMatrix.from_columns(columns), golden, name)


def arc_example(
    heads: ArrayLike,
    labels: ArrayLike,
    number: int,
    labelled: bool = True,
    single_root: bool = True,
    name: str = "",
) -> Example:
    """All projective trees with any labels; losses count correct arcs.

    Args:
        heads: the gold heads; the tree must be projective.
        labels: the gold labels.
        number: the number of labels.
        labelled: whether losses count an arc with a wrong label as wrong.
        single_root: whether trees have only one root.
        name: the name of the sentence.
    """
    words = len(np.asarray(heads))
    arcs = labelled_arcs(words, number, single_root)
    counted = arcs.counted(heads, labels if labelled else None)
    features = FeatureMatrix.from_columns(arc_columns(arcs, number))
    return Example(counted.forest, features, counted.gold(heads, labels), name)


def labelled_arcs(words: int, labels: int, single_root: bool = True) -> Arcs:
    """The forest of all projective trees with any labels."""
    grid = np.indices((words + 1, words + 1, labels), np.int32).reshape(3, -1)
    head, word, label = grid[:, (grid[1] > 0) & (grid[0] != grid[1])]
    return arc_forest(words, head, word, label, single_root=single_root)


def arc_columns(arcs: Arcs, labels: int) -> Indices:
    """The indices in a table [words + 1, words + 1, labels] of the parts of an arc forest."""
    cells = (arcs.head * (arcs.words + 1) + arcs.word) * labels + arcs.label
    silent = np.full(arcs.forest.parts - len(arcs), -1, np.int32)
    return np.concatenate((cells, silent)).astype(np.int32)


def span_example(
    spans: Iterable[LabelledSpan], words: int, chains: Sequence[Sequence[str]], name: str = ""
) -> Example:
    """All trees of labelled spans; losses count correct constituents.

    Args:
        spans: the gold tree, with each span once: begin, end and label number.
        words: the number of words.
        chains: for each label, the labels that a metric counts: those of its unary chain.
        name: the name of the sentence.
    """
    gold = list(spans)
    made = span_forest(words, len(chains))
    forest = made.forest.with_counts(
        _span_counts(made, gold, chains), sum(len(chains[label]) for *_, label in gold)
    )
    features = FeatureMatrix.from_columns(made.columns())
    try:
        golden = forest.restrict(made.derivation(gold))
    except ForestError as error:
        raise ForestError(f"{name or 'tree'}: {error}") from error
    return Example(forest, features, golden, name)


@dataclass(frozen=True, eq=False)
class SpanExamples(Sequence[Example]):
    """The examples of trees of labelled spans, made when they are used: forests take memory.

    trees: the number of words and the labelled spans of each; chains: see `span_example`.
    """

    trees: Sequence[tuple[int, Sequence[LabelledSpan]]]
    chains: Sequence[Sequence[str]]

    def __len__(self) -> int:
        return len(self.trees)

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> list[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | list[Example]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        words, spans = self.trees[index]
        return span_example(spans, words, self.chains)


def _span_counts(
    made: SpanForest, gold: Sequence[LabelledSpan], chains: Sequence[Sequence[str]]
) -> NDArray[np.int16]:
    """n, d and c of the parts: int16 [3, parts]."""
    common, labels = _common(tuple(map(tuple, chains))), len(chains)
    counts = np.zeros((3, made.forest.parts), np.int16)
    counts[1, :-1] = common.diagonal()[made.label]
    for begin, end, right in gold:
        first = labels * made.number(begin, end)
        counts[0, first : first + labels] = common[right]
        counts[2, first : first + labels] = common[right, right]
    return counts


@lru_cache(maxsize=4)
def _common(chains: tuple[tuple[str, ...], ...]) -> NDArray[np.int16]:
    """The number of nodes that two chains have in common: int16 [labels, labels]."""
    rows = [[(Counter(a) & Counter(b)).total() for b in chains] for a in chains]
    return np.array(rows, np.int16)


def chart_example(
    chart: CcgChart,
    tag_of_entry: Indices,
    tags: int,
    slots: int,
    gold: Forest,
    name: str = "",
    rules: RuleLabels | None = None,
) -> Example:
    """The derivations of a CCG chart, with scores for lexical entries, dependencies and rules.

    Args:
        chart: a chart with the counts of a gold analysis.
        tag_of_entry: the tag of each of the grammar's entries; -1: no score.
        tags: the number of tags.
        slots: the number of slots; later slots share the scores of the last one.
        gold: the target derivations of training.
        name: the name of the sentence.
        rules: the labels of rules, for charts with spans; without them, rules have no scores.
    """
    features = chart_features(chart, tag_of_entry, tags, slots, rules)
    return Example(chart.forest, features, gold, name)


def chart_features(
    chart: CcgChart,
    tag_of_entry: Indices,
    tags: int,
    slots: int,
    rules: RuleLabels | None = None,
) -> FeatureMatrix:
    """The indices in the table of a CCG chart of the scores that are added in each part."""
    cells, words = chart.cells, chart.cells.words
    word_of_cell = np.repeat(np.arange(words), np.diff(cells.first))
    lexical = np.flatnonzero(chart.parts[:, 0] == PartKind.LEXICAL)
    cell = chart.parts[lexical, 1]
    tag = tag_of_entry[cells.entry[cell]]
    lexical, entries = lexical[tag >= 0], (word_of_cell[cell] * tags + tag)[tag >= 0]
    rows, row = chart.dependencies
    functor, relation, argument = rows.T.astype(np.int64)
    slot = np.array([slot for _, slot in chart.grammar.tables.relations], np.int64)[relation] - 1
    places = (functor + 1) * (words + 1) + argument + 1
    dependencies = words * tags + places * slots + np.minimum(slot, slots - 1)
    first, number = chart.filled
    of_part, of_span = _rule_columns(chart, words * tags + (words + 1) ** 2 * slots, rules)
    part = np.concatenate((lexical, np.repeat(np.arange(len(first) - 1), np.diff(first)), of_part))
    column = np.concatenate((entries, dependencies[row[number]], of_span))
    order = np.argsort(part, kind="stable")
    ends = np.cumsum(np.bincount(part, minlength=len(first) - 1))
    return FeatureMatrix.from_csr(np.concatenate(([0], ends)), column[order])


def _rule_columns(
    chart: CcgChart, start: int, labels: RuleLabels | None
) -> tuple[Indices, Integers]:
    """The parts of a chart that are rules, and the indices of their scores."""
    if labels is None:
        return np.zeros(0, np.int32), np.zeros(0, np.int64)
    rules, size = labels.parts(chart), chart.cells.words + 1
    places = rules.begin.astype(np.int64) * size + rules.end
    return rules.part, start + places * len(labels) + rules.label
