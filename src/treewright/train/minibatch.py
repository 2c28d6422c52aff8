"""SGD, AdaGrad and Adam on minibatches, at a cost proportional to the minibatch's features.

The objective is that of L-BFGS. The prior is divided among the examples: each of the n_j examples
with feature j carries w_j^2 / (2 prior^2 n_j). So the gradient of a minibatch is sparse, and the
sum over all examples has the whole prior. Weights are averaged lazily, by sums over touched
features (Daume 2006, figure 2.3).
"""

from collections.abc import Callable, Mapping
from math import ceil, sqrt
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ConfigError
from treewright.losses.batch import SparseGradient
from treewright.train.lbfgs import Lbfgs
from treewright.train.loop import (
    Arrays,
    Learner,
    MinibatchTrainable,
    State,
    Step,
    Tick,
    Trainable,
    Values,
    dot,
    silent,
)
from treewright.train.settings import OptimiserSettings

# An update rule: (its sums, features, gradient, examples) -> the direction, to be multiplied by the
# rate. It only touches its sums at the features of the minibatch.
Sums = dict[str, Floats]
Rule = Callable[[Sums, Indices, Floats, int], Floats]
# AdaGrad and Adam normalise gradients: without a floor, rounding errors would become weights. A
# difference of one count in one sentence is a gradient of about 1.
FLOOR = 0.01
ADAM = 0.9, 0.999  # the decays of Kingma and Ba 2015


def _sgd(_: Sums, __: Indices, gradient: Floats, examples: int) -> Floats:
    return gradient / examples


def _adagrad(sums: Sums, touched: Indices, gradient: Floats, _: int) -> Floats:
    # G += g^2; the step is g / sqrt(G)   (Duchi et al. 2011)
    squares = sums["squares"].take(touched) + gradient**2
    sums["squares"][touched] = squares
    return gradient / (np.sqrt(squares) + FLOOR)


def _adam(sums: Sums, touched: Indices, gradient: Floats, _: int) -> Floats:
    # m += (1 - b1)(g - m), v += (1 - b2)(g^2 - v), bias-corrected by each feature's own number of
    # updates: rare features are not damped by steps that did not touch them.
    b1, b2 = ADAM
    mean = b1 * sums["mean"].take(touched) + (1 - b1) * gradient
    squares = b2 * sums["squares"].take(touched) + (1 - b2) * gradient**2
    updates = sums["updates"].take(touched) + 1
    for name, value in (("mean", mean), ("squares", squares), ("updates", updates)):
        sums[name][touched] = value
    return mean / (1 - b1**updates) / (np.sqrt(squares / (1 - b2**updates)) + FLOOR)


RULES: dict[str, tuple[Rule, tuple[str, ...]]] = {
    "sgd": (_sgd, ()),
    "adagrad": (_adagrad, ("squares",)),
    "adam": (_adam, ("mean", "squares", "updates")),
}


class Minibatches:
    """One of the RULES on minibatches, in an order determined by the seed and the epoch."""

    def __init__(
        self, objective: MinibatchTrainable, settings: OptimiserSettings, seed: int
    ) -> None:
        self.objective, self.settings, self.seed = objective, settings, seed
        self.rule, names = RULES[settings.name]
        features = objective.features
        self._share = 1.0 / (settings.prior**2 * np.maximum(objective.uses(), 1))
        self._weights = np.zeros(features)
        self._sums: Sums = {name: np.zeros(features) for name in names}
        if settings.averaging:
            self._late = np.zeros(features)  # sum_t (t - 1) * change in step t
        self.passes = self.batch = self.steps = 0
        self.value = self.norm = 0.0  # in the current epoch

    @property
    def done(self) -> bool:
        return self.passes >= self.settings.iterations

    @property
    def weights(self) -> Floats:
        # (1/T) sum_t w_t = w_T - (1/T) sum_t (t - 1) (w_t - w_t-1)
        if not self.settings.averaging or not self.steps:
            return self._weights.copy()
        return self._weights - self._late / self.steps

    def model(self) -> Arrays:
        return {"weights": self.weights}

    def advance(self, tick: Tick = silent) -> Step:
        """Runs one epoch; its value is the sum over minibatches, each before its step."""
        size, examples = self.settings.batch, len(self.objective)
        order = np.random.default_rng([self.seed, self.passes]).permutation(examples)
        batches = ceil(examples / size)
        while self.batch < batches:
            if self.batch:
                tick(self.passes + self.batch / batches)
            self._update(order[self.batch * size : (self.batch + 1) * size])
            self.batch += 1
        self.passes += 1
        step = Step(self.passes, self.value, {"gradient_norm": self.norm / max(batches, 1)})
        self.batch, self.value, self.norm = 0, 0.0, 0.0
        return step

    def state(self) -> State:
        arrays: Arrays = {"weights": self._weights}
        arrays |= {f"sum.{name}": array for name, array in self._sums.items()}
        if self.settings.averaging:
            arrays["late"] = self._late
        names = ("passes", "batch", "steps", "value", "norm")
        return arrays, {name: getattr(self, name) for name in names}

    def restore(self, arrays: Mapping[str, NDArray[Any]], values: Values) -> None:
        self._weights = arrays["weights"].copy()
        self._sums = {name: arrays[f"sum.{name}"].copy() for name in self._sums}
        if self.settings.averaging:
            self._late = arrays["late"].copy()
        for name in ("passes", "batch", "steps", "value", "norm"):
            setattr(self, name, values[name])

    def _update(self, examples: Integers) -> None:
        value, touched, gradient, uses = self.objective.value_and_gradient_on(
            examples, self._weights
        )
        weights = self._weights.take(touched)
        prior = self._share.take(touched) * uses * weights
        self.value += value + 0.5 * dot(prior, weights)
        gradient = gradient + prior
        self.norm += sqrt(dot(gradient, gradient)) / len(examples)
        change = self.rule(self._sums, touched, gradient, len(examples))
        change *= -self._rate()
        self._weights[touched] = weights + change
        if self.settings.averaging:
            self._late[touched] = self._late.take(touched) + self.steps * change
        self.steps += 1

    def _rate(self) -> float:
        batches = ceil(len(self.objective) / self.settings.batch)
        return self.settings.rate / (1.0 + self.settings.decay * self.steps / batches)


def optimiser_for(objective: Trainable, settings: OptimiserSettings, seed: int) -> Learner:
    """The optimiser of the settings."""
    if settings.name == "lbfgs":
        return Lbfgs(objective, settings)
    if not hasattr(objective, "value_and_gradient_on"):
        raise ConfigError(f"{settings.name} needs minibatches, which this objective does not have")
    return Minibatches(cast(MinibatchTrainable, objective), settings, seed)


class Shifted:
    """An objective shifted by a fixed point, so that the prior is centred at this point."""

    def __init__(self, objective: MinibatchTrainable, origin: Floats) -> None:
        self.objective, self.origin, self.features = objective, origin, objective.features

    def __len__(self) -> int:
        return len(self.objective)

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        return self.objective.value_and_gradient(weights + self.origin)

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient:
        return self.objective.value_and_gradient_on(examples, weights + self.origin)

    def uses(self) -> Indices:
        return self.objective.uses()
