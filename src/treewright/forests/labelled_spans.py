"""Forests of all labelled trees over a sentence, without a grammar.

The nodes of a tree can have any number of children. They are combined from the right by artificial
nodes, which have no label and no score and are not counted by metrics. So every tree has exactly
one derivation, and losses are those of the original tree. With I for the inside of a span, X for a
labelled span or a bare word, and R for the remaining children of a node:

    I(i, j) = sum_k X(i, k) R(k, j)    X(i, j) = sum_l label(i, j, l) I(i, j)    R = X + I

There are O(n^3) edges for splits and O(n^2 labels) for labels. A label can represent a unary chain.
"""

import atexit
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices
from treewright.errors import ForestError
from treewright.forests.forest import NO_TAIL, Forest

LONGEST_KEPT = 60  # forests of longer sentences are large and kept only while in use
LabelledSpan = tuple[int, int, int]  # begin, end, label
Place = tuple[int, int]  # begin, end
Edges = tuple[NDArray[np.integer], NDArray[np.integer], NDArray[np.integer]]


@dataclass(frozen=True, eq=False)
class SpanForest:
    """A forest; part p < parts - 1 is the label `label[p]` over `begin[p]` to `end[p]`.

    The last part has the score 0. `inside`, `whole` and `rest` [words + 1, words + 1] are the nodes
    I, X and R of each span, -1 if there is none.
    """

    forest: Forest
    words: int
    labels: int
    begin: Indices
    end: Indices
    label: Indices
    inside: Indices
    whole: Indices
    rest: Indices

    def number(self, begin: int, end: int) -> int:
        """The number of a span; its labels are the parts from labels * number on."""
        if not 0 <= begin < end <= self.words:
            raise ForestError(f"the span {begin}, {end} is not in a sentence of {self.words} words")
        shorter = end - begin - 1  # there are words + 1 - w spans of width w
        return shorter * (self.words + 1) - shorter * (shorter + 1) // 2 + begin

    def columns(self) -> Indices:
        """The indices of the parts' scores in a table [words + 1, words + 1, labels].

        -1: no score.
        """
        cells = (self.begin * (self.words + 1) + self.end) * self.labels + self.label
        return np.append(cells, -1).astype(np.int32)

    def scores(self, table: NDArray[np.floating]) -> Floats:
        """The scores of the parts by a table [words + 1, words + 1, labels]: float64 [parts]."""
        found = np.zeros(len(self.label) + 1)
        found[:-1] = table[self.begin[:: self.labels], self.end[:: self.labels]].ravel()
        return found

    def derivation(self, spans: Iterable[LabelledSpan]) -> Indices:
        """The edges of the derivation of a tree, given by nested, distinct spans."""
        label = {(begin, end): number for begin, end, number in spans}
        if self.words > 1 and (0, self.words) not in label:
            raise ForestError("no label covers the whole sentence")
        edges: list[int] = []
        for (begin, end), parts in _children(label, self.words).items():
            place = label.get((begin, end), self.labels)
            edges.append(self._edge(self.whole, begin, end, place))
            if end - begin == 1:
                edges.append(self._edge(self.inside, begin, end, 0))
            for left, right in pairwise(parts):
                split = left[1] - left[0] - 1
                edges.append(self._edge(self.inside, left[0], end, split))
                if end - right[0] > 1:
                    edges.append(self._edge(self.rest, right[0], end, int(right[1] < end)))
        return np.array(edges, np.int32)

    def spans(self, edges: Indices) -> list[LabelledSpan]:
        """The labelled spans of a derivation."""
        parts = self.forest.part[edges]
        chosen = np.sort(parts[parts < len(self.label)])
        rows = np.stack((self.begin[chosen], self.end[chosen], self.label[chosen]), axis=1)
        return [(begin, end, label) for begin, end, label in rows.tolist()]

    def _edge(self, nodes: Indices, begin: int, end: int, place: int) -> int:
        return int(self.forest.first_edge[nodes[begin, end]]) + place


def _children(label: Iterable[Place], words: int) -> dict[Place, list[Place]]:
    """The labelled spans and bare words, each with its children."""
    places = sorted({*label, *((i, i + 1) for i in range(words))}, key=lambda s: (s[0], -s[1]))
    children: dict[Place, list[Place]] = {place: [] for place in places}
    open_spans: list[Place] = []
    for place in places:
        while open_spans and open_spans[-1][1] <= place[0]:
            open_spans.pop()
        if open_spans:
            if place[1] > open_spans[-1][1] or place[0] < 0 or place[1] > words:
                raise ForestError(
                    f"the span {place} crosses {open_spans[-1]} or the sentence's end"
                )
            children[open_spans[-1]].append(place)
        open_spans.append(place)
    return children


def span_forest(words: int, labels: int) -> SpanForest:
    """All trees of a sentence, cached by its length."""
    if words < 1 or labels < 1:
        raise ForestError(f"a forest of spans needs words and labels: {words}, {labels}")
    if words <= LONGEST_KEPT:
        return _kept(words, labels)
    made = _IN_USE.get((words, labels)) or _kept.__wrapped__(words, labels)
    return _IN_USE.setdefault((words, labels), made)


_IN_USE: WeakValueDictionary[tuple[int, int], SpanForest] = WeakValueDictionary()


@lru_cache(maxsize=2 * LONGEST_KEPT)
def _kept(words: int, labels: int) -> SpanForest:
    inside, whole, rest = _nodes(words)
    begin, end = _spans(words)
    silent = len(begin) * labels
    sizes, left, right, part = [], [], [], []
    for width in range(1, words + 1):
        i = np.arange(words - width + 1)
        of_inside = _inside_edges(i, width, whole, rest, silent)
        numbers = np.flatnonzero(end - begin == width)
        of_whole = _label_edges(numbers, inside[i, i + width], labels, silent, width == 1)
        blocks = [of_inside, of_whole]
        if 1 < width < words:
            both = np.stack((whole[i, i + width], inside[i, i + width]), axis=1)
            blocks.append((both, np.full_like(both, NO_TAIL), np.full_like(both, silent)))
        for first, second, parts in blocks:
            sizes.append(np.full(len(first), first.shape[1]))
            left.append(first.ravel())
            right.append(second.ravel())
            part.append(parts.ravel())
    first_edge = np.concatenate(([0], np.cumsum(np.concatenate(sizes))))
    lefts, rights, parts_of = (_joined(each) for each in (left, right, part))
    forest = Forest(first_edge.astype(np.int32), lefts, rights, parts_of, silent + 1)
    begins, ends = np.repeat(begin, labels), np.repeat(end, labels)
    label = np.tile(np.arange(labels, dtype=np.int32), len(begin))
    return SpanForest(forest, words, labels, begins, ends, label, inside, whole, rest)


atexit.register(_kept.cache_clear)  # other libraries may keep modules beyond the core's end


def _joined(arrays: list[NDArray[np.integer]]) -> Indices:
    return np.concatenate(arrays).astype(np.int32)


def _spans(words: int) -> tuple[Indices, Indices]:
    """All spans, sorted by width and begin."""
    widths = range(1, words + 1)
    begin = np.concatenate([np.arange(words - width + 1) for width in widths])
    width = np.repeat(widths, [words - width + 1 for width in widths])
    return begin.astype(np.int32), (begin + width).astype(np.int32)


def _nodes(words: int) -> tuple[Indices, Indices, Indices]:
    """The numbers of the nodes I, X and R, by width.

    R of a word is its X, the sentence has no R.
    """
    inside, whole, rest = np.full((3, words + 1, words + 1), -1, np.int32)
    used = 0
    for width in range(1, words + 1):
        i = np.arange(words - width + 1)
        for table in (inside, whole, rest) if 1 < width < words else (inside, whole):
            table[i, i + width] = used + i
            used += len(i)
        if width == 1:
            rest[i, i + 1] = whole[i, i + 1]
    return inside, whole, rest


def _inside_edges(
    i: NDArray[np.intp], width: int, whole: Indices, rest: Indices, silent: int
) -> Edges:
    """Left and right tails [spans, splits] of I and its part; a word has one edge without tails."""
    if width == 1:
        none = np.full((len(i), 1), NO_TAIL)
        return none, none, np.full_like(none, silent)
    k = i[:, None] + np.arange(1, width)
    return whole[i[:, None], k], rest[k, i[:, None] + width], np.full_like(k, silent)


def _label_edges(
    numbers: NDArray[np.intp], inside: Indices, labels: int, silent: int, bare: bool
) -> Edges:
    """Tails and parts [spans, labels] of X; a word also has an edge without a label."""
    parts = numbers[:, None] * labels + np.arange(labels)
    if bare:
        parts = np.pad(parts, ((0, 0), (0, 1)), constant_values=silent)
    tails = np.broadcast_to(inside[:, None], parts.shape)
    return tails, np.full(parts.shape, NO_TAIL), parts
