"""A brute-force reference for integrated models, and random small problems.

A problem consists of factors over variables; all assignments of values are enumerated, and each
factor's derivations are listed by `tests.brute.Brute`.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise, product
from random import Random

import numpy as np

from tests.brute import Brute, Edges, Floats, log_sum_exp
from tests.strategies import plain, random_scores
from treewright.forests import Chain, Grammar, chain, chart
from treewright.forests.pairs import pairs
from treewright.inference.factors import FactorGraph, ForestFactor, Variables, chain_factor

Values = tuple[int, ...]
Kinds = Sequence[Callable[[Random], float]]


class JointBrute:
    """All assignments of a problem; `ties` has each factor's parts and values."""

    candidates: list[list[int]]
    tagger: Chain
    tag_scores: Floats

    def __init__(self, graph: FactorGraph, ties: Sequence[dict[int, int]]) -> None:
        self.graph, self.ties = graph, ties
        zero = [np.zeros(len(factor.scope)) for factor in graph.factors]
        self.models = [
            Brute(factor.forest, factor.scores(none))
            for factor, none in zip(graph.factors, zero, strict=True)
        ]

    @cached_property
    def tables(self) -> list[dict[Values, list[tuple[float, Edges]]]]:
        """Each factor's derivations with scores, by the values that they choose."""
        return [_by_values(m, t) for m, t in zip(self.models, self.ties, strict=True)]

    @cached_property
    def assignments(self) -> dict[Values, list[list[tuple[float, Edges]]]]:
        """For each assignment allowed by all factors, the derivations of each with scores."""
        first, found = self.graph.variables.first, {}
        for values in product(*(range(a, b) for a, b in pairwise(first.tolist()))):
            rows = [
                table.get(tuple(values[v] for v in factor.variables), [])
                for factor, table in zip(self.graph.factors, self.tables, strict=True)
            ]
            if all(rows):
                found[values] = rows
        return found

    def _unary(self, values: Values) -> float:
        return float(self.graph.unary[list(values)].sum())

    @cached_property
    def weights(self) -> dict[Values, float]:
        """The log of the summed weights of each assignment."""
        return {
            values: self._unary(values) + sum(log_sum_exp(s for s, _ in row) for row in rows)
            for values, rows in self.assignments.items()
        }

    @property
    def log_z(self) -> float:
        return log_sum_exp(self.weights.values())

    def value_marginals(self) -> Floats:
        out = np.zeros(self.graph.variables.values)
        for values, weight in self.weights.items():
            out[list(values)] += math.exp(weight - self.log_z)
        return out

    def part_marginals(self, factor: int) -> Floats:
        model, out = self.models[factor], np.zeros(self.models[factor].forest.parts)
        for values, rows in self.assignments.items():
            inner = log_sum_exp(s for s, _ in rows[factor])
            for score, edges in rows[factor]:
                p = math.exp(self.weights[values] - self.log_z + score - inner)
                for part in model.parts_of(edges):
                    out[part] += p
        return out

    def best(self) -> tuple[float, Values]:
        """The best joint score and an assignment with it."""
        scored = {
            values: self._unary(values) + sum(max(s for s, _ in row) for row in rows)
            for values, rows in self.assignments.items()
        }
        values = max(scored, key=lambda c: scored[c])
        return scored[values], values


def _by_values(model: Brute, ties: dict[int, int]) -> dict[Values, list[tuple[float, Edges]]]:
    table = defaultdict(list)
    for score, edges in model.weighted:
        values = sorted(ties[p] for p in model.parts_of(edges) if p in ties)
        table[tuple(values)].append((score, edges))
    return table


def random_problem(
    random: Random,
    kinds: Kinds = (plain,),
    three: bool = False,
    words: int | None = None,
) -> JointBrute:
    """A chain and a chart over the same tags, sometimes with a second chain and a table."""
    words = words or random.randint(1, 4)
    symbols = 3
    candidates = [sorted(random.sample(range(symbols), random.randint(1, 3))) for _ in range(words)]
    candidates[0] = sorted({0, *candidates[0]})
    rules = [(0, 0, s) for s in range(symbols)]
    rules += [tuple(random.randrange(symbols) for _ in range(3)) for _ in range(3)]
    entries = [(i, s) for i, row in enumerate(candidates) for s in row]
    built = chart(Grammar.of(symbols, sorted(set(rules)), [(0, 2)]), words, entries, goal=0)
    assert built is not None
    pos = [random.randint(1, 2) for _ in range(words)] if three else []
    variables = Variables.of_sizes([len(row) for row in candidates] + pos)
    values = range(len(entries))
    scores = random_scores(random, built.forest.parts, kinds)
    tagger = chain(candidates, random.randint(0, 2))
    tag_scores = random_scores(random, tagger.forest.parts, kinds)
    factors = [chain_factor(variables, tagger, tag_scores)]
    ties = [dict(enumerate(values))]
    if three:
        other = chain([list(range(size)) for size in pos], 1)
        pos_scores = random_scores(random, other.forest.parts, kinds)
        factors.append(chain_factor(variables, other, pos_scores, first=len(entries)))
        ties.append({i: len(entries) + i for i in range(sum(pos))})
        tables = [_table(random, size, len(row)) for size, row in zip(pos, candidates, strict=True)]
        table = pairs(variables.first, range(words, 2 * words), range(words), tables)
        table_scores = table.scores(random_scores(random, len(table.entries), (plain,)))
        parts = np.arange(len(table.values))
        factors.append(ForestFactor(variables, table.forest, table_scores, parts, table.values))
        ties.append(dict(enumerate(table.values.tolist())))
    factors.append(ForestFactor(variables, built.forest, scores, values, values))
    ties.append(dict(enumerate(values)))
    unary = random_scores(random, variables.values) if random.random() < 0.5 else None
    problem = JointBrute(FactorGraph(variables, factors, unary), ties)
    problem.candidates, problem.tagger, problem.tag_scores = candidates, tagger, tag_scores
    return problem


def _table(random: Random, rows: int, columns: int) -> np.ndarray:
    table = np.array([[random.random() < 0.7 for _ in range(columns)] for _ in range(rows)])
    table[random.randrange(rows)] = True
    return table
