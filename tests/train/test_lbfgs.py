"""L-BFGS against scipy's, on functions with known minima, and continued from every state."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
import scipy.optimize

from treewright.arrays import Floats
from treewright.errors import ConfigError
from treewright.experiments.core.toy import ToyParser, sample
from treewright.losses import BatchObjective, objective_named
from treewright.train.lbfgs import Lbfgs, LineSearch, Point, fit_lbfgs
from treewright.train.settings import OptimiserSettings

Function = Callable[[Floats], tuple[float, Floats]]


class Smooth:
    """A function as an objective."""

    def __init__(self, function: Function, features: int) -> None:
        self.value_and_gradient, self.features = function, features


def rosenbrock(x: Floats) -> tuple[float, Floats]:
    return float(scipy.optimize.rosen(x)), scipy.optimize.rosen_der(x)


@pytest.fixture(scope="module")
def toy() -> BatchObjective:
    parser = ToyParser()
    examples = [parser.example(sentence) for sentence in sample(40, 1)]
    return BatchObjective(objective_named("softmax-margin", "f1"), examples, parser.features, 1)


def test_rosenbrock_is_solved() -> None:
    fit = fit_lbfgs(
        Smooth(rosenbrock, 6), np.inf, 500, 1e-15, start=np.array([-1.2, 1, -1.2, 1, 0, 2])
    )
    assert fit.converged
    np.testing.assert_allclose(fit.weights, 1.0, atol=1e-6)
    values = [step.value for step in fit.steps]
    assert all(b <= a for a, b in pairwise(values))


@pytest.mark.parametrize("prior", [0.1, 0.5])
def test_the_minimum_is_scipys(toy: BatchObjective, prior: float) -> None:
    fit = fit_lbfgs(toy, prior, 300, 1e-13)

    def regularised(w: Floats) -> tuple[float, Floats]:
        value, gradient = toy.value_and_gradient(w)
        return value + 0.5 * w @ w / prior**2, gradient + w / prior**2

    options = {"maxiter": 1000, "maxfun": 5000, "ftol": 1e-13, "gtol": 1e-10}
    theirs = scipy.optimize.minimize(
        regularised, np.zeros(toy.features), jac=True, method="L-BFGS-B", options=options
    )
    assert fit.converged
    assert fit.steps[-1].value == pytest.approx(theirs.fun, rel=1e-9)
    np.testing.assert_allclose(fit.weights, theirs.x, atol=2e-4 * max(prior, 1))
    assert fit.evaluations <= 1.3 * theirs.nfev + 5


def test_it_continues_from_every_state_bit_for_bit(toy: BatchObjective) -> None:
    settings = OptimiserSettings(iterations=12, history=4, tolerance=0.0)
    undisturbed = Lbfgs(toy, settings)
    states = []
    while not undisturbed.done:
        states.append(undisturbed.state())
        undisturbed.advance()
    for arrays, values in states[1:]:
        continued = Lbfgs(toy, settings)
        continued.restore(arrays, values)
        while not continued.done:
            continued.advance()
        assert continued.weights.tobytes() == undisturbed.weights.tobytes()
        assert continued.evaluations == undisturbed.evaluations


def test_a_kink_ends_it_where_no_step_leads_down() -> None:
    kink = Smooth(lambda x: (float(np.abs(x).sum()), np.sign(x) + (x == 0)), 2)
    with pytest.raises(ConfigError, match="smooth one: train hinge and perceptron with sgd"):
        fit_lbfgs(kink, np.inf)
    # From other weights there is something to show for it.
    fit = fit_lbfgs(kink, np.inf, start=np.array([0.0, 1e-3]))
    assert not fit.converged


def test_a_minimum_at_the_start() -> None:
    fit = fit_lbfgs(Smooth(lambda x: (float(x @ x), 2 * x), 2))
    assert (len(fit.steps), fit.steps[0].value) == (1, 0.0)


@pytest.mark.parametrize(
    ("function", "first"),
    [
        (lambda t: ((t - 3) ** 2, 2 * (t - 3)), 1.0),
        (lambda t: ((t - 3) ** 2, 2 * (t - 3)), 1e-6),
        (lambda t: ((t - 3) ** 2, 2 * (t - 3)), 1e4),
        (lambda t: (-t / (t**2 + 2), (t**2 - 2) / (t**2 + 2) ** 2), 10.0),
        (lambda t: (t**4 - 2 * t if t < 5 else np.inf, 4 * t**3 - 2), 100.0),
    ],
)
def test_the_line_search_keeps_its_conditions(
    function: Callable[[float], tuple[float, float]], first: float
) -> None:
    none = np.zeros(0)

    def at(step: float) -> Point:
        value, slope = function(step)
        return Point(step, none, value, none, slope)

    found = LineSearch(at(0.0), at).run(first)
    assert found is not None
    assert found.value <= at(0.0).value + 1e-4 * found.step * at(0.0).slope
    assert abs(found.slope) <= 0.9 * abs(at(0.0).slope)


@pytest.mark.parametrize("prior", [0.0, -1.0, np.nan])
def test_a_wrong_prior(prior: float) -> None:
    with pytest.raises(ConfigError, match="prior must be positive"):
        fit_lbfgs(Smooth(rosenbrock, 2), prior)
