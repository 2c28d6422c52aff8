"""Joint training of the factors of an integrated model (Auli and Lopez 2011, sections 5.4 and 6).

Objectives over sentences with several layers (a tagger's chain, a parser's chart, a table between
tag sets), scored by one weight vector:

- `JointLikelihood`: belief propagation's surrogate of -log P(gold): its Bethe log Z minus that of
the gold derivations, which is a sum if they are partly latent. Its gradient, expected features
under the beliefs minus those under gold's, is exact if belief propagation converged.
- `JointHinge`: the best joint solution found by dual decomposition against gold, with costs on
wrong values of the variables and on the parser's parts. Without costs it is the perceptron.

`treewright.train.joint_margin` adds a loss to the first. All support minibatches, so that all
optimisers of `treewright.train` can be used.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np

from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ConfigError, ForestError
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.forest import Forest
from treewright.inference import bp, dual, exact
from treewright.inference.factors import FactorGraph, ForestFactor, Variables
from treewright.losses.batch import SparseGradient
from treewright.losses.costs import Loss


@dataclass(frozen=True, eq=False)
class Layer:
    """One factor of a sentence: part parts[i] of the example's forest selects value values[i]."""

    example: Example
    parts: Indices
    values: Indices
    weight: float = 1.0

    @property
    def gold(self) -> Forest:
        if self.example.gold is None:
            raise ForestError(f"{self.example.name}: no gold derivation in the forest")
        return self.example.gold

    def scores(self, weights: Floats) -> Floats:
        """The parts' scores, before weighting."""
        return self.example.features.scores(weights)


@dataclass(frozen=True, eq=False)
class JointExample:
    """A sentence: variables, layers over them (the primary one last), and gold values."""

    variables: Variables
    layers: Sequence[Layer]
    gold_values: Indices

    def graph(
        self, scores: Sequence[Floats], unary: Floats | None = None, gold: bool = False
    ) -> FactorGraph:
        """The factors with these scores of their parts, over all derivations or gold ones."""
        factors = [
            ForestFactor(
                self.variables,
                layer.gold if gold else layer.example.forest,
                score,
                layer.parts,
                layer.values,
                layer.weight,
            )
            for layer, score in zip(self.layers, scores, strict=True)
        ]
        return FactorGraph(self.variables, factors, unary)

    @property
    def features(self) -> Indices:
        """The distinct features of the sentence."""
        return np.unique(np.concatenate([y.example.features.vocabulary for y in self.layers]))


# A value, and for each layer a gradient over the scores of its parts.
Gradients = tuple[float, list[Floats]]


class JointObjective(ABC):
    """The sum of an objective over sentences, as a function of the weights.

    Args:
        examples: the sentences.
        features: the length of the weight vector.
        threads: number of threads; does not change the result.
    """

    def __init__(self, examples: Sequence[JointExample], features: int, threads: int = 1) -> None:
        if threads < 1:
            raise ConfigError(f"threads must be positive: {threads}")
        self.examples, self.features, self.threads = examples, features, threads

    @abstractmethod
    def gradients(self, example: JointExample, scores: Sequence[Floats]) -> Gradients:
        """The value on one sentence, and its gradient over the scores of each layer's parts."""

    def __len__(self) -> int:
        return len(self.examples)

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient:
        """Value and gradient over some of the sentences, by number."""
        work = partial(self._sparse, weights=np.ascontiguousarray(weights, dtype=np.float64))
        with ThreadPoolExecutor(self.threads) as pool:
            results = list(pool.map(work, examples.tolist()))
        touched, place = np.unique(np.concatenate([f for _, f, _ in results]), return_inverse=True)
        gradient = np.zeros(len(touched))
        np.add.at(gradient, place, np.concatenate([g for *_, g in results]))
        uses = np.bincount(place, minlength=len(touched)).astype(np.int32)
        return SparseGradient(sum(v for v, *_ in results), touched, gradient, uses)

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        """Value and gradient over all sentences: [features]."""
        value, touched, gradient, _ = self.value_and_gradient_on(np.arange(len(self)), weights)
        out = np.zeros(self.features)
        out[touched] = gradient
        return value, out

    def uses(self) -> Indices:
        """The number of sentences with each feature: [features]."""
        uses = np.zeros(self.features, dtype=np.int32)
        for example in self.examples:
            uses[example.features] += 1
        return uses

    def _sparse(self, number: int, weights: Floats) -> tuple[float, Indices, Floats]:
        """The value on a sentence, its features, and the gradient over them."""
        example = self.examples[number]
        value, gradients = self.gradients(example, [y.scores(weights) for y in example.layers])
        touched = example.features
        out = np.zeros(len(touched))
        for layer, gradient in zip(example.layers, gradients, strict=True):
            matrix = layer.example.features
            local = matrix.core.backpropagate(layer.weight * gradient)
            np.add.at(out, np.searchsorted(touched, matrix.vocabulary), local)
        return value, touched, out


class JointLikelihood(JointObjective):
    """Belief propagation's -log P(gold), after some iterations or at convergence."""

    def __init__(
        self,
        examples: Sequence[JointExample],
        features: int,
        threads: int = 1,
        iterations: int = 10,
        threshold: float = 1e-4,
        damping: float = 0.0,
    ) -> None:
        super().__init__(examples, features, threads)
        self.run = partial(bp.run, iterations=iterations, threshold=threshold, damping=damping)

    def gradients(self, example: JointExample, scores: Sequence[Floats]) -> Gradients:
        return self.over(example.graph(scores), example, scores)

    def over(
        self, graph: FactorGraph, example: JointExample, scores: Sequence[Floats]
    ) -> Gradients:
        """The factors' Bethe log Z minus that of the gold derivations, with its gradient."""
        every, right = (self.run(g).state for g in (graph, example.graph(scores, gold=True)))
        numbers = range(len(example.layers))
        beliefs = [every.part_beliefs(i) - right.part_beliefs(i) for i in numbers]
        return every.log_z() - right.log_z(), beliefs


class JointHinge(JointObjective):
    """max over joint solutions of score + cost, minus the gold score, or 0.

    Args:
        examples, features, threads: see `JointObjective`.
        hamming: the cost of a wrong value of a variable.
        loss: a decomposable loss over the parts of the last layer, or None.
        scale: multiplier of the loss.
        iterations: of dual decomposition; without a certificate, the best solution found is used.
    """

    def __init__(
        self,
        examples: Sequence[JointExample],
        features: int,
        threads: int = 1,
        hamming: float = 0.0,
        loss: Loss | None = None,
        scale: float = 1.0,
        iterations: int = 25,
    ) -> None:
        super().__init__(examples, features, threads)
        self.hamming, self.loss, self.scale, self.iterations = hamming, loss, scale, iterations

    def gradients(self, example: JointExample, scores: Sequence[Floats]) -> Gradients:
        unary = np.full(example.variables.values, self.hamming)
        unary[example.gold_values] = 0.0
        constant, augmented = self._augmented(example, scores)
        solution = dual.solve(example.graph(augmented, unary), self.iterations).solution
        right = [
            exact.viterbi(layer.gold, layer.weight * score)
            for layer, score in zip(example.layers, scores, strict=True)
        ]
        value = solution.score + constant - sum(gold.score for gold in right)
        if value < 0:  # without a certificate, gold can be better than the best solution found
            return 0.0, [np.zeros_like(score) for score in scores]
        return value, [
            exact.part_counts(layer.example.forest, edges)
            - exact.part_counts(layer.gold, gold.edges)
            for layer, edges, gold in zip(example.layers, solution.edges, right, strict=True)
        ]

    def _augmented(
        self, example: JointExample, scores: Sequence[Floats]
    ) -> tuple[float, list[Floats]]:
        if self.loss is None:
            return 0.0, list(scores)
        found = with_costs(example, scores, self.loss, self.scale)
        if found is None:
            raise ForestError(
                f"{self.loss.name} has no costs on parts, which dual decomposition needs"
            )
        return found


def with_costs(
    example: JointExample, scores: Sequence[Floats], loss: Loss, scale: float
) -> tuple[float, list[Floats]] | None:
    """A constant and scores with the costs of a loss in the last layer; None if it has no costs."""
    last = example.layers[-1]
    costs = loss.decompose(last.example.forest)
    if costs is None:
        return None
    if last.weight <= 0:
        raise ForestError("a layer with weight 0 cannot have a loss")
    return scale * costs[0], [*scores[:-1], scores[-1] + scale / last.weight * costs[1]]


def shifted(features: FeatureMatrix, offset: int) -> FeatureMatrix:
    """The same features with an offset, for layers that share one weight vector."""
    return FeatureMatrix(
        features.first, features.local, features.vocabulary + np.int32(offset), features.value
    )
