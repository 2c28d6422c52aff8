"""Standard inference on forests: inside-outside, marginals, Viterbi, k-best, sampling.

Scores are float64 [parts]; a score of -inf forbids its part. The recursions are in docs/theory.md,
sections 2 and 3, and run in the core.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from treewright import _core
from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ForestError
from treewright.forests.forest import Forest

MAX_REAL_SCORE = 1e9
T = TypeVar("T")


class Semiring(Enum):
    """Semirings: log sums, maxima, exact numbers of derivations, scaled reals."""

    LOG = "log"
    MAX = "max"
    COUNT = "count"
    REAL = "real"


class Scaled(NamedTuple):
    """Non-negative reals mantissa * 2 ** exponent, with a mantissa in [1, 2) or 0."""

    mantissa: Floats
    exponent: Integers


@dataclass(frozen=True, eq=False)
class Marginals:
    """log Z, and expected uses of nodes, edges and parts (above 1 if a derivation repeats one)."""

    log_z: float
    nodes: Floats
    edges: Floats
    parts: Floats


@dataclass(frozen=True, eq=False)
class Derivation:
    """A derivation: its score and its edges, goal first, left before right."""

    score: float
    edges: Indices


def inside(
    forest: Forest, scores: Floats, semiring: Semiring = Semiring.LOG
) -> Floats | Scaled | NDArray[np.object_]:
    """The inside value of each node: float64, `Scaled`, or exact Python integers for COUNT."""
    match semiring:
        case Semiring.LOG:
            return _core.log_inside(forest.core, scores)
        case Semiring.MAX:
            return _core.max_inside(forest.core, scores)
        case Semiring.REAL:
            return Scaled(*_core.scaled_inside(forest.core, _scalable(scores)))
        case Semiring.COUNT:
            return _exact_counts(forest, scores)
        case _:
            raise _no_such(semiring)


def outside(forest: Forest, scores: Floats, semiring: Semiring = Semiring.LOG) -> Floats | Scaled:
    """The outside value of each node: float64, or `Scaled` for REAL."""
    match semiring:
        case Semiring.LOG:
            return _core.log_outside(forest.core, scores)
        case Semiring.MAX:
            return _core.max_outside(forest.core, scores)
        case Semiring.REAL:
            return Scaled(*_core.scaled_outside(forest.core, _scalable(scores)))
        case Semiring.COUNT:
            raise ForestError("outside does not support COUNT: count derivations with `count`")
        case _:
            raise _no_such(semiring)


def _scalable(scores: Floats) -> Floats:
    """Checks that the exponents of all derivations fit in 64 bits."""
    finite = np.asarray(scores)[np.isfinite(scores)]
    if finite.size and np.abs(finite).max() > MAX_REAL_SCORE:
        raise ForestError(f"scaled reals need scores of at most {MAX_REAL_SCORE:g}")
    return scores


def _no_such(semiring: object) -> ForestError:
    return ForestError(f"no such semiring: {semiring!r:.80}")


def log_z(forest: Forest, scores: Floats) -> float:
    """The log of the total weight of all derivations; -inf if it is 0."""
    return float(_core.log_inside(forest.core, scores)[-1])


def marginals(forest: Forest, scores: Floats) -> Marginals:
    """Posterior expectations under P(D) = exp(score of D) / Z; zeros if nothing has weight."""
    return Marginals(*_core.marginals(forest.core, scores))


def viterbi(forest: Forest, scores: Floats) -> Derivation:
    """The best derivation; ties go to the edge that comes first."""
    score, edges = _core.viterbi(forest.core, scores)
    if not len(edges):
        raise ForestError("no derivation has a finite score")
    return Derivation(score, edges)


# Gains are rounded to multiples of this. Sums of them up to 2^21 are exact, so derivations with
# the same events have the same gain, whatever the order of summation.
RESOLUTION = 2.0**-32


def rounded(gains: Floats) -> Floats:
    """Gains as multiples of `RESOLUTION`."""
    multiples: Floats = np.round(gains / RESOLUTION) * RESOLUTION
    return multiples


def viterbi_by(forest: Forest, gains: Floats, scores: Floats) -> Derivation:
    """The derivation with the largest gain; ties are broken by the model score.

    Gains [parts] are multiples of `RESOLUTION`; scores are float64 [parts].
    """
    _, edges = _core.viterbi_by(forest.core, rounded(gains), scores)
    if not len(edges):
        raise ForestError("no derivation has a finite score")
    return rescored(forest, gains, edges)


def rescored(forest: Forest, scores: Floats, edges: Indices) -> Derivation:
    """A derivation, given by its edges, with its score under the model."""
    return Derivation(float(scores[forest.part[edges]].sum()), edges)


def kbest(forest: Forest, scores: Floats, k: int) -> list[Derivation]:
    """The k best derivations with finite scores, best first; fewer if there are fewer."""
    if k < 0:
        raise ForestError(f"k is negative: {k}")
    return [Derivation(*each) for each in _core.kbest(forest.core, scores, k)]


def distinct_kbest(
    forest: Forest, scores: Floats, k: int, make: Callable[[Derivation], tuple[Hashable, T]]
) -> list[T]:
    """Applies `make` to the best derivations; returns up to k results with distinct keys."""
    made: dict[Hashable, T] = {}
    wanted, before = k, -1
    while len(made) < k and before < len(listed := kbest(forest, scores, wanted)):
        before, wanted = len(listed), 2 * wanted
        for each in listed:
            made.setdefault(*make(each))
    return list(made.values())[:k]


def sample(forest: Forest, scores: Floats, k: int, seed: int = 0) -> list[Indices]:
    """The edges of k derivations sampled from the model; reproducible on all machines."""
    if k < 0 or seed < 0:
        raise ForestError(f"k and seed must not be negative: {k}, {seed}")
    return _core.sample(forest.core, scores, k, seed)


def entropy(forest: Forest, scores: Floats) -> float:
    """The entropy of the model over derivations, in nats."""
    return _core.entropy(forest.core, scores)


def divergence(forest: Forest, scores: Floats, other: Floats) -> float:
    """KL(P || Q) of two score vectors on a forest, in nats; inf if Q forbids what P allows."""
    return _core.divergence(forest.core, scores, other)


def count(forest: Forest) -> int:
    """The exact number of derivations, as a Python integer."""
    return int(_exact_counts(forest, np.zeros(forest.parts))[-1])


def part_counts(forest: Forest, edges: Indices) -> Floats:
    """The number of times that a derivation uses each part: float64 [parts]."""
    return np.bincount(forest.part[edges], minlength=forest.parts).astype(np.float64)


def _exact_counts(forest: Forest, scores: Floats) -> NDArray[np.object_]:
    """The number of derivations of each node, by the Chinese remainder theorem."""
    free = np.where(np.isneginf(scores), scores, 0.0)
    bits = max(0.0, float(np.max(_core.log_inside(forest.core, free)))) / np.log(2)
    values = np.zeros(forest.nodes, dtype=object)
    modulus = 1
    for prime in map(_prime, range(int(bits / 60.9) + 1)):
        residues = _core.count_inside(forest.core, scores, prime).astype(object)
        values += modulus * ((residues - values) * pow(modulus, -1, prime) % prime)
        modulus *= prime
    return values


@cache
def _prime(index: int) -> int:
    """The largest primes below 2^61, in descending order."""
    above = _prime(index - 1) if index else 2**61 + 1
    return next(n for n in range(above - 2, 0, -2) if _is_prime(n))


def _is_prime(n: int) -> bool:
    """The Miller-Rabin test, with bases that are exact for n below 3.3e24."""
    d, twos = n - 1, 0
    while d % 2 == 0:
        d, twos = d // 2, twos + 1
    return all(
        (x := pow(base, d, n)) in (1, n - 1) or any((x := x * x % n) == n - 1 for _ in range(twos))
        for base in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    )
