"""Convergence of integrated inference by iteration: figures 4 and 6 of the paper.

Each function takes problems and returns a `Curve`: counts after chosen iterations, summed over the
problems, and the iteration at which each problem converged. Belief propagation converges when no
belief changes by more than a threshold, dual decomposition when its answer is certified.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from treewright.arrays import Floats, Integers
from treewright.errors import ConfigError
from treewright.inference import bp, dual
from treewright.inference.factors import FactorGraph
from treewright.metrics.counts import f_measure

# (number of a problem, its state) -> integers to sum over problems, such as n, d and |y|.
OfState = Callable[[int, bp.State], Sequence[int]]
OfRound = Callable[[int, dual.Round], Sequence[int]]


@dataclass(frozen=True, eq=False)
class Curve:
    """totals [len(at), counts] after the iterations `at`; converged [problems], 0: never."""

    at: tuple[int, ...]
    totals: Integers
    converged: Integers

    def f_measure(self) -> Floats:
        """F after each of the iterations, for counts n, d and |y| of a metric."""
        n, d, gold = self.totals[:, :3].T
        return np.array([float(f_measure(*row)) for row in zip(n, d, gold, strict=True)])

    def share_converged(self, iterations: Sequence[int]) -> Floats:
        """The proportion of problems that converged within each number of iterations."""
        done = self.converged[self.converged > 0]
        share = [(done <= k).sum() / max(len(self.converged), 1) for k in iterations]
        return np.array(share, dtype=np.float64)


def bp_curve(
    graphs: Iterable[FactorGraph],
    at: Sequence[int],
    measure: OfState,
    threshold: float = 1e-4,
    damping: float = 0.0,
) -> Curve:
    """Belief propagation up to the last iteration in `at`."""

    def of_graph(number: int, graph: FactorGraph) -> Iterator[tuple[bool, Sequence[int]]]:
        for state in bp.propagate(graph, damping=damping):
            done = state.change <= threshold
            wanted = done or state.iteration in at
            yield done, measure(number, state) if wanted else ()

    return _curve((of_graph(number, graph) for number, graph in enumerate(graphs)), at)


def dual_curve(
    graphs: Iterable[FactorGraph],
    at: Sequence[int],
    measure: OfRound,
    step: float = 1.3,
    stepping: dual.Stepping = "polyak",
) -> Curve:
    """Dual decomposition up to the last iteration in `at`; rounds have the best solution so far."""

    def of_graph(number: int, graph: FactorGraph) -> Iterator[tuple[bool, Sequence[int]]]:
        for each in dual.decompose(graph, step, stepping):
            wanted = each.certified or each.iteration in at
            yield each.certified, measure(number, each) if wanted else ()

    return _curve((of_graph(number, graph) for number, graph in enumerate(graphs)), at)


def _curve(problems: Iterable[Iterator[tuple[bool, Sequence[int]]]], at: Sequence[int]) -> Curve:
    """Runs each problem until it converges; from then on its counts are constant."""
    if not at or list(at) != sorted(set(at)) or at[0] < 1:
        raise ConfigError(f"iterations must be increasing and at least 1, not {list(at)}")
    rows: list[list[Sequence[int]]] = []
    converged: list[int] = []
    for states in problems:
        measured: list[Sequence[int]] = []
        iteration, done = 0, False
        counts: Sequence[int] = ()
        for iteration, (done, counts) in enumerate(islice(states, at[-1]), start=1):
            if iteration in at:
                measured.append(counts)
            if done:
                break
        measured += [counts] * (len(at) - len(measured))
        rows.append(measured)
        converged.append(iteration if done else 0)
    totals = np.array(rows, dtype=np.int64).sum(axis=0)
    return Curve(tuple(at), totals, np.array(converged, dtype=np.int64))
