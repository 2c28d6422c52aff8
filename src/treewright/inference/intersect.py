"""Exact joint inference of a tagger and a parser, by intersection.

Each node of the parser's forest is split by the values of the words at its ends, and the tagger's
transition is added where two spans meet (Bar-Hillel et al. 1964). The result is a forest, so its
Viterbi derivation is the joint optimum and its marginals are the joint ones: the reference for
belief propagation and dual decomposition on short sentences.

A tagger of order 2 is one of order 1 whose values are pairs of tags, of the previous word and of
the word: each leaf of the parser is copied for each value of the previous word, and inconsistent
pairs have no transition.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright.arrays import Floats, Indices
from treewright.forests.build import MAX_EDGES, Chain
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.inference.factors import Best, ForestFactor, Variables


@dataclass(frozen=True, eq=False)
class ChainTables:
    """Scores of a first-order chain: single values, both ends, and neighbours.

    emission [values]; start and stop [values of the first and the last variable]; transition: the
    tables [values, values] of all pairs of neighbours, concatenated. paired: whether values are
    those of `paired_variables`.
    """

    emission: Floats
    start: Floats
    stop: Floats
    transition: Floats
    paired: bool = False


def chain_tables(chain: Chain, candidates: Sequence[ArrayLike], scores: Floats) -> ChainTables:
    """The tables of a chain over these candidates.

    In a chain of order 2, values are pairs, see `paired_variables`.
    """
    tags = [np.asarray(row, dtype=np.int64) for row in candidates]
    emission, rest = scores[: chain.candidates], scores[chain.candidates :]
    order = chain.ngrams.shape[1] - 1
    if order == 0:
        pairs = np.zeros(sum(len(a) * len(b) for a, b in pairwise(tags)))
        return ChainTables(emission, np.zeros(len(tags[0])), np.zeros(len(tags[-1])), pairs)
    base = max(int(row.max()) for row in tags) + 2
    keys = _numbers(base, *chain.ngrams.astype(np.int64).T)
    by_key = np.argsort(keys)

    def of(*ngram: np.ndarray) -> Floats:
        """The scores of n-grams; their tags are broadcast."""
        wanted = _numbers(base, *ngram)
        found: Floats = rest[by_key[np.searchsorted(keys[by_key], wanted)]]
        return found

    make = _first_order if order == 1 else _second_order
    start, stop, steps = make(tags, of)
    if order == 2:
        ends = np.cumsum([len(row) for row in tags])[:-1]
        before = [1, *(len(row) for row in tags)]
        own = zip(np.split(emission, ends), before, strict=False)
        emission = np.concatenate([np.tile(row, copies) for row, copies in own])
    transition = np.concatenate([np.zeros(0), *(step.ravel() for step in steps)])
    return ChainTables(emission, start.ravel(), stop.ravel(), transition, order == 2)


OUTSIDE = np.array([-1])
Steps = tuple[Floats, Floats, list[Floats]]  # start, stop, and between neighbours


def _numbers(base: int, *ngram: np.ndarray) -> np.ndarray:
    """A number for each n-gram of tags; the tag -1 is outside the sentence."""
    number = np.zeros((), np.int64)
    for tag in ngram:
        number = number * base + tag + 1
    return number


def _first_order(tags: Sequence[np.ndarray], of: Callable[..., Floats]) -> Steps:
    neighbours = [of(a[:, None], b[None, :]) for a, b in pairwise(tags)]
    return of(OUTSIDE, tags[0]), of(tags[-1], OUTSIDE), neighbours


def _second_order(tags: Sequence[np.ndarray], of: Callable[..., Floats]) -> Steps:
    """Transitions from (a, b) to (b, c); -inf for other pairs."""
    padded, neighbours = [OUTSIDE, *tags], []
    for a, b, c in zip(padded, tags, tags[1:], strict=False):
        table = np.full((len(a), len(b), len(b), len(c)), -np.inf)
        same = np.arange(len(b))
        table[:, same, same] = of(a[:, None, None], b[:, None], c)
        neighbours.append(table)
    return (
        of(OUTSIDE, OUTSIDE, tags[0]),
        of(padded[-2][:, None], tags[-1], OUTSIDE),
        neighbours,
    )


@dataclass(frozen=True, eq=False)
class Intersection:
    """The joint model as a forest: one part per edge, scores [edges].

    edge_of: int32 [edges], the parser's edge of each edge, -1 at the goal.
    """

    parser: ForestFactor
    variables: Variables
    forest: Forest
    scores: Floats
    edge_of: Indices

    def best(self) -> Best:
        """The joint optimum: its score, its values, and the parser's edges."""
        best = exact.viterbi(self.forest, self.scores)
        edges = self.edge_of[best.edges]
        edges = edges[edges >= 0]
        values = self.parser.value_of_part[self.parser.forest.part[edges]]
        return Best(best.score, np.sort(values[values >= 0]), edges)

    def marginals(self) -> tuple[float, Floats, Floats]:
        """log Z, the probability of each value, and the expected uses of the parser's parts."""
        marginals = exact.marginals(self.forest, self.scores)
        own = self.edge_of >= 0
        part = self.parser.forest.part[self.edge_of[own]]
        parts = _sums(part, marginals.edges[own], self.parser.forest.parts)
        probability = _sums(self.parser.values, parts[self.parser.parts], self.variables.values)
        return marginals.log_z, probability, parts


def intersect(
    variables: Variables,
    parser: ForestFactor,
    tagger: ChainTables,
    max_edges: int = MAX_EDGES,
) -> Intersection:
    """The joint model of a parser and a tagger over the same variables.

    Args:
        variables: one per word, in order.
        parser: a factor whose leaves select the values, word by word.
        tagger: its scores, of order 1 over the variables or of order 2 over pairs.
        max_edges: a larger intersection is an error.
    """
    scores, value_of_part = parser.scores(np.zeros(len(parser.scope))), parser.value_of_part
    forest, own = parser.forest, variables
    edges: Indices = np.arange(forest.edges, dtype=np.int32)
    if tagger.paired:
        own = paired_variables(variables)
        forest, value_of_part, scores, edges = _paired(variables, forest, value_of_part, scores)
    tables = (tagger.emission, tagger.start, tagger.stop, tagger.transition)
    emission, start, stop, transition = (np.ascontiguousarray(table) for table in tables)
    built = _core.intersect(
        forest.core, scores, value_of_part, own.first, emission, start, stop, transition, max_edges
    )
    edge_of = np.where(built[6] < 0, -1, edges[built[6]]).astype(np.int32)
    return Intersection(parser, variables, Forest(*built[:5]), built[5], edge_of)


def paired_variables(variables: Variables) -> Variables:
    """One variable per word with pairs of values, of the previous word and the word, row by row."""
    sizes = np.diff(variables.first)
    return Variables.of_sizes((sizes * np.concatenate(([1], sizes[:-1]))).tolist())


def _paired(
    variables: Variables, forest: Forest, value_of_part: Indices, scores: Floats
) -> tuple[Forest, Indices, Floats, Indices]:
    """The forest with a leaf per value of the previous word, its values, scores and edges.

    The last array has the original edge of each edge.
    """
    sizes, first = np.diff(variables.first), paired_variables(variables).first
    before = np.concatenate(([1], sizes[:-1]))
    value = value_of_part[forest.part]
    leaf = value >= 0
    word = variables.variable_of[value]
    copies = np.where(leaf, before[word], 1)
    edge = np.repeat(np.arange(forest.edges), copies)
    copy = np.arange(len(edge)) - np.repeat(np.cumsum(copies) - copies, copies)
    place = value[edge] - variables.first[word[edge]]
    pair = first[word[edge]] + copy * sizes[word[edge]] + place
    counts = np.add.reduceat(copies, forest.first_edge[:-1])
    made = Forest(
        np.concatenate(([0], np.cumsum(counts))).astype(np.int32),
        forest.left[edge],
        forest.right[edge],
        np.arange(len(edge), dtype=np.int32),
        len(edge),
    )
    own = np.where(leaf[edge], pair, -1).astype(np.int32)
    return made, own, scores[forest.part[edge]], edge.astype(np.int32)


def _sums(place: Indices, weights: Floats, length: int) -> Floats:
    return np.bincount(place, weights, length).astype(np.float64)
