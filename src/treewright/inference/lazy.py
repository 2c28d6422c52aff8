"""A factor with fast marginals that builds its forest only if it is needed."""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats
from treewright.inference.factors import Best, ForestFactor, Variables


class LazyFactor:
    """A factor over all variables.

    Args:
        variables: all variables of the problem.
        probabilities: computes log Z and the probability of each value, given messages [values]. It
            can be less exact than a forest: if it returns 0 for a value that no message forbids,
            the forest is used.
        build: builds the same factor as a forest, for best derivations.
    """

    def __init__(
        self,
        variables: Variables,
        probabilities: Callable[[Floats], tuple[float, Floats]],
        build: Callable[[], ForestFactor],
    ) -> None:
        self.scope, self.variables = variables.all_values, variables.numbers
        self._all, self._probabilities, self._build = variables, probabilities, build

    @cached_property
    def forest_factor(self) -> ForestFactor:
        """The factor as a forest."""
        return self._build()

    @property
    def alive(self) -> NDArray[np.bool_]:
        """A mask of the values that some assignment uses."""
        return self.forest_factor.alive

    @property
    def work(self) -> int:
        """The cost of the last `best`, in edges."""
        return self.forest_factor.work

    def marginals(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log probability of each value."""
        log_z, probability = self._probabilities(messages)
        if log_z == -np.inf or (
            not probability.all() and ((probability == 0) & ~np.isneginf(messages)).any()
        ):
            return self.forest_factor.marginals(messages)
        with np.errstate(divide="ignore"):
            return log_z, np.log(probability)

    def message(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log marginals minus the messages, normalised per variable."""
        log_z, log_p = self.marginals(messages)
        if log_z == -np.inf or not messages.any():
            return log_z, log_p  # without messages, the marginals are the message
        out = np.full(len(messages), -np.inf)  # forbidden values remain forbidden
        np.subtract(log_p, messages, out=out, where=~np.isneginf(messages))
        return log_z, self._all.normalised(out)

    def best(self, messages: Floats) -> Best:
        """The best derivation; only updates what changed since the last call."""
        return self.forest_factor.best(messages)

    def forget(self) -> None:
        """Makes the next `best` start from scratch."""
        self.forest_factor.forget()

    def solve(self, messages: Floats) -> Best:
        """Like `best`, without using or changing its state."""
        return self.forest_factor.solve(messages)
