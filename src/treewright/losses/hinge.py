"""The perceptron and the structured hinge: the best derivation against gold.

Margin rescaling maximises score + loss, slack rescaling loss * (1 + score - gold score) (the
max-margin paper's equation 3). Losses that decompose are added to the scores; for losses that are
affine in n at fixed d, derivations are split by d, for others by (n, d). All are exact.
"""

from typing import Literal

import numpy as np

from treewright import _core
from treewright.arrays import Floats
from treewright.errors import ConfigError, ForestError
from treewright.forests.forest import Forest
from treewright.inference.count_range import count_range_of
from treewright.losses.costs import Loss, as_loss
from treewright.losses.objective import Compiled, Objective, check_tau

Rescaling = Literal["margin", "slack"]


class Perceptron(Objective):
    """max(0, best score - gold score); its gradient is the update of the structured perceptron."""

    def compile(self, forest: Forest) -> Compiled:  # noqa: ARG002 - the same for every forest
        return Compiled(_core.CompiledObjective("max"), None)


class Hinge(Objective):
    """The structured hinge with margin or slack rescaling; `scale` multiplies the loss."""

    def __init__(
        self, loss: Loss | str, rescaling: Rescaling = "margin", scale: float = 1.0
    ) -> None:
        super().__init__()
        if rescaling not in ("margin", "slack"):
            raise ConfigError(f"unknown rescaling {rescaling!r}: margin or slack")
        check_tau(scale)
        self.loss, self.rescaling, self.scale = as_loss(loss), rescaling, scale

    def compile(self, forest: Forest) -> Compiled:
        return self._slack(forest) if self.rescaling == "slack" else self._margin(forest)

    def _margin(self, forest: Forest) -> Compiled:
        parts = self.loss.decompose(forest)
        if parts is not None:
            constant, costs = parts
            core = _core.CompiledObjective("max", self.scale * constant, self.scale * costs)
            return Compiled(core, None)
        table = self._table(forest)
        lines = _affine_columns(table, count_range_of(forest).n_low)
        plan = _core.CellPlan(table.ravel(), False) if lines is None else _core.MarginPlan(*lines)
        return Compiled(_core.CompiledObjective("max", plan=plan), forest.count_table)

    def _slack(self, forest: Forest) -> Compiled:
        if self.loss.of_counts is not None:
            table = self._table(forest)
            # A negative loss would need the worst score of a cell, but cells keep the best.
            if (table[count_range_of(forest).possible] < 0).any():
                raise ForestError(
                    f"slack rescaling does not support {self.loss.name}: it can be negative"
                )
            plan = _core.CellPlan(table.ravel(), True)
            return Compiled(_core.CompiledObjective("max", plan=plan), forest.count_table)
        # A part loss is represented by counts: d is the cost, and n is 0.
        parts = self.loss.decompose(forest)
        assert parts is not None
        costs = parts[1]
        whole = costs.astype(np.int16)
        if not (np.array_equal(whole, costs) and (costs >= 0).all()):
            raise ForestError(
                f"slack rescaling needs a loss with small integer costs, not {self.loss.name}"
            )
        counts = _core.CountTable(forest.core, np.zeros(forest.parts, dtype=np.int16), whole)
        _, _, low, high = counts.goal_range
        plan = _core.CellPlan(self.scale * np.arange(low, high + 1, dtype=np.float64), True)
        return Compiled(_core.CompiledObjective("max", plan=plan), counts)

    def _table(self, forest: Forest) -> Floats:
        table = self.loss.table(forest)
        assert table is not None
        return self.scale * table


def _affine_columns(table: Floats, n_low: int) -> tuple[Floats, Floats] | None:
    """Offsets and slopes with table = offset[d] - slope[d] * n, or None."""
    rows = len(table)
    slope = (table[0] - table[-1]) / (rows - 1) if rows > 1 else np.zeros(table.shape[1])
    offset = table[0] + slope * n_low
    lines = offset - slope * (n_low + np.arange(rows)[:, None])
    size = np.abs(table).max(initial=1.0)
    return (offset, slope) if np.allclose(lines, table, rtol=0.0, atol=1e-13 * size) else None
