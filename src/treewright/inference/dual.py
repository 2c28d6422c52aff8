"""Dual decomposition by subgradient over factors (Auli and Lopez 2011, section 4.2).

Every factor f solves its own problem with multipliers u_f on its values that sum to 0 over factors:

    L(u) = sum_f max_{z_f} [ score_f(z_f) + sum_c u_f(c) z_f(c) ]   >=   the joint optimum
    u_f(c) -= step * (z_f(c) - mean over the factors g that see c of z_g(c))

When all factors choose the same values, their solution is the joint optimum: a certificate. The
step is divided by one plus the number of times that the dual went up (Rush et al. 2010), or it is
Polyak's, the gap to the best solution so far over the squared subgradient. Multipliers change only
where factors disagree, and a factor's `best` looks only at what changed.

Without a certificate the answer is the best solution seen: the primary factor's derivation, with
the other factors' best ones for its values (`Solution`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Literal, get_args

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.errors import ConfigError, ForestError
from treewright.inference.factors import Best, FactorGraph

Stepping = Literal["decay", "polyak"]
CLOSED = 1e-12  # a gap this small, relative to the scores, is due to rounding


@dataclass(frozen=True, eq=False)
class Solution:
    """A joint solution: its score, the value of each variable, and the edges of each factor."""

    score: float
    values: Indices
    edges: list[Indices]


@dataclass(frozen=True, eq=False)
class Round:
    """One iteration: its dual value, the lowest dual value and the best solution so far.

    disagreements: the number of variables on which factors disagree.
    certified: whether the best solution is the joint optimum.
    work: the number of edges that the factors' searches visited.
    """

    iteration: int
    dual: float
    bound: float
    solution: Solution | None
    disagreements: int
    certified: bool
    work: int

    @property
    def gap(self) -> float:
        """The largest possible difference between the optimum and the best solution so far."""
        return self.bound - self.solution.score if self.solution else np.inf


@dataclass(eq=False)
class Multipliers:
    """u, float64 [factors, values]; can be reused as a warm start."""

    rows: Floats
    rises: int = 0


@dataclass(frozen=True, eq=False)
class Outcome:
    """The best solution, whether it is certified to be optimal, and all iterations."""

    solution: Solution
    certified: bool
    rounds: list[Round] = field(repr=False)
    multipliers: Multipliers = field(repr=False)

    @property
    def gap(self) -> float:
        return self.rounds[-1].gap


def decompose(
    graph: FactorGraph,
    step: float = 1.3,
    stepping: Stepping = "polyak",
    multipliers: Multipliers | None = None,
) -> Iterator[Round]:
    """Yields rounds 1, 2, ... until one is certified.

    Args:
        graph: the factors.
        step: the first step of "decay", or the multiplier of Polyak's step, below 2.
        stepping: see the module's docstring.
        multipliers: the initial multipliers, updated in place; None: zeros.
    """
    _check_step(stepping, step)
    u = multipliers or start(graph)
    primal, base = _Primal(graph), base_messages(graph)
    last, bound = np.inf, np.inf
    for factor in graph.factors:
        factor.forget()  # so that rounding does not depend on earlier calls
    for iteration in count(1):
        messages = base + u.rows
        solutions = _best_of_each(graph, messages)
        dual = sum(best.score for best in solutions)
        bound = min(bound, dual)
        chosen = _choices(graph, solutions)
        apart = _apart(graph, chosen)
        best = primal.offer(solutions, messages, chosen, agreed=not len(apart))
        closed = best is not None and bound - best.score <= CLOSED * (1.0 + abs(bound))
        certified = closed or not len(apart)
        work = sum(factor.work for factor in graph.factors)
        yield Round(iteration, dual, bound, best, len(apart), certified, work)
        if certified:
            return
        if iteration == 1:
            # Many problems end in the first round, so forbidden values are only computed now.
            base = base + graph.allowed
        u.rises += dual > last
        last = dual
        size = step / (1 + u.rises)
        if stepping == "polyak":
            lowest = best.score if best else bound - max(1.0, abs(bound))
            size = step * (dual - lowest) / len(apart)
        _move(graph, u.rows, chosen, apart, size)


def _check_step(stepping: str, step: float) -> None:
    if stepping not in get_args(Stepping) or not step > 0:
        raise ConfigError(
            f"unknown step rule, or a step that is not positive: {stepping!r}, {step}"
        )


def _best_of_each(graph: FactorGraph, messages: Floats) -> list[Best]:
    solutions = [
        factor.best(row if len(row) == len(factor.scope) else row[factor.scope])
        for row, factor in zip(messages, graph.factors, strict=True)
    ]
    if any(best.score == -np.inf for best in solutions):
        raise ForestError("the factors have no solution in common")
    return solutions


def solve(
    graph: FactorGraph,
    iterations: int = 25,
    step: float = 1.3,
    stepping: Stepping = "polyak",
    multipliers: Multipliers | None = None,
) -> Outcome:
    """Runs up to `iterations` rounds; returns the best solution, certified if possible."""
    if iterations < 1:
        raise ConfigError(f"dual decomposition needs at least one iteration, not {iterations}")
    u = multipliers or start(graph)
    rounds: list[Round] = []
    for each in decompose(graph, step, stepping, u):
        rounds.append(each)
        if each.iteration == iterations:
            break
    if each.solution is None:
        raise ForestError(f"no joint solution was found in {iterations} iterations")
    return Outcome(each.solution, each.certified, rounds, u)


def start(graph: FactorGraph) -> Multipliers:
    """Multipliers of 0."""
    return Multipliers(np.zeros((len(graph.factors), graph.variables.values)))


def base_messages(graph: FactorGraph) -> Floats:
    """Unary scores, assigned to the first factor of each variable."""
    base = np.zeros((len(graph.factors), graph.variables.values))
    owner = graph.covers.argmax(axis=0)[graph.variables.variable_of]
    base[owner, np.arange(graph.variables.values)] += graph.unary
    return base


def _choices(graph: FactorGraph, solutions: list[Best]) -> Indices:
    """The value that each factor chooses for each variable; -1 outside its scope."""
    if graph.all_see_all:
        return np.stack([best.values for best in solutions])
    chosen = np.full(graph.covers.shape, -1, dtype=np.int32)
    for row, factor, best in zip(chosen, graph.factors, solutions, strict=True):
        row[factor.variables] = best.values
    return chosen


def _apart(graph: FactorGraph, chosen: Indices) -> Indices:
    """The variables on which factors disagree."""
    apart = (chosen != chosen.max(axis=0)) & graph.covers
    variables: Indices = apart.any(axis=0).nonzero()[0].astype(np.int32)
    return variables


def _move(graph: FactorGraph, u: Floats, chosen: Indices, apart: Indices, size: float) -> None:
    """u_f(c) += size * (mean over g of z_g(c) - z_f(c)), for variables with disagreement."""
    for f in range(len(u)):
        seen = apart if graph.all_see_all else apart[graph.covers[f, apart]]
        values = chosen[f, seen]
        u[:, values] += size / graph.degree[seen]
        u[f, values] -= size


def completed(graph: FactorGraph, edges: Indices) -> Solution | None:
    """The best joint solution with this derivation of the primary factor; None if there is none."""
    primary = graph.forest_factor(graph.primary)
    part = primary.forest.part[edges]
    score = float(primary.scores(np.zeros(len(primary.scope)))[part].sum())
    values = np.sort(primary.value_of_part[part])
    values = values[values >= 0]
    own = Best(score, values, edges)
    solutions = [
        own if f == graph.primary else factor.solve(np.zeros(len(factor.scope)))
        for f, factor in enumerate(graph.factors)
    ]
    return _Primal(graph).complete(solutions, [best.score for best in solutions])


class _Primal:
    """Finds joint solutions from choices of the primary factor; each choice is tried once."""

    def __init__(self, graph: FactorGraph) -> None:
        self.graph = graph
        self.best: Solution | None = None
        self.seen: set[bytes] = set()

    def offer(
        self, solutions: list[Best], messages: Floats, chosen: Indices, agreed: bool
    ) -> Solution | None:
        """Returns the best solution so far, including this round's.

        Args:
            solutions: the best derivation of each factor.
            messages: the messages with which they were found.
            chosen: their values, by variable.
            agreed: whether all factors chose the same values.
        """
        key = solutions[self.graph.primary].values.tobytes()
        if agreed or key not in self.seen:
            self.seen.add(key)
            own = [
                b.score - float(row[b.values].sum())
                for b, row in zip(solutions, messages, strict=True)
            ]
            solution = (
                self._agreed(solutions, own, chosen) if agreed else self.complete(solutions, own)
            )
            if solution and (self.best is None or solution.score > self.best.score):
                self.best = solution
        return self.best

    def _agreed(self, solutions: list[Best], own: list[float], chosen: Indices) -> Solution:
        values = chosen.max(axis=0)
        score = sum(own) + float(self.graph.unary[values].sum())
        return Solution(score, values, [best.edges for best in solutions])

    def complete(self, solutions: list[Best], own: list[float]) -> Solution | None:
        """Fixes the primary factor's values, then lets the other factors choose in turn."""
        graph, primary = self.graph, self.graph.primary
        done = graph.covers[primary].copy()
        fixed = np.where(done[graph.variables.variable_of], -np.inf, 0.0)
        fixed[solutions[primary].values] = 0.0
        total, edges = own[primary], [best.edges for best in solutions]
        for f, factor in enumerate(graph.factors):
            if f == primary:
                continue
            if done[factor.variables].all() and not np.isneginf(fixed[solutions[f].values]).any():
                total += own[f]  # its own choice is compatible
                continue
            hints = fixed if done[factor.variables].all() else fixed + self._hints(f, fixed, done)
            best = factor.solve(hints[factor.scope])
            if best.score == -np.inf:
                return None
            total += best.score - float(hints[best.values].sum())
            edges[f] = best.edges
            fixed[factor.scope] = -np.inf
            fixed[best.values] = 0.0
            done[factor.variables] = True
        values = np.flatnonzero(fixed == 0.0).astype(np.int32)
        return Solution(total + float(graph.unary[values].sum()), values, edges)

    def _hints(self, f: int, fixed: Floats, done: np.ndarray) -> Floats:
        """Log scores of open values from factors with some fixed variables."""
        graph = self.graph
        hints = np.where(fixed == 0.0, graph.unary, 0.0)
        is_open = ~done[graph.variables.variable_of]
        for g, other in enumerate(graph.factors):
            scope = other.scope[is_open[other.scope]]
            partly = done[other.variables].any() and not done[other.variables].all()
            if g != f and partly:
                log_z, log_p = other.marginals(fixed[other.scope])
                if not np.isneginf(log_z):
                    hints[scope] += log_p[is_open[other.scope]]
        hints[~is_open] = 0.0
        return hints
