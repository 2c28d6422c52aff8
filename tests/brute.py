"""A brute-force reference for inference: lists all derivations of a small forest.

A derivation is the tuple of its edges, goal first, left before right. The reference only shares the
forest's arrays with the code under test, and is as simple as possible.
"""

import math
from collections.abc import Callable, Iterable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.forests import Forest

Edges = tuple[int, ...]
Floats = NDArray[np.float64]
OfCounts = Callable[[int, int, int], float]  # of a derivation's n, d and c


class Brute:
    """A small forest and scores, float64 [parts]; the model is P(D) = exp(score of D) / Z.

    Where no derivation has weight, log_z is -inf and all probabilities and expectations are 0.
    """

    def __init__(self, forest: Forest, scores: ArrayLike) -> None:
        self.forest = forest
        self.scores: Floats = np.asarray(scores, dtype=np.float64)

    def __repr__(self) -> str:
        f = self.forest
        rows = ", ".join(
            str([(int(f.part[e]), *self.tails(e)) for e in self.edges_of(v)])
            for v in range(f.nodes)
        )
        return f"nodes {rows}; {f.parts} parts, scores {self.scores.tolist()}"

    # Derivations

    def edges_of(self, node: int) -> range:
        return range(int(self.forest.first_edge[node]), int(self.forest.first_edge[node + 1]))

    def tails(self, edge: int) -> list[int]:
        both = int(self.forest.left[edge]), int(self.forest.right[edge])
        return [tail for tail in both if tail >= 0]

    @cached_property
    def derivations_of(self) -> list[list[Edges]]:
        """The derivations of each node."""
        found: list[list[Edges]] = []
        for v in range(self.forest.nodes):
            here: list[Edges] = []
            for e in self.edges_of(v):
                below: list[Edges] = [()]
                for tail in self.tails(e):
                    below = [first + then for first in below for then in found[tail]]
                here += [(e, *rest) for rest in below]
            found.append(here)
        return found

    @property
    def derivations(self) -> list[Edges]:
        """The derivations of the goal."""
        return self.derivations_of[self.forest.goal]

    @property
    def number(self) -> int:
        return len(self.derivations)

    @cached_property
    def contexts_of(self) -> list[list[Edges]]:
        """For each node, the derivations of the goal with one use of the node removed."""
        found: list[list[Edges]] = [[] for _ in range(self.forest.nodes)]
        found[self.forest.goal] = [()]
        for v in reversed(range(self.forest.nodes)):
            for e in self.edges_of(v):
                tails = self.tails(e)
                for hole, tail in enumerate(tails):
                    others = tails[:hole] + tails[hole + 1 :]
                    siblings = self.derivations_of[others[0]] if others else [()]
                    found[tail] += [(*c, e, *s) for c in found[v] for s in siblings]
        return found

    # Weights

    def parts_of(self, edges: Iterable[int]) -> list[int]:
        return [int(self.forest.part[e]) for e in edges]

    def score(self, edges: Iterable[int]) -> float:
        """The sum of the scores of a derivation's parts, rounded once."""
        terms = [float(self.scores[p]) for p in self.parts_of(edges)]
        return -math.inf if -math.inf in terms else math.fsum(terms)

    @cached_property
    def weighted(self) -> list[tuple[float, Edges]]:
        """The goal's derivations with a finite score, with their scores."""
        scored = [(self.score(d), d) for d in self.derivations]
        return [(score, d) for score, d in scored if score > -math.inf]

    @cached_property
    def log_z(self) -> float:
        return log_sum_exp(score for score, _ in self.weighted)

    @cached_property
    def probable(self) -> list[tuple[float, Edges]]:
        """The goal's derivations with a finite score, with their probabilities."""
        return [(math.exp(score - self.log_z), d) for score, d in self.weighted]

    def numbers(self) -> list[int]:
        """The number of derivations with a finite score of each node."""
        return [sum(self.score(d) > -math.inf for d in here) for here in self.derivations_of]

    def inside(self) -> Floats:
        """The log of the summed weights of each node."""
        return np.array([log_sum_exp(map(self.score, here)) for here in self.derivations_of])

    def outside(self) -> Floats:
        """The log of the summed weights of each node's contexts."""
        return np.array([log_sum_exp(map(self.score, here)) for here in self.contexts_of])

    def max_inside(self) -> Floats:
        return np.array([max(map(self.score, here)) for here in self.derivations_of])

    def max_outside(self) -> Floats:
        return np.array(
            [max(map(self.score, here), default=-math.inf) for here in self.contexts_of]
        )

    # The model

    def expected_uses(self, things: Callable[[Edges], Iterable[int]], how_many: int) -> Floats:
        """The expected number of uses of items 0 .. how_many - 1."""
        total = np.zeros(how_many)
        for probability, d in self.probable:
            for thing in things(d):
                total[thing] += probability
        return total

    def node_marginals(self) -> Floats:
        heads = self.forest.head
        return self.expected_uses(lambda d: [int(heads[e]) for e in d], self.forest.nodes)

    def edge_marginals(self) -> Floats:
        return self.expected_uses(lambda d: d, self.forest.edges)

    def part_marginals(self) -> Floats:
        return self.expected_uses(self.parts_of, self.forest.parts)

    def best(self) -> tuple[float, Edges]:
        """The best derivation and its score; ties: the first in the order of edges."""
        return max(self.weighted, key=lambda pair: pair[0])

    def kbest(self, k: int) -> list[tuple[float, Edges]]:
        """The k best derivations, best first."""
        return sorted(self.weighted, key=lambda pair: -pair[0])[:k]

    def entropy(self) -> float:
        return math.fsum(p * (self.log_z - self.score(d)) for p, d in self.probable)

    def divergence(self, scores: ArrayLike) -> float:
        """KL(P || Q), where Q has other scores."""
        other = Brute(self.forest, scores)
        return math.fsum(
            p * (self.score(d) - self.log_z - (other.score(d) - other.log_z))
            if other.score(d) > -math.inf
            else math.inf
            for p, d in self.probable
            if p > 0
        )

    # Counts

    def totals(self, edges: Iterable[int]) -> tuple[int, int, int]:
        """A derivation's n, d and c."""
        counts = self.forest.counts
        assert counts is not None
        parts = self.parts_of(edges)
        n, d, c = (sum(int(row[p]) for p in parts) for row in counts)
        return n, d, c

    def law(self) -> dict[tuple[int, int], float]:
        """P(n, d) of the pairs reached by derivations with a finite score."""
        law: dict[tuple[int, int], float] = {}
        for p, edges in self.probable:
            n, d, _ = self.totals(edges)
            law[n, d] = law.get((n, d), 0.0) + p
        return law

    def law_table(self, n_low: int, n_high: int, d_low: int, d_high: int) -> Floats:
        """P(n, d) on the whole count range, [n_high - n_low + 1, d_high - d_low + 1]."""
        table = np.zeros((n_high - n_low + 1, d_high - d_low + 1))
        for (n, d), p in self.law().items():
            assert n_low <= n <= n_high
            assert d_low <= d <= d_high
            table[n - n_low, d - d_low] = p
        return table

    def count_range(self) -> tuple[int, int, int, int]:
        """The lowest and highest n, then d, of all derivations, including forbidden ones."""
        n, d, _ = zip(*map(self.totals, self.derivations), strict=True)
        return min(n), max(n), min(d), max(d)

    # Expectations; g is a function of (n, d, c), f one of a derivation

    def expect(self, g: OfCounts) -> float:
        return self.expect_over(lambda edges: g(*self.totals(edges)))

    def expect_over(self, f: Callable[[Edges], float]) -> float:
        return math.fsum(p * f(d) for p, d in self.probable)

    def tilted_parts(self, g: OfCounts) -> Floats:
        """E[g * uses] of each part."""
        return self.tilted_parts_over(lambda edges: g(*self.totals(edges)))

    def tilted_parts_over(self, f: Callable[[Edges], float]) -> Floats:
        total = np.zeros(self.forest.parts)
        for p, d in self.probable:
            for part in self.parts_of(d):
                total[part] += p * f(d)
        return total

    def log_sum(self, loss: OfCounts) -> float:
        """log sum over D of exp(score(D) + loss(n, d, c))."""
        return log_sum_exp(score + loss(*self.totals(d)) for score, d in self.weighted)

    def maximum(self, h: Callable[[float, int, int, int], float]) -> tuple[float, Edges]:
        """The highest h(score, n, d, c) of derivations of finite score, and the first with it."""
        found = [(h(score, *self.totals(d)), d) for score, d in self.weighted]
        return max(found, key=lambda pair: pair[0])

    def f1(self, edges: Iterable[int]) -> float:
        """2n / (d + |y|); 1 if nothing is due and nothing is produced."""
        assert self.forest.gold_size is not None
        n, d, _ = self.totals(edges)
        below = d + self.forest.gold_size
        return 2 * n / below if below else 1.0

    def best_f1(self) -> float:
        """The highest F1 of derivations with a finite score."""
        return max(self.f1(d) for _, d in self.weighted)

    def worst_f1(self) -> float:
        """The lowest F1 of derivations with a finite score."""
        return min(self.f1(d) for _, d in self.weighted)


def log_sum_exp(values: Iterable[float]) -> float:
    terms = list(values)
    top = max(terms, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(math.fsum(math.exp(x - top) for x in terms))
