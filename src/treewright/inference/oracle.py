"""Exact oracle scores: the best and the worst F in a forest (docs/theory.md, section 7).

F = (1 + b^2) n / (d + b^2 |y|) is a ratio of two sums over parts. Dinkelbach: for a guess q of the
best ratio, the Viterbi derivation of  (1 + b^2) n - q d  either confirms q or has a better ratio.
Guesses are ratios of integers, so scores are exact integers and the iteration ends at the optimum
after a handful of sweeps.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from treewright.arrays import Floats, Indices
from treewright.errors import ForestError
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.metrics.counts import f_measure

MOST_SWEEPS = 100  # convergence is superlinear: real forests need three to six
EXACT_INTEGERS = 2**53


@dataclass(frozen=True, eq=False)
class Oracle:
    """A derivation with the best or worst F, its counts, and the number of Viterbi passes."""

    f: float
    edges: Indices
    correct: int
    produced: int
    sweeps: int


def best_f1(forest: Forest) -> Oracle:
    """A derivation with the highest F1."""
    return _dinkelbach(forest, sign=1)


def best_f1_forest(forest: Forest) -> tuple[float, Forest]:
    """The highest F1, and the sub-forest of all derivations that reach it.

    A derivation reaches it if and only if it is optimal under Dinkelbach's last scores, and the
    optimal derivations are those made of edges that are optimal for their node.
    """
    oracle, size = best_f1(forest), _gold_size(forest)
    if not size and not oracle.f:
        return 0.0, forest  # nothing is due, and every derivation produces something
    n, d = forest.correct.astype(np.float64), forest.produced.astype(np.float64)
    ratio = Fraction(2 * oracle.correct, oracle.produced + size) if size else Fraction(1)
    scores = (2 * ratio.denominator * n if size else 0 * n) - ratio.numerator * d
    best = np.append(np.asarray(exact.inside(forest, scores, exact.Semiring.MAX)), 0.0)
    value = scores[forest.part] + best[forest.left] + best[forest.right]  # tail -1: 0
    return oracle.f, forest.restrict(value == best[forest.head])


def worst_f1(forest: Forest) -> Oracle:
    """A derivation with the lowest F1."""
    return _dinkelbach(forest, sign=-1)


def _dinkelbach(forest: Forest, sign: int) -> Oracle:
    """Maximises sign * 2n / (d + |y|)."""
    size = _gold_size(forest)
    if size == 0:
        return _nothing_due(forest, sign)
    n, d = forest.correct.astype(np.float64), forest.produced.astype(np.float64)
    ratio, oracle = Fraction(0), None
    for sweeps in range(1, MOST_SWEEPS + 1):
        # sign * (2 n - ratio * d), times the ratio's denominator: integers.
        scores = sign * (2 * ratio.denominator * n - ratio.numerator * d)
        _check_exact(forest, scores)
        best = exact.viterbi(forest, scores)
        correct, produced, _ = forest.totals(best.edges)
        gain = best.score - sign * ratio.numerator * size
        if oracle is not None and gain <= 0:
            return Oracle(oracle.f, oracle.edges, oracle.correct, oracle.produced, sweeps)
        f = float(f_measure(correct, produced, size))
        oracle = Oracle(f, best.edges, correct, produced, sweeps)
        ratio = Fraction(2 * correct, produced + size)
    raise ForestError(f"the oracle did not converge in {MOST_SWEEPS} sweeps")


def _nothing_due(forest: Forest, sign: int) -> Oracle:
    """F is 1 for a derivation that produces nothing, and 0 otherwise."""
    best = exact.viterbi(forest, -sign * forest.produced.astype(np.float64))
    correct, produced, _ = forest.totals(best.edges)
    return Oracle(float(f_measure(correct, produced, 0)), best.edges, correct, produced, 1)


def _gold_size(forest: Forest) -> int:
    if forest.gold_size is None:
        raise ForestError("an oracle needs the forest's gold_size")
    return forest.gold_size


def _check_exact(forest: Forest, scores: Floats) -> None:
    """Raises an error unless sums of these scores are exact in floating point."""
    if np.abs(scores).max(initial=0.0) * 2 * forest.nodes >= EXACT_INTEGERS:
        raise ForestError("the counts are too large for an exact oracle")
