"""Softmax-margin: likelihood with the loss inside the exponent (the paper's equations 3 and 4).

    - score(gold) + log sum_D exp(score(D) + tau * loss(D))

A loss that decomposes over parts is added to their scores. Any other loss of the counts is exact by
one of the methods of `treewright.inference.plans`.
"""

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Integers
from treewright.errors import ConfigError
from treewright.forests.forest import Forest
from treewright.inference import plans
from treewright.losses.costs import Loss
from treewright.losses.objective import Compiled, Objective


class SoftmaxMargin(Objective):
    """Softmax-margin with multiplier tau.

    Args:
        loss: any loss.
        tau: the loss's weight; 0 is likelihood.
        method: for losses that do not decompose.
        tolerance: of the tilted marginals, relative; only `expsum` uses it up.
    """

    def __init__(
        self,
        loss: Loss,
        tau: float = 1.0,
        method: plans.Method = "auto",
        tolerance: float = 1e-4,
    ) -> None:
        super().__init__()
        if not np.isfinite(tau) or tolerance <= 0:
            raise ConfigError(f"tau must be finite and tolerance positive: {tau}, {tolerance}")
        self.loss, self.tau, self.method, self.tolerance = loss, tau, method, tolerance
        self._fits = plans.FitCache(self._weight)

    def compile(self, forest: Forest) -> Compiled:
        parts = self.loss.decompose(forest)
        if parts is not None:
            constant, costs = parts
            program = _core.Program("log-sum", self.tau * constant, self.tau * costs)
            return Compiled(program, None)
        plan = self.plan(forest)
        return Compiled(_core.Program("log-sum", plan=plan.core), forest.count_table)

    def _weight(self, n: Integers, d: Integers, size: int) -> Floats:
        assert self.loss.of_counts is not None
        return np.exp(self.tau * np.asarray(self.loss.of_counts(n, d, size)))

    def plan(self, forest: Forest) -> plans.Plan:
        """How the expectation of exp(tau * loss) is taken on a forest."""
        table = self.loss.table(forest)
        assert table is not None
        # The value and the normaliser of the gradient each use half of the tolerance.
        weights = np.exp(self.tau * table)
        return plans.make(forest, weights, self.method, self.tolerance / 2, fits=self._fits)
