"""L-BFGS with a Gaussian prior (Nocedal and Wright 2006, algorithms 7.4 and 7.5).

The state between iterations consists of the weights, the value and gradient there, and the pairs of
steps and gradient changes. Unlike scipy's, it can be saved.
"""

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.errors import ConfigError
from treewright.train.loop import Arrays, State, Step, Tick, Trainable, Values, dot, silent
from treewright.train.settings import OptimiserSettings

DECREASE, CURVATURE = 1e-4, 0.9  # c1 and c2, the usual values for quasi-Newton methods
TRIALS = 20
ROUNDING = 1e-14  # relative; smaller increases of the value can be due to rounding


@dataclass(frozen=True, eq=False)
class Point:
    """A point along the search direction, with its value and directional derivative."""

    step: float
    weights: Floats
    value: float
    gradient: Floats
    slope: float


class LineSearch:
    """Searches for a step from `start` that satisfies the strong Wolfe conditions."""

    def __init__(self, start: Point, at: Callable[[float], Point]) -> None:
        self.start, self.at = start, at

    def run(self, step: float) -> Point | None:
        """A point that satisfies the conditions, trying `step` first.

        None if no step decreases the value.
        """
        before = self.start
        for _ in range(TRIALS):
            now = self.at(step)
            if not self._is_down(now) or (now.value >= before.value and before.step > 0):
                return self._between(before, now)
            if self._is_flat(now):
                return now
            if now.slope >= 0:
                return self._between(now, before)
            before, step = now, 2.5 * step
        return before

    def _between(self, low: Point, high: Point) -> Point | None:
        """Narrows an interval, of which `low` is the better end, to a point that satisfies them."""
        for _ in range(TRIALS):
            now = self.at(_minimum(low, high))
            if not self._is_down(now) or now.value >= low.value:
                high = now
                continue
            if self._is_flat(now):
                return now
            if now.slope * (high.step - low.step) >= 0:
                high = low
            low = now
        return low if low.step > 0 else None

    def _is_down(self, point: Point) -> bool:
        rounding = ROUNDING * abs(self.start.value)
        bound = self.start.value + DECREASE * point.step * self.start.slope + rounding
        return math.isfinite(point.value) and point.value <= bound

    def _is_flat(self, point: Point) -> bool:
        return abs(point.slope) <= -CURVATURE * self.start.slope


def _minimum(a: Point, b: Point) -> float:
    """The minimum of the cubic through both ends, kept away from the ends."""
    middle, width = (a.step + b.step) / 2, abs(b.step - a.step)
    if not (math.isfinite(b.value) and math.isfinite(b.slope)):
        return a.step + 0.1 * (b.step - a.step)
    d1 = a.slope + b.slope - 3 * (a.value - b.value) / (a.step - b.step)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return middle
    d2 = math.copysign(math.sqrt(square), b.step - a.step)
    scale = b.slope - a.slope + 2 * d2
    step = b.step - (b.step - a.step) * (b.slope + d2 - d1) / scale if scale else middle
    return min(max(step, middle - 0.4 * width), middle + 0.4 * width)


Pair = tuple[Floats, Floats, float]  # a step s and the change y of the gradient


class Lbfgs:
    """Minimises objective + |weights|^2 / (2 prior^2)."""

    def __init__(
        self, objective: Trainable, settings: OptimiserSettings, start: Floats | None = None
    ) -> None:
        self.objective, self.settings = objective, settings
        self.precision = 1.0 / settings.prior**2
        self._weights: Floats = np.zeros(objective.features) if start is None else start
        self._value, self._gradient = np.inf, np.zeros(0)
        self._pairs: deque[Pair] = deque(maxlen=settings.history)
        self.iteration = self.evaluations = 0
        self.converged = self.stuck = False

    @property
    def done(self) -> bool:
        return self.converged or self.stuck or self.iteration >= self.settings.iterations

    @property
    def weights(self) -> Floats:
        return self._weights

    def model(self) -> Arrays:
        return {"weights": self._weights}

    def advance(self, tick: Tick = silent) -> Step:  # noqa: ARG002 - its state is whole between
        """Runs one iteration; `converged` or `stuck` (no decrease) tells why it was the last."""
        if not self.iteration:
            self._value, self._gradient = self._evaluate(self._weights)
        point = self._search()
        if point is None:
            self._check_start()
            self.stuck = True
        else:
            self._move(point)
        self.iteration += 1
        norm = sqrt(dot(self._gradient, self._gradient))
        return Step(self.iteration, self._value, {"gradient_norm": norm})

    def _check_start(self) -> None:
        """Raises an error if no step from zero weights lowers the objective."""
        if self.iteration == 0 and self._gradient.any() and not self._weights.any():
            raise ConfigError(
                "L-BFGS finds no step from zero weights that lowers the objective. It needs a "
                "smooth one: train hinge and perceptron with sgd, adagrad or adam"
            )

    def state(self) -> State:
        arrays: Arrays = {"weights": self._weights, "gradient": self._gradient}
        for i, (step, change, _) in enumerate(self._pairs):
            arrays |= {f"step.{i}": step, f"change.{i}": change}
        names = ("iteration", "evaluations", "converged", "stuck")
        plain = {name: getattr(self, name) for name in names}
        return arrays, plain | {"pairs": len(self._pairs), "value": self._value}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        self._weights, self._gradient = arrays["weights"], arrays["gradient"]
        for i in range(values["pairs"]):
            step, change = arrays[f"step.{i}"], arrays[f"change.{i}"]
            if not step.shape == change.shape == self._gradient.shape == self._weights.shape:
                raise ValueError("steps of another size than the weights")
            self._pairs.append((step, change, dot(step, change)))
        self._value = values["value"]
        for name in ("iteration", "evaluations", "converged", "stuck"):
            setattr(self, name, values[name])

    def _evaluate(self, weights: Floats) -> tuple[float, Floats]:
        self.evaluations += 1
        value, gradient = self.objective.value_and_gradient(weights)
        if np.isfinite(self.settings.prior):
            value += 0.5 * self.precision * dot(weights, weights)
            gradient = gradient + self.precision * weights
        return float(value), gradient

    def _search(self) -> Point | None:
        """The next point; if the quasi-Newton direction fails, the pairs are dropped."""
        norm = sqrt(dot(self._gradient, self._gradient))
        if norm == 0:
            return None
        if self._pairs:
            direction = _quasi_newton(self._gradient, self._pairs)
            point = self._along(direction, 1.0)
            if point is not None:
                return point
            self._pairs.clear()
        return self._along(-self._gradient, min(1.0, 1.0 / norm))

    def _along(self, direction: Floats, step: float) -> Point | None:
        slope = dot(direction, self._gradient)
        if not slope < 0:
            return None

        def at(length: float) -> Point:
            weights = self._weights + length * direction
            value, gradient = self._evaluate(weights)
            return Point(length, weights, value, gradient, dot(direction, gradient))

        start = Point(0.0, self._weights, self._value, self._gradient, slope)
        return LineSearch(start, at).run(step)

    def _move(self, point: Point) -> None:
        gain = self._value - point.value
        step, change = point.weights - self._weights, point.gradient - self._gradient
        along = dot(step, change)
        if along > np.finfo(float).eps * dot(change, change):
            self._pairs.append((step, change, along))
        scale = max(abs(self._value), abs(point.value), 1.0)
        self.converged = gain <= self.settings.tolerance * scale
        self._weights, self._value, self._gradient = point.weights, point.value, point.gradient


def _quasi_newton(gradient: Floats, pairs: deque[Pair]) -> Floats:
    """- H gradient, with the approximate inverse Hessian H: the two-loop recursion."""
    direction, scratch = -gradient, np.empty_like(gradient)

    def add(factor: float, vector: Floats) -> None:
        np.multiply(vector, factor, out=scratch)
        np.add(direction, scratch, out=direction)

    factors = []
    for s, y, sy in reversed(pairs):
        factors.append(dot(s, direction) / sy)
        add(-factors[-1], y)
    _, y, sy = pairs[-1]
    direction *= sy / dot(y, y)
    for (s, y, sy), factor in zip(pairs, reversed(factors), strict=True):
        add(factor - dot(y, direction) / sy, s)
    return direction


@dataclass(frozen=True, eq=False)
class Fit:
    """Trained weights, with statistics."""

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
    """Minimises objective + |weights|^2 / (2 prior^2), without a run directory.

    Args:
        objective: the sum over training examples.
        prior: standard deviation of the Gaussian prior; inf: no prior.
        iterations: maximum number of iterations.
        tolerance: stop when the relative improvement of an iteration is below this.
        start: initial weights; zeros if None.
        on_step: called after each iteration with the weights.
    """
    try:
        settings = OptimiserSettings(prior=prior, iterations=iterations, tolerance=tolerance)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    optimiser = Lbfgs(objective, settings, start)
    steps: list[Step] = []
    while not optimiser.done:
        steps.append(optimiser.advance())
        if on_step is not None:
            on_step(steps[-1], optimiser.weights)
    return Fit(optimiser.weights, steps, optimiser.converged, optimiser.evaluations)
