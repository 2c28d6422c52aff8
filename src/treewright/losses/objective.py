"""The interface of objectives: a value to minimise on a forest, and its gradient.

An objective is compiled once per forest for the core. `value_and_gradient` computes it on one
forest, `treewright.losses.batch` on many. Likelihood is the simplest objective.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from treewright import _core
from treewright.arrays import Floats
from treewright.errors import ConfigError, ForestError
from treewright.forests.forest import Forest

MOST_TAU = 1e100


class Compiled(NamedTuple):
    """An objective compiled for one forest, with the counts that its loss uses."""

    core: _core.CompiledObjective
    counts: _core.CountTable | None


def check_tau(tau: float) -> None:
    """Raises an error if tau is so large that sums would overflow."""
    if not abs(tau) <= MOST_TAU:
        raise ConfigError(f"tau must be a number of at most {MOST_TAU:g}, not {tau}")


class Objective(ABC):
    """A value to minimise on a sentence."""

    needs_gold = True

    def __init__(self) -> None:
        self._compiled: WeakKeyDictionary[Forest, Compiled] = WeakKeyDictionary()

    @abstractmethod
    def compile(self, forest: Forest) -> Compiled:
        """Compiles the objective for a forest; raises an error if the loss cannot be exact."""

    def compiled(self, forest: Forest) -> Compiled:
        """The objective compiled for a forest, cached."""
        compiled = self._compiled.get(forest)
        if compiled is None:
            compiled = self._compiled[forest] = self.compile(forest)
        return compiled

    def value_and_gradient(
        self, forest: Forest, scores: Floats, gold: Forest | None = None
    ) -> tuple[float, Floats]:
        """The value, and its gradient with respect to the scores, float64 [parts].

        Args:
            forest: with counts, if the objective has a loss.
            scores: float64 [parts].
            gold: the gold derivations, a forest over the same parts.
        """
        if gold is None and self.needs_gold:
            raise ForestError(f"{type(self).__name__} needs the gold derivations")
        core, counts = self.compiled(forest)
        gold_core = None if gold is None else gold.core
        values = np.ascontiguousarray(scores, dtype=np.float64)
        return _core.evaluate(forest.core, gold_core, counts, core, values)


class Likelihood(Objective):
    """-log P(gold), where P(gold) sums over all gold derivations."""

    def compile(self, forest: Forest) -> Compiled:  # noqa: ARG002 - the same for every forest
        return Compiled(_core.CompiledObjective("log-sum"), None)
