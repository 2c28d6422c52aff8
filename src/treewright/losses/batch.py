"""An objective over many examples, with one value and one gradient.

Scores, inference and gradients run in threads of the core with the GIL released. Sums follow the
order of the examples, so results are bit-identical for any number of threads.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ConfigError, ForestError
from treewright.forests.features import Example
from treewright.losses.objective import Objective
from treewright.machine import available_threads


class SparseGradient(NamedTuple):
    """The value of a minibatch, and its gradient for the features of its examples.

    `features` [touched] has every feature once; `uses` [touched] is the number of examples with it.
    """

    value: float
    features: Indices
    gradient: Floats
    uses: Indices


class BatchObjective:
    """The sum of an objective over examples, as a function of the feature weights.

    Args:
        objective: the objective to minimise; compiled for each example.
        examples: the examples, with gold if the objective needs it.
        features: the length of the weight vector.
        threads: number of threads; 0: all cores.
    """

    def __init__(
        self, objective: Objective, examples: Iterable[Example], features: int, threads: int = 0
    ) -> None:
        if threads < 0:
            raise ConfigError(f"threads must not be negative: {threads}")
        items = [batch_item(objective, example, number) for number, example in enumerate(examples)]
        self.threads = threads or available_threads()
        self.features = features
        self._batch = _core.Batch(items, features)

    def __len__(self) -> int:
        return len(self._batch)

    def values_and_gradient(self, weights: Floats) -> tuple[Floats, Floats]:
        """The value on every example [examples], and the gradient of their sum [features]."""
        contiguous = np.ascontiguousarray(weights, dtype=np.float64)
        return self._batch.run(contiguous, self.threads)

    def value_and_gradient(self, weights: Floats) -> tuple[float, Floats]:
        """The total value, and its gradient with respect to the weights [features]."""
        values, gradient = self.values_and_gradient(weights)
        return float(values.sum()), gradient

    def value_and_gradient_on(self, examples: Integers, weights: Floats) -> SparseGradient:
        """The value and gradient over some examples; the cost only depends on their features."""
        numbers = np.ascontiguousarray(examples, dtype=np.int64)
        contiguous = np.ascontiguousarray(weights, dtype=np.float64)
        arrays = self._batch.run_on(numbers, contiguous, self.threads)
        values, features, gradient, uses = arrays
        return SparseGradient(float(values.sum()), features, gradient, uses)

    def uses(self) -> Indices:
        """The number of examples with each feature: [features]."""
        return self._batch.uses()


def batch_item(objective: Objective, example: Example, number: int) -> object:
    """An example for the core's batch; errors name the example."""
    where = example.name or f"example {number}"
    if example.gold is None and objective.needs_gold:
        raise ForestError(f"{where}: no gold derivation in the forest")
    gold = None if example.gold is None else example.gold.core
    try:
        compiled, counts = objective.compiled(example.forest)
    except ForestError as error:
        raise ForestError(f"{where}: {error}") from None
    return example.forest.core, gold, counts, example.features.core, compiled
