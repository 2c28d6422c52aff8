"""Exponential tilting: a corpus's law of the counts moved to where a function has its mass.

    E_p[g(N, D)]  =  E_p[exp(a N + b D)] E_q[r(N, D)],
    q ~ p exp(a N + b D),   r = g exp(-a N - b D)

for every a and b. With the gradient of log g at q's own mean for them, r is flat to first order
where q's mass is: what is left of g = exp(tau loss) does not grow with the corpus.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from treewright.arrays import Floats, Integers
from treewright.errors import ForestError
from treewright.forests.forest import Forest
from treewright.inference import exact, expsum
from treewright.inference.count_range import CountRange, GridFunction, total_count_range

ROUNDS = 2  # towards the gradient at the tilted law's mean; any a and b are right
Sentences = Sequence[tuple[Forest, Floats]]


@dataclass(frozen=True, eq=False)
class Tilted:
    """sum w g = exp(log_scale) E_q[rest]: q's sentences, and the rest, which is 1 at their mean.

    mean: its counts, rounded. flat: log rest is all but a plane on the whole count range.
    """

    sentences: Sentences
    rest: GridFunction
    log_scale: float
    mean: tuple[int, int]
    flat: bool


def tilted(sentences: Sentences, g: GridFunction) -> Tilted:
    """The law that the plane of log g makes of the sentences' own; of a flat g, that itself."""
    bounds = total_count_range(forest for forest, _ in sentences)
    if expsum.is_flat(bounds, g):
        log_z = sum(exact.log_z(forest, scores) for forest, scores in sentences)
        return Tilted(sentences, g, log_z, (0, 0), flat=True)
    law = _Law(sentences, 0.0, 0.0)
    for _ in range(ROUNDS):
        law = _Law(sentences, *_gradient(g, bounds, *law.mean))
    (a, b), (n, d) = law.rates, law.mean
    height = _log(g, n, d)
    if not np.isfinite(height):
        raise ForestError("a relative tolerance needs a positive, finite function of the counts")

    def rest(ns: Integers, ds: Integers) -> Floats:
        return g(ns, ds) * np.exp(-height - a * (ns - n) - b * (ds - d))

    scale = height - a * n - b * d + law.log_z
    return Tilted(law.sentences, rest, scale, (n, d), expsum.is_flat(bounds, rest))


class _Law:
    """The sentences with exp(a n + b d) in their weights, and their mean counts."""

    def __init__(self, sentences: Sentences, a: float, b: float) -> None:
        self.rates = a, b
        self.sentences = [(f, scores + a * f.correct + b * f.produced) for f, scores in sentences]
        self.log_z, mean = 0.0, np.zeros(2)
        for forest, scores in self.sentences:
            marginals = exact.marginals(forest, scores)
            self.log_z += marginals.log_z
            mean += marginals.parts @ forest.correct, marginals.parts @ forest.produced
        self.mean = round(float(mean[0])), round(float(mean[1]))


def _gradient(g: GridFunction, bounds: CountRange, n: int, d: int) -> tuple[float, float]:
    """The slopes of log g at a cell, from its neighbours in the range; 0 where it has none."""
    here = _log(g, n, d)
    if not np.isfinite(here):
        return 0.0, 0.0
    most_n = min(bounds.n_high, d) if bounds.n_within_d else bounds.n_high
    to_n, to_d = _neighbour(n, bounds.n_low, most_n), _neighbour(d, bounds.d_low, bounds.d_high)
    along = (_log(g, n + to_n, d) - here) * to_n, (_log(g, n, d + to_d) - here) * to_d
    return along if np.isfinite(along).all() else (0.0, 0.0)


def _neighbour(count: int, low: int, high: int) -> int:
    """A step that stays between the two: 1, -1, or none."""
    return 1 if count < high else -int(count > low)


def _log(g: GridFunction, n: int, d: int) -> float:
    with np.errstate(all="ignore"):
        value = np.log(np.asarray(g(np.array([[n]]), np.array([[d]])), dtype=np.float64))
    return float(value.ravel()[0])
