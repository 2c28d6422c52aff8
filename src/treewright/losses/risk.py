"""Risk: the expected loss under the model, the goal weights of the paper's figure 3 as printed.

Its gradient is the covariance of the loss with the parts' uses. It needs no gold derivation, only
the counts.
"""

from treewright import _core
from treewright.errors import ConfigError
from treewright.forests.forest import Forest
from treewright.inference import plans
from treewright.losses.costs import Loss, as_loss
from treewright.losses.objective import Compiled, Objective


class Risk(Objective):
    """E[loss], to an absolute tolerance where the loss does not decompose."""

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
        plan = plans.make(
            forest, table, self.method, self.tolerance / 2, relative=False, fits=self._fits
        )
        return Compiled(_core.CompiledObjective("risk", plan=plan.core), forest.count_table)
