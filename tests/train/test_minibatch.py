"""Minibatch optimisers: gradients of parts, the same minimum as L-BFGS, averages, restarts."""

from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices
from treewright.experiments.core.toy import ToyParser, sample
from treewright.losses import BatchObjective, objective_named
from treewright.losses.batch import SparseGradient
from treewright.train.lbfgs import fit_lbfgs
from treewright.train.minibatch import Minibatches
from treewright.train.settings import OptimiserSettings

Name = Literal["sgd", "adagrad", "adam"]
NAMES: tuple[Name, ...] = ("sgd", "adagrad", "adam")
PRIOR = 0.5


@pytest.fixture(scope="module")
def toy() -> BatchObjective:
    parser = ToyParser()
    examples = [parser.example(sentence) for sentence in sample(30, 1)]
    return BatchObjective(objective_named("softmax-margin", "f1"), examples, parser.features, 2)


@pytest.mark.parametrize(
    ("name", "rate", "decay"), [("sgd", 0.3, 0.1), ("adagrad", 0.3, 0.0), ("adam", 0.02, 0.0)]
)
def test_the_minimum_is_that_of_lbfgs(
    toy: BatchObjective, name: Name, rate: float, decay: float
) -> None:
    best = fit_lbfgs(toy, PRIOR, 300, 1e-12).steps[-1].value
    settings = OptimiserSettings(
        name, PRIOR, iterations=60, rate=rate, decay=decay, batch=5, averaging=False
    )
    optimiser = Minibatches(toy, settings, seed=0)
    while not optimiser.done:
        optimiser.advance()
    weights = optimiser.weights
    value = toy.value_and_gradient(weights)[0] + 0.5 * weights @ weights / PRIOR**2
    start = toy.value_and_gradient(0 * weights)[0]
    assert best <= value < best + 0.01 * (start - best)


@pytest.mark.parametrize("name", NAMES)
def test_averaged_weights_are_the_mean_of_all(toy: BatchObjective, name: Name) -> None:
    settings = OptimiserSettings(name, iterations=2, batch=7)
    optimiser, seen = Minibatches(toy, settings, seed=0), []
    while not optimiser.done:
        optimiser.advance(lambda _: seen.append(optimiser._weights.copy()))
        seen.append(optimiser._weights.copy())
    assert len(seen) == 2 * 5
    np.testing.assert_allclose(optimiser.weights, np.mean(seen, axis=0), atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_it_continues_from_every_state_bit_for_bit(toy: BatchObjective, name: Name) -> None:
    settings = OptimiserSettings(name, iterations=2, batch=11)
    undisturbed, states = Minibatches(toy, settings, seed=3), []

    def keep(_: float) -> None:
        arrays, values = undisturbed.state()
        states.append(({name: array.copy() for name, array in arrays.items()}, values))

    while not undisturbed.done:
        keep(0)
        last = undisturbed.advance(keep)
    assert len(states) == 2 * 3
    for arrays, values in states:
        continued = Minibatches(toy, settings, seed=3)
        continued.restore(arrays, values)
        while not continued.done:
            step = continued.advance()
        assert continued.weights.tobytes() == undisturbed.weights.tobytes()
        assert step == last


def test_the_seed_sets_the_order(toy: BatchObjective) -> None:
    def weights(seed: int) -> bytes:
        optimiser = Minibatches(toy, OptimiserSettings("sgd", batch=4), seed)
        optimiser.advance()
        return optimiser.weights.tobytes()

    assert weights(1) == weights(1) != weights(2)


class Noise:
    """An objective whose gradient is rounding error alone."""

    features = 3

    def __len__(self) -> int:
        return 4

    def uses(self) -> Indices:
        return np.full(3, 4, dtype=np.int32)

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        return 1.0, 0 * weights + 1e-16

    def value_and_gradient_on(self, examples: NDArray[np.int64], weights: Floats) -> SparseGradient:
        numbers = np.arange(3, dtype=np.int32)
        return SparseGradient(1.0, numbers, 0 * weights + 1e-16, 0 * numbers + len(examples))


@pytest.mark.parametrize("name", NAMES)
def test_rounding_errors_do_not_become_weights(name: Name) -> None:
    optimiser = Minibatches(Noise(), OptimiserSettings(name, batch=1, iterations=9), seed=0)
    while not optimiser.done:
        optimiser.advance()
    assert np.abs(optimiser.weights).max() < 1e-10
