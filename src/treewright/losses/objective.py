"""The contract of an objective: a value to minimise on one forest, with its gradient.

An objective compiles itself, once for each forest, to a program of the core: the numbers that its
sweeps need. `value_and_gradient` runs it on one forest, `treewright.losses.batch` on many.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from treewright import _core
from treewright.arrays import Floats
from treewright.errors import ForestError
from treewright.forests.forest import Forest


class Compiled(NamedTuple):
    """A program, and the counts that its loss is a function of, if it needs any."""

    program: _core.Program
    counts: _core.Counts | None


class Objective(ABC):
    """A value to minimise: the larger, the worse the model does on the sentence."""

    needs_gold = True

    def __init__(self) -> None:
        self._programs: WeakKeyDictionary[Forest, Compiled] = WeakKeyDictionary()

    @abstractmethod
    def compile(self, forest: Forest) -> Compiled:
        """The program for a forest; raises if the objective cannot do its loss exactly there."""

    def program(self, forest: Forest) -> Compiled:
        """The program for a forest, compiled when it is first asked for."""
        found = self._programs.get(forest)
        if found is None:
            found = self._programs[forest] = self.compile(forest)
        return found

    def value_and_gradient(
        self, forest: Forest, scores: Floats, gold: Forest | None = None
    ) -> tuple[float, Floats]:
        """The value, and its gradient over the scores, float64 [parts].

        Args:
            forest: with counts, if the objective has a loss.
            scores: float64 [parts].
            gold: the gold derivations, a forest over the same parts.
        """
        if gold is None and self.needs_gold:
            raise ForestError(f"{type(self).__name__} needs the gold derivations")
        program, counts = self.program(forest)
        gold_core = None if gold is None else gold.core
        values = np.ascontiguousarray(scores, dtype=np.float64)
        return _core.evaluate(forest.core, gold_core, counts, program, values)
