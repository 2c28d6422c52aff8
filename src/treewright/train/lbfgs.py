"""L-BFGS over stored examples, with a Gaussian prior (scipy's L-BFGS-B does the work)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.optimize

from treewright.errors import ConfigError
from treewright.inference.box import Floats


class Trainable(Protocol):
    """What an optimiser needs: a value and a gradient for any weights, both to be minimised."""

    features: int

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]: ...


@dataclass(frozen=True)
class Step:
    """One finished iteration: its number, the objective with the prior, and the gradient's norm."""

    iteration: int
    value: float
    gradient_norm: float


@dataclass(frozen=True, eq=False)
class Fit:
    """Trained weights, and how training went."""

    weights: Floats
    steps: list[Step]
    converged: bool
    evaluations: int


def fit_lbfgs(
    objective: Trainable,
    prior: float = 1.0,
    iterations: int = 200,
    tolerance: float = 1e-5,
    start: Floats | None = None,
    on_step: Callable[[Step, Floats], None] | None = None,
) -> Fit:
    """Minimises objective + |weights|^2 / (2 prior^2).

    Args:
        objective: summed over the training examples.
        prior: the standard deviation of the Gaussian prior; infinite is none.
        iterations: the most to do.
        tolerance: stop when an iteration gains less than this, relative to the value.
        start: initial weights; zeros if None.
        on_step: called after every iteration with the weights so far.
    """
    if not prior > 0:
        raise ConfigError(f"the prior's standard deviation must be positive, not {prior}")
    precision = 1.0 / prior**2
    last: list[tuple[float, float]] = [(np.inf, np.inf)]
    steps: list[Step] = []

    def regularised(weights: Floats) -> tuple[float, Floats]:
        value, gradient = objective.value_and_gradient(weights)
        value += 0.5 * precision * float(weights @ weights)
        gradient = gradient + precision * weights
        last[0] = value, float(np.linalg.norm(gradient))
        return value, gradient

    def after_iteration(weights: Floats) -> None:
        steps.append(Step(len(steps) + 1, *last[0]))
        if on_step is not None:
            on_step(steps[-1], weights)

    result = scipy.optimize.minimize(
        regularised,
        np.zeros(objective.features) if start is None else start,
        method="L-BFGS-B",
        jac=True,
        callback=after_iteration,
        options={"maxiter": iterations, "ftol": tolerance, "gtol": 0.0},
    )
    return Fit(result.x, steps, bool(result.status == 0), int(result.nfev))
