"""Factors over shared variables: the components of an integrated model (docs/integrated.md).

A sentence has discrete variables, such as one supertag per word; the values of all variables are
numbered consecutively. A factor scores assignments of values to the variables in its scope. Belief
propagation uses its `marginals` and dual decomposition its `best`, given messages: a log score for
each value of its scope, added to the factor's own.

`ForestFactor` is a forest with some parts tied to values: a derivation that uses the part assigns
the value. Each derivation must use one tied part for each variable in scope. Taggers are chains,
parsers are charts, and tables over two variables are forests too (`treewright.forests.pairs`). A
tagger's emission scores are only in the parts of its chain, so the product of the factors counts
them once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright import _core
from treewright.arrays import Floats, Indices, Integers
from treewright.errors import ForestError
from treewright.forests.build import Chain
from treewright.forests.forest import Forest, integers


@dataclass(frozen=True, eq=False)
class Variables:
    """Variables; the values of variable i are the numbers `first[i] .. first[i + 1] - 1`."""

    first: Indices

    @classmethod
    def of_sizes(cls, sizes: Sequence[int]) -> "Variables":
        """Creates variables with these numbers of values."""
        if min(sizes, default=0) < 1:
            raise ForestError("every variable needs a value, and a problem needs a variable")
        return cls(np.concatenate(([0], np.cumsum(sizes))).astype(np.int32))

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def values(self) -> int:
        """The total number of values."""
        return int(self.first[-1])

    @cached_property
    def variable_of(self) -> Indices:
        """The variable of each value, int32 [values]."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))

    @cached_property
    def all_values(self) -> Indices:
        return np.arange(self.values, dtype=np.int32)

    @cached_property
    def numbers(self) -> Indices:
        return np.arange(len(self), dtype=np.int32)

    def log_normalisers(self, logs: Floats) -> Floats:
        """log sum exp over the values of each variable: [variables]; -inf if all are -inf."""
        top = np.maximum.reduceat(logs, self.first[:-1])
        if np.isneginf(top).any():
            return np.logaddexp.reduceat(logs, self.first[:-1])
        sums = np.add.reduceat(np.exp(logs - top[self.variable_of]), self.first[:-1])
        normalisers: Floats = top + np.log(sums)
        return normalisers

    def normalised(self, logs: Floats) -> Floats:
        """Log probabilities [values]: log scores minus the normaliser of their variable."""
        normaliser = self.log_normalisers(logs)
        if np.isneginf(normaliser).any():
            raise ForestError(
                f"the factors have no solution in common: variable "
                f"{int(np.isneginf(normaliser).argmax())} has no value"
            )
        log_p: Floats = logs - normaliser[self.variable_of]
        return log_p


class Best(NamedTuple):
    """A best derivation: its score including messages, its values and its edges."""

    score: float
    values: Indices
    edges: Indices


class Factor(Protocol):
    """The interface of factors. Messages are float64 [len(scope)]; -inf forbids a value."""

    scope: Indices  # the values of its variables, in ascending order
    variables: Indices

    @property
    def alive(self) -> NDArray[np.bool_]:
        """A mask of the values in scope that some assignment uses."""

    @property
    def work(self) -> int:
        """The cost of the last `best`, in edges."""

    def marginals(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log probability of each value in scope."""

    def message(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log marginals minus the messages, normalised per variable."""

    def best(self, messages: Floats) -> Best:
        """The best derivation; can reuse the result of the last call."""

    def forget(self) -> None:
        """Makes the next `best` start from scratch."""

    def solve(self, messages: Floats) -> Best:
        """Like `best`, without using or changing its state."""


class ForestFactor:
    """A forest as a factor.

    Args:
        variables: all variables of the problem.
        forest: any forest.
        scores: float64 [parts].
        parts, values: part parts[i] selects value values[i]; other parts select nothing.
        weight: multiplier of the scores: the interpolation weight of this factor.
        most_work: maximum number of edges that `best` visits before it sweeps the whole forest.
    """

    def __init__(
        self,
        variables: Variables,
        forest: Forest,
        scores: Floats,
        parts: ArrayLike,
        values: ArrayLike,
        weight: float = 1.0,
        most_work: int | None = None,
    ) -> None:
        part, value = integers(parts, np.int32, "parts"), integers(values, np.int32, "values")
        if len(value) and (value.min() < 0 or value.max() >= variables.values):
            raise ForestError(f"a part is tied to a value outside 0 to {variables.values - 1}")
        used = np.zeros(variables.values, dtype=np.bool_)
        used[value] = True
        touched = np.logical_or.reduceat(used, variables.first[:-1])
        self.variables, self.scope = variables.numbers, variables.all_values
        local, first = value, variables.first
        if not touched.all():
            self.variables = np.flatnonzero(touched).astype(np.int32)
            self.scope = np.flatnonzero(touched[variables.variable_of]).astype(np.int32)
            local = np.searchsorted(self.scope, value).astype(np.int32)
            sizes = np.diff(variables.first)[self.variables]
            first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        self.core = _core.ForestFactor(forest.core, part, local, first, most_work)
        self.forest, self.weight = forest, weight
        self.parts, self.values = part, value
        self._asked: Floats | None = None
        self.rescore(scores)

    def rescore(self, scores: Floats) -> None:
        """Sets new scores of the parts, before weighting."""
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        self.core.rescore(scores if self.weight == 1.0 else self.weight * scores)
        self._asked = None

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """A mask of the values in scope that some derivation uses."""
        return self.core.alive().astype(np.bool_)

    @cached_property
    def value_of_part(self) -> Indices:
        """The value that each part selects, or -1: int32 [parts]."""
        values = np.full(self.forest.parts, -1, dtype=np.int32)
        values[self.parts] = self.values
        return values

    def marginals(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log probability of each value in scope."""
        self._asked = messages.copy()
        return self.core.log_marginals(messages)

    def message(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log marginals minus the messages, normalised per variable.

        log Z is -inf if a variable has no value left.
        """
        self._asked = messages.copy()
        return self.core.message(messages)

    def part_marginals(self, messages: Floats) -> Floats:
        """The expected uses of the parts given the messages: float64 [parts]."""
        if self._asked is None or (self._asked != messages).any():
            self.marginals(messages)
        return self.core.part_marginals()

    def scores(self, messages: Floats) -> Floats:
        """The parts' weighted scores plus the messages to their values: float64 [parts]."""
        return self.core.scores(messages)

    def best(self, messages: Floats) -> Best:
        """The best derivation; only updates what changed since the last call."""
        return self._checked(*self.core.best(messages))

    @property
    def work(self) -> int:
        """The number of edges that the last `best` visited."""
        return self.core.work

    def forget(self) -> None:
        """Makes the next `best` start from scratch."""
        self.core.forget()

    def solve(self, messages: Floats) -> Best:
        """Like `best`, without using or changing its state."""
        return self._checked(*self.core.solve(messages))

    def _checked(self, score: float, edges: Indices, values: Indices) -> Best:
        if score == -np.inf:
            return Best(score, values, edges)
        if len(values) != len(self.variables):
            raise ForestError(
                f"a derivation chooses {len(values)} values for {len(self.variables)} variables"
            )
        return Best(score, self.scope[values], edges)


class FactorGraph:
    """Factors over the same variables.

    Args:
        variables: all variables of the problem.
        factors: factors that cover all variables.
        unary: float64 [values], scores of single values that belong to no factor.
        primary: the factor whose derivation is returned: the parser.
    """

    def __init__(
        self,
        variables: Variables,
        factors: Sequence[Factor],
        unary: Floats | None = None,
        primary: int = -1,
    ) -> None:
        self.variables, self.factors = variables, list(factors)
        self.has_unary = unary is not None
        self.unary = np.zeros(variables.values) if unary is None else unary.astype(np.float64)
        self.unary.flags.writeable = self.has_unary
        if self.unary.shape != (variables.values,):
            raise ForestError(f"unary must have {variables.values} entries")
        self.primary = range(len(self.factors))[primary]
        seen = [len(factor.variables) for factor in self.factors]
        self.all_see_all = bool(seen) and min(seen) == len(variables)
        if not self.all_see_all and not self.degree.all():
            raise ForestError(f"variable {self.degree.argmin()} is in no factor")

    @cached_property
    def covers(self) -> NDArray[np.bool_]:
        """Whether each factor has each variable in its scope: [factors, variables]."""
        covers = np.zeros((len(self.factors), len(self.variables)), dtype=np.bool_)
        for row, factor in zip(covers, self.factors, strict=True):
            row[factor.variables] = True
        return covers

    @cached_property
    def degree(self) -> Integers:
        """The number of factors of each variable."""
        degree: Integers = self.covers.sum(axis=0)
        return degree

    def forest_factor(self, number: int) -> ForestFactor:
        """The factor with this number, which must be a forest."""
        factor = self.factors[number]
        if not isinstance(factor, ForestFactor):
            raise ForestError(
                f"factor {number} is not a forest: it has no parts and no derivations"
            )
        return factor

    @cached_property
    def allowed(self) -> Floats:
        """0 for values that all factors can use, -inf for the others: float64 [values]."""
        allowed = np.zeros(self.variables.values)
        for factor in self.factors:
            allowed[factor.scope[~factor.alive]] = -np.inf
        return allowed


def chain_factor(
    variables: Variables, chain: Chain, scores: Floats, first: int = 0, weight: float = 1.0
) -> ForestFactor:
    """A chain whose positions are the variables from the one with the value `first` on."""
    emissions = np.arange(chain.candidates)
    return ForestFactor(variables, chain.forest, scores, emissions, first + emissions, weight)
