"""Softmax-margin with belief propagation, which Auli and Lopez (2011) leave to future work.

The loss belongs to the parser, the last layer: its factor weights derivations by exp(score + tau *
loss) instead of exp(score); belief propagation is unchanged. A loss that decomposes is added to the
scores of parts. For other losses of the counts, the factor's sums are those of
`treewright.losses.softmax_margin`, including exact F1.

    value = Bethe log Z of the factors with the loss - score(gold)
"""

from collections.abc import Sequence

import numpy as np

from treewright.arrays import Floats
from treewright.forests.forest import Forest
from treewright.inference import exact
from treewright.inference.factors import FactorGraph, ForestFactor, Variables
from treewright.inference.plans import Method
from treewright.losses.costs import Loss
from treewright.losses.softmax_margin import SoftmaxMargin
from treewright.train.joint import (
    Gradients,
    JointExample,
    JointLikelihood,
    Layer,
    with_costs,
)

LOST = 1e-9  # smaller probabilities can be due to rounding


class LossFactor(ForestFactor):
    """The forest of a layer with the weights exp(score + tau * loss)."""

    def __init__(
        self, variables: Variables, layer: Layer, scores: Floats, objective: SoftmaxMargin
    ) -> None:
        forest = layer.example.forest
        super().__init__(variables, forest, scores, layer.parts, layer.values, layer.weight)
        self.gold, self.objective = layer.gold, objective
        self.place = np.searchsorted(self.scope, self.values)
        sizes = np.diff(variables.first)[self.variables]
        self.own = Variables.of_sizes(sizes.tolist())
        self._parts: Floats = np.zeros(forest.parts)

    def marginals(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log probability of each value in scope, including the loss.

        The loss only adds weight, so if a value's sum is lost to rounding, it is bounded below by
        the sum without the loss, and above by exp(tau * largest loss) times that.
        """
        plain_log_z, plain = super().marginals(messages)
        log_z, self._parts = log_sum(self.objective, self.forest, self.scores(messages), self.gold)
        probability = np.bincount(self.place, self._parts[self.parts], len(self.scope))
        found = np.log(np.maximum(probability, LOST))
        return log_z, np.where(probability > LOST, found, plain + plain_log_z - log_z)

    def message(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log marginals minus the messages, normalised per variable."""
        log_z, marginals = self.marginals(messages)
        found = np.where(np.isneginf(messages), -np.inf, marginals)
        found[np.isfinite(messages)] -= messages[np.isfinite(messages)]
        return log_z, found - self.own.log_normalisers(found)[self.own.variable_of]

    def part_marginals(self, messages: Floats) -> Floats:
        """The expected uses of the parts given the messages: float64 [parts]."""
        if self._asked is None or (self._asked != messages).any():
            self.marginals(messages)
        return self._parts


def log_sum(
    objective: SoftmaxMargin, forest: Forest, scores: Floats, gold: Forest
) -> tuple[float, Floats]:
    """log sum exp(score + tau * loss), and its gradient over the scores."""
    value, gradient = objective.value_and_gradient(forest, scores, gold)
    right = exact.marginals(gold, scores)
    return value + right.log_z, gradient + right.parts


class JointSoftmaxMargin(JointLikelihood):
    """Softmax-margin with the loss of the last layer.

    Args:
        examples, features, threads: see `JointObjective`.
        loss: any loss of the parser's counts.
        tau: weight of the loss; 0: likelihood.
        method, tolerance: for losses that do not decompose, see `SoftmaxMargin`.
        iterations, threshold, damping: settings of belief propagation.
    """

    def __init__(
        self,
        examples: Sequence[JointExample],
        features: int,
        loss: Loss,
        tau: float = 1.0,
        threads: int = 1,
        iterations: int = 10,
        threshold: float = 1e-4,
        damping: float = 0.0,
        method: Method = "auto",
        tolerance: float = 1e-4,
    ) -> None:
        super().__init__(examples, features, threads, iterations, threshold, damping)
        self.loss, self.tau = loss, tau
        self.objective = SoftmaxMargin(loss, tau, method, tolerance)

    def gradients(self, example: JointExample, scores: Sequence[Floats]) -> Gradients:
        """The value on one sentence, and its gradient over the scores of each layer's parts."""
        costs = with_costs(example, scores, self.loss, self.tau)
        if costs is None:
            return self.over(self._graph(example, scores), example, scores)
        constant, augmented = costs
        value, found = self.over(example.graph(augmented), example, scores)
        return value + constant, found

    def _graph(self, example: JointExample, scores: Sequence[Floats]) -> FactorGraph:
        graph = example.graph(scores)
        last = example.layers[-1]
        own = LossFactor(example.variables, last, scores[-1], self.objective)
        return FactorGraph(example.variables, [*graph.factors[:-1], own])
