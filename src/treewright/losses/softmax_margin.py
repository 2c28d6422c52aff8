"""Softmax-margin: likelihood with the loss inside the exponent (the paper's equations 3 and 4).

    - score(gold) + log sum_D exp(score(D) + tau * loss(D))

and risk, the expected loss under the model (the goal weights of its figure 3), whose gradient is
the covariance of the loss with the parts' uses. A loss that decomposes over parts is added to their
scores. Other losses of the counts are computed by a method of `treewright.inference.plans`.
"""

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Integers
from treewright.errors import ConfigError
from treewright.forests.forest import Forest
from treewright.inference import plans
from treewright.inference.count_range import count_range_of
from treewright.losses.costs import Loss, as_loss
from treewright.losses.objective import Compiled, Objective, check_tau

MOST_STEEP = 600.0  # larger exponents would overflow


class SoftmaxMargin(Objective):
    """Softmax-margin with multiplier tau.

    Args:
        loss: any loss, or its name.
        tau: weight of the loss; 0: likelihood.
        method: algorithm for losses that do not decompose.
        tolerance: maximum relative error of the tilted marginals; only `expsum` is approximate.
    """

    def __init__(
        self,
        loss: Loss | str,
        tau: float = 1.0,
        method: plans.Method = "auto",
        tolerance: float = 1e-4,
    ) -> None:
        super().__init__()
        if not tolerance > 0:
            raise ConfigError(f"the tolerance must be positive, not {tolerance}")
        check_tau(tau)
        self.loss, self.tau = as_loss(loss), tau
        self.method, self.tolerance = method, tolerance
        self._fits = plans.FitCache(self._weight)

    def compile(self, forest: Forest) -> Compiled:
        parts = self.loss.decompose(forest)
        if parts is not None:
            constant, costs = parts
            core = _core.CompiledObjective("log-sum", self.tau * constant, self.tau * costs)
            return Compiled(core, None)
        constant, weights = self._weights(forest)
        plan = self._plan(forest, constant, weights)
        core = _core.CompiledObjective("log-sum", constant, plan=plan.core)
        return Compiled(core, forest.count_table)

    def _weight(self, n: Integers, d: Integers, size: int) -> Floats:
        assert self.loss.of_counts is not None
        return np.exp(self.tau * np.asarray(self.loss.of_counts(n, d, size)))

    def plan(self, forest: Forest) -> plans.Plan:
        """The method and plan for the expectation of exp(tau * loss) on a forest."""
        return self._plan(forest, *self._weights(forest))

    def _weights(self, forest: Forest) -> tuple[float, Floats]:
        """A constant, and exp(tau * loss - constant) on the forest's count range.

        Cells that no derivation reaches may have larger losses: they get the largest weight.
        """
        table = self.loss.table(forest)
        assert table is not None
        most = float(np.max(self.tau * table[count_range_of(forest).possible]))
        constant = max(0.0, most - MOST_STEEP)
        return constant, np.exp(np.minimum(self.tau * table, most) - constant)

    def _plan(self, forest: Forest, constant: float, weights: Floats) -> plans.Plan:
        # The value and the normaliser of the gradient each use half of the tolerance.
        fits = self._fits if constant == 0 else None
        return plans.make(forest, weights, self.method, self.tolerance / 2, fits=fits)


class Risk(Objective):
    """Risk, E[loss], to an absolute tolerance if the loss does not decompose.

    `tilted` takes the expectation of the loss plus a constant, which makes it positive.
    """

    needs_gold = False

    def __init__(
        self, loss: Loss | str, method: plans.Method = "auto", tolerance: float = 1e-4
    ) -> None:
        super().__init__()
        if tolerance <= 0:
            raise ConfigError(f"tolerance must be positive: {tolerance}")
        self.loss = as_loss(loss)
        self.method, self.tolerance = method, tolerance
        self._fits = None if self.loss.of_counts is None else plans.FitCache(self.loss.of_counts)

    def compile(self, forest: Forest) -> Compiled:
        parts = self.loss.decompose(forest)
        if parts is not None:
            return Compiled(_core.CompiledObjective("risk", *parts), None)
        table = self.loss.table(forest)
        assert table is not None
        possible = table[count_range_of(forest).possible]
        added = 1.0 - float(possible.min())
        relative = self.tolerance / 2 / (float(possible.max()) + added)
        if self.method == "tilted" or (
            self.method == "auto" and plans.tilting_pays(forest, table, relative)
        ):
            tilted = plans.make(forest, table + added, "tilted", relative)
            core = _core.CompiledObjective("risk", -added, plan=tilted.core)
            return Compiled(core, forest.count_table)
        plan = plans.make(
            forest, table, self.method, self.tolerance / 2, relative=False, fits=self._fits
        )
        return Compiled(_core.CompiledObjective("risk", plan=plan.core), forest.count_table)
