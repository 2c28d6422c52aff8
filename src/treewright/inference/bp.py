"""Loopy belief propagation over factors (Auli and Lopez 2011, section 4.1).

    in_f(c)   = unary(c) + sum over factors g other than f of m_g(c)
    m_f(c)    = log P_f(c | in_f) - in_f(c), normalised over the values of c's variable
    belief(c) = softmax of unary(c) + sum over all factors f of m_f(c)

All values are logs, with true infinities: a value that one factor forbids is forbidden in all. With
the tagger first and the parser last, one sequential iteration passes the tagger's posteriors to the
parser, and the following ones pass the parser's outside scores back (the paper's equations 3, 4, 7
and 8). A chain's emissions are part of its message only, so they count once.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.errors import ConfigError, ForestError
from treewright.inference.exact import Derivation
from treewright.inference.factors import FactorGraph
from treewright.inference.minrisk import Events, best_by_posterior

Schedule = Literal["sequential", "parallel"]


@dataclass(frozen=True, eq=False)
class State:
    """Messages after an iteration.

    messages: float64 [factors, values], log, 0 outside a factor's scope. before: the beliefs of the
    previous iteration; None in the first.
    """

    graph: FactorGraph
    iteration: int
    messages: Floats
    before: Floats | None = field(default=None, repr=False)

    @cached_property
    def log_beliefs(self) -> Floats:
        """The log probability of each value: float64 [values]."""
        return self.graph.variables.normalised(self.graph.unary + self.messages.sum(axis=0))

    @cached_property
    def change(self) -> float:
        """The largest change of a belief in this iteration; infinite in the first."""
        return np.inf if self.before is None else float(np.abs(self.beliefs - self.before).max())

    @cached_property
    def beliefs(self) -> Floats:
        """The probability of each value: float64 [values]."""
        beliefs: Floats = np.exp(self.log_beliefs)
        return beliefs

    def likeliest(self) -> Indices:
        """The value of each variable with the largest belief; ties: the first."""
        variables = self.graph.variables
        top = np.maximum.reduceat(self.log_beliefs, variables.first[:-1])
        values = np.flatnonzero(self.log_beliefs == top[variables.variable_of])
        place = np.unique(variables.variable_of[values], return_index=True)[1]
        return values[place].astype(np.int32)

    def incoming(self, factor: int) -> Floats:
        """The messages to a factor: float64 [its scope]."""
        return _incoming(self.graph, self.messages, factor)

    def part_beliefs(self, factor: int) -> Floats:
        """The expected uses of a factor's parts under its messages: float64 [parts]."""
        return self.graph.forest_factor(factor).part_marginals(self.incoming(factor))

    def decode(self, events: Events | None = None, penalty: float = 0.0) -> Derivation:
        """The primary factor's minimum-risk derivation (see `minrisk.max_expected_counts`)."""
        primary = self.graph.primary
        factor = self.graph.forest_factor(primary)
        incoming = self.incoming(primary)
        parts, scores = factor.part_marginals(incoming), factor.scores(incoming)
        return best_by_posterior(factor.forest, scores, parts, events, penalty)

    def log_z(self) -> float:
        """The Bethe approximation of log Z; exact if belief propagation is.

        log Z = sum_f log Z_f(in_f) - sum_x (degree(x) - 1) log Z_x
        """
        graph = self.graph
        total = graph.unary + self.messages.sum(axis=0)
        of_variables = graph.variables.log_normalisers(total)
        of_factors = sum(
            factor.marginals(self.incoming(f))[0] for f, factor in enumerate(graph.factors)
        )
        return float(of_factors - (graph.degree - 1) @ of_variables)


def propagate(
    graph: FactorGraph, schedule: Schedule = "sequential", damping: float = 0.0
) -> Iterator[State]:
    """Yields the states after iterations 1, 2, ... without end.

    Args:
        graph: the factors; a sequential iteration updates them in order.
        schedule: whether a factor receives messages sent in the same iteration.
        damping: the weight of the old message in the new one, in logs; first messages are not
            damped.
    """
    if schedule not in ("sequential", "parallel") or not 0 <= damping < 1:
        raise ConfigError(f"unknown schedule, or damping outside [0, 1): {schedule!r}, {damping}")
    messages = np.zeros((len(graph.factors), graph.variables.values))
    before: Floats | None = None
    iteration = 0
    while True:
        iteration += 1
        seen = messages
        messages = messages.copy()
        for f in range(len(graph.factors)):
            source = messages if schedule == "sequential" else seen
            message = _message(graph, source, f)
            if damping and iteration > 1:
                message = (1 - damping) * message + damping * seen[f]
            messages[f] = message
        yield (state := State(graph, iteration, messages, before))
        before = state.beliefs


def _incoming(graph: FactorGraph, messages: Floats, factor: int) -> Floats:
    incoming: Floats = graph.unary
    if len(messages) == 2:
        incoming = messages[1 - factor] + graph.unary if graph.has_unary else messages[1 - factor]
    elif len(messages) > 2:
        incoming = graph.unary + np.delete(messages, factor, axis=0).sum(axis=0)
    scope = graph.factors[factor].scope
    return incoming if len(scope) == len(incoming) else incoming[scope]


def _message(graph: FactorGraph, messages: Floats, f: int) -> Floats:
    """m_f, float64 [values], -inf for values that this factor or another one forbids."""
    factor = graph.factors[f]
    log_z, message = factor.message(_incoming(graph, messages, f))
    if log_z == -np.inf:
        raise ForestError("the factors have no solution in common")
    if len(message) == graph.variables.values:
        return message
    out = np.zeros(graph.variables.values)
    out[factor.scope] = message
    return out


@dataclass(frozen=True, eq=False)
class Outcome:
    """The last state, whether the beliefs converged, and the change in each iteration."""

    state: State
    converged: bool
    changes: list[float]


def run(
    graph: FactorGraph,
    iterations: int = 25,
    threshold: float = 1e-4,
    schedule: Schedule = "sequential",
    damping: float = 0.0,
) -> Outcome:
    """Runs up to `iterations` iterations, until no belief changes by more than the threshold."""
    if iterations < 1:
        raise ConfigError(f"belief propagation needs at least one iteration, not {iterations}")
    changes: list[float] = []
    for state in islice(propagate(graph, schedule, damping), iterations):
        changes.append(state.change)
        if state.change <= threshold:
            break
    return Outcome(state, state.change <= threshold, changes)
