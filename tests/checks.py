"""Numeric checks and small enumerations shared by several test files."""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from random import Random
from typing import TypeVar

import numpy as np
from hypothesis import strategies as st
from numpy.typing import ArrayLike, NDArray
from scipy.signal import convolve2d

from tests.brute import Brute
from tests.strategies import plain, random_model, randoms
from treewright.forests import Forest, chain
from treewright.inference import counts, plans
from treewright.inference.count_range import CountRange, GridFunction

Floats = NDArray[np.float64]
T = TypeVar("T")


def seeded(make: Callable[[Random], T]) -> st.SearchStrategy[T]:
    """The output of a generator for any seed."""
    return randoms().map(make)


def weighted(
    *kinds: Callable[[Random], float], counts: bool = True, most: int = 200
) -> st.SearchStrategy[Brute]:
    """Models, with or without counts, that have a derivation with a finite score."""
    made = seeded(lambda r: random_model(r, kinds or (plain,), counts=counts, most=most))
    return made.filter(lambda model: bool(model.weighted))


def rounding(model: Brute) -> float:
    """The rounding error of probabilities: scores of size s have an error of s * 2^-53 each."""
    finite = model.scores[np.isfinite(model.scores)]
    return 1e-14 * max(100.0, 30 * float(np.abs(finite).max(initial=1)))


def assert_close(found: ArrayLike, expected: ArrayLike, tolerance: float) -> None:
    """Equal within the tolerance, absolute or relative to the largest expected."""
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * scale)


def central_differences(f: Callable[[Floats], float], at: Floats, step: float = 1e-4) -> Floats:
    """The gradient of f by differences of fourth order; 0 where the argument is -inf."""
    gradient = np.zeros(len(at))
    for i, x in enumerate(at):
        if not math.isfinite(x):
            continue
        values = []
        for k in (-2, -1, 1, 2):
            moved = at.copy()
            moved[i] = x + k * step
            values.append(f(moved))
        gradient[i] = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * step)
    return gradient


def expected(model: Brute, g: GridFunction) -> tuple[float, Floats, Floats]:
    """E[g(n, d)], E[g * uses] of each part and the gradient of E[g], by enumeration."""
    at = {(n, d): np.asarray(g(np.array([[n]]), np.array([[d]]))).item() for n, d in model.law()}

    def of_counts(n: int, d: int, _c: int) -> float:
        return at[n, d]

    value, masses = model.expect(of_counts), model.tilted_parts(of_counts)
    return value, masses, masses - value * model.part_marginals()


def law_of_sum(models: Sequence[Brute]) -> tuple[CountRange, Floats]:
    """The law of the summed counts of independent sentences, on the summed count range."""
    ranges = [CountRange(*model.count_range()) for model in models]
    laws = [model.law_table(*model.count_range()) for model in models]
    return reduce(lambda a, b: a + b, ranges), reduce(convolve2d, laws)


def with_counts(forest: Forest, n: ArrayLike, d: ArrayLike, gold_size: int) -> Forest:
    """The forest with these n and d of its parts; c is n."""
    rows = [np.broadcast_to(row, forest.parts) for row in (n, d, n)]
    return forest.with_counts(np.array(rows, dtype=np.int16), gold_size)


def random_tagging(random: Random) -> tuple[Forest, NDArray[np.bool_]]:
    """A chain, and a mask of its emissions: each derivation has one per word."""
    tags = [random.sample(range(3), random.randint(1, 3)) for _ in range(random.randint(2, 5))]
    built = chain(tags, order=random.randint(0, 2))
    return built.forest, np.arange(built.forest.parts) < built.candidates


def log_expectation(
    forest: Forest,
    scores: Floats,
    log_g: GridFunction,
    method: plans.Method = "auto",
    tolerance: float = counts.EXACT,
) -> counts.Expectation:
    """log E[exp(log_g(n, d))] and its gradient: tilted marginals minus the model's."""
    found = counts.expectation(
        forest, scores, lambda n, d: np.exp(log_g(n, d)), method, tolerance, relative=True
    )
    return counts.Expectation(
        float(np.log(found.value)),
        found.gradient / found.value,
        found.masses,
        found.method,
        found.error,
    )
