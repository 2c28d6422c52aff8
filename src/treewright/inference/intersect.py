"""Exact joint inference of a first-order tagger and a parser, by intersection.

A node of the parser's forest becomes one for each pair of values of the words at its ends, and
where two spans meet the tagger's transition is added (Bar-Hillel et al. 1964). The result is a
forest like any other, so that its Viterbi derivation is the joint optimum and its marginals are the
joint ones: the truth for belief propagation and dual decomposition, for short sentences.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from treewright import _core
from treewright.arrays import Floats, Indices
from treewright.errors import ForestError
from treewright.forests.build import MAX_EDGES, Chain
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.inference.factors import Best, ForestFactor, Variables


@dataclass(frozen=True, eq=False)
class ChainTables:
    """Scores of a first-order chain: of single cells, at both ends, and of neighbours.

    emission [cells]; start and stop [values of the first and the last variable]; transition: for
    each two neighbours a table [values, values], all of them in a row.
    """

    emission: Floats
    start: Floats
    stop: Floats
    transition: Floats


def chain_tables(chain: Chain, candidates: Sequence[ArrayLike], scores: Floats) -> ChainTables:
    """The tables of a chain of order 0 or 1 that was built for these candidates."""
    tags = [np.asarray(row, dtype=np.int64) for row in candidates]
    emission, rest = scores[: chain.candidates], scores[chain.candidates :]
    if chain.ngrams.shape[1] > 2:
        raise ForestError("only chains of order 0 and 1 can be intersected with a forest")
    if chain.ngrams.shape[1] == 1:
        pairs = np.zeros(sum(len(a) * len(b) for a, b in pairwise(tags)))
        return ChainTables(emission, np.zeros(len(tags[0])), np.zeros(len(tags[-1])), pairs)
    base = max(int(row.max()) for row in tags) + 2
    keys = (chain.ngrams[:, 0].astype(np.int64) + 1) * base + chain.ngrams[:, 1] + 1
    order = np.argsort(keys)

    def of(old: np.ndarray, new: np.ndarray) -> Floats:
        wanted = ((old[:, None] + 1) * base + new[None, :] + 1).ravel()
        found: Floats = rest[order[np.searchsorted(keys[order], wanted)]]
        return found

    outside = np.array([-1])
    neighbours = [of(a, b) for a, b in pairwise(tags)]
    transition = np.concatenate([np.zeros(0), *neighbours])
    return ChainTables(emission, of(outside, tags[0]), of(tags[-1], outside), transition)


@dataclass(frozen=True, eq=False)
class Intersection:
    """The joint model as a forest: one part an edge, scores [edges].

    edge_of: int32 [edges], the parser's edge that an edge stands for, -1 at the goal.
    """

    parser: ForestFactor
    variables: Variables
    forest: Forest
    scores: Floats
    edge_of: Indices

    def best(self) -> Best:
        """The joint optimum: its score, the cells, the parser's edges."""
        best = exact.viterbi(self.forest, self.scores)
        edges = self.edge_of[best.edges]
        edges = edges[edges >= 0]
        cells = self.parser.cell_of_part[self.parser.forest.part[edges]]
        return Best(best.score, np.sort(cells[cells >= 0]), edges)

    def marginals(self) -> tuple[float, Floats, Floats]:
        """log Z, the probability of every cell, the expected uses of the parser's parts."""
        marginals = exact.marginals(self.forest, self.scores)
        own = self.edge_of >= 0
        part = self.parser.forest.part[self.edge_of[own]]
        parts = _sums(part, marginals.edges[own], self.parser.forest.parts)
        cells = _sums(self.parser.cells, parts[self.parser.parts], self.variables.cells)
        return marginals.log_z, cells, parts


def intersect(
    variables: Variables,
    parser: ForestFactor,
    tagger: ChainTables,
    max_edges: int = MAX_EDGES,
) -> Intersection:
    """The joint model of a parser and a tagger over the same variables.

    Args:
        variables: one a word, in the order of the words.
        parser: whose leaves choose the values, word by word.
        tagger: its scores.
        max_edges: a larger intersection is an error.
    """
    scores = parser.scores(np.zeros(len(parser.scope)))
    tables = (tagger.emission, tagger.start, tagger.stop, tagger.transition)
    emission, start, stop, transition = (np.ascontiguousarray(table) for table in tables)
    built = _core.intersect(
        parser.forest.core,
        scores,
        parser.cell_of_part,
        variables.first,
        emission,
        start,
        stop,
        transition,
        max_edges,
    )
    return Intersection(parser, variables, Forest(*built[:5]), built[5], built[6])


def _sums(place: Indices, values: Floats, length: int) -> Floats:
    return np.bincount(place, values, length).astype(np.float64)
