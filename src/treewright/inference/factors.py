"""Factors over shared variables: the pieces of an integrated model (docs/integrated.md, section 1).

A sentence has discrete variables, such as one supertag per word; their values are numbered through
as *cells*. A factor scores assignments of values to the variables in its scope. Belief propagation
asks it for `marginals`, dual decomposition for `best`, both given messages: a log score for each
cell of its scope, which it adds to its own.

`ForestFactor` is a forest some of whose parts are tied to cells: a derivation that uses the part
gives the variable that value. Each derivation must use one tied part for each variable in scope.
Taggers are chains, parsers are charts, and tables over two variables are forests too
(`treewright.forests.pairs`). A tagger's emission scores are those of its chain's parts and stand
nowhere else, so that the product of the factors counts them once.
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
    """Variables with their values: the cells of variable i are `first[i] .. first[i + 1] - 1`."""

    first: Indices

    @classmethod
    def of_sizes(cls, sizes: Sequence[int]) -> "Variables":
        """Variables with these numbers of values."""
        if min(sizes, default=0) < 1:
            raise ForestError("every variable needs a value, and a problem needs a variable")
        return cls(np.concatenate(([0], np.cumsum(sizes))).astype(np.int32))

    def __len__(self) -> int:
        return len(self.first) - 1

    @property
    def cells(self) -> int:
        return int(self.first[-1])

    @cached_property
    def of_cell(self) -> Indices:
        """The variable of every cell, int32 [cells]."""
        return np.repeat(np.arange(len(self), dtype=np.int32), np.diff(self.first))

    @cached_property
    def every_cell(self) -> Indices:
        return np.arange(self.cells, dtype=np.int32)

    @cached_property
    def numbers(self) -> Indices:
        return np.arange(len(self), dtype=np.int32)

    def log_normalisers(self, logs: Floats) -> Floats:
        """log sum exp over the cells of each variable, -inf where all of them are: [variables]."""
        top = np.maximum.reduceat(logs, self.first[:-1])
        if np.isneginf(top).any():
            return np.logaddexp.reduceat(logs, self.first[:-1])
        sums = np.add.reduceat(np.exp(logs - top[self.of_cell]), self.first[:-1])
        normalisers: Floats = top + np.log(sums)
        return normalisers

    def normalised(self, logs: Floats) -> Floats:
        """Log scores of cells less their variable's normaliser: log probabilities [cells]."""
        normaliser = self.log_normalisers(logs)
        if np.isneginf(normaliser).any():
            raise ForestError(
                f"the factors have no solution in common: they leave variable "
                f"{int(np.isneginf(normaliser).argmax())} no value"
            )
        log_p: Floats = logs - normaliser[self.of_cell]
        return log_p


class Best(NamedTuple):
    """A best derivation: its score with messages, the cells it chooses, its edges."""

    score: float
    cells: Indices
    edges: Indices


class Factor(Protocol):
    """What both algorithms ask of a factor. Messages are float64 [len(scope)], -inf forbids."""

    scope: Indices  # the cells of its variables, in rising order
    variables: Indices

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which cells of the scope some assignment uses."""

    @property
    def work(self) -> int:
        """What the last `best` cost, in edges."""

    def marginals(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log of the probability of every cell of the scope."""

    def message(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log marginals less the messages, normalised over each variable."""

    def best(self, messages: Floats) -> Best:
        """The best derivation; may start from the answer to the last call."""

    def forget(self) -> None:
        """Lets the next `best` start from nothing."""

    def solve(self, messages: Floats) -> Best:
        """The same, without touching what `best` remembers."""


class ForestFactor:
    """A forest as a factor.

    Args:
        variables: all variables of the problem.
        forest: any forest.
        scores: float64 [parts].
        parts, cells: part parts[i] chooses cell cells[i]; the other parts choose nothing.
        weight: multiplies the scores: the interpolation weight of this factor.
        most_work: how many edges `best` may look at before it sweeps the whole forest.
    """

    def __init__(
        self,
        variables: Variables,
        forest: Forest,
        scores: Floats,
        parts: ArrayLike,
        cells: ArrayLike,
        weight: float = 1.0,
        most_work: int | None = None,
    ) -> None:
        part, cell = integers(parts, np.int32, "parts"), integers(cells, np.int32, "cells")
        if len(cell) and (cell.min() < 0 or cell.max() >= variables.cells):
            raise ForestError(f"a part is tied to a cell outside 0 to {variables.cells - 1}")
        used = np.zeros(variables.cells, dtype=np.bool_)
        used[cell] = True
        touched = np.logical_or.reduceat(used, variables.first[:-1])
        self.variables, self.scope = variables.numbers, variables.every_cell
        local, first = cell, variables.first
        if not touched.all():
            self.variables = np.flatnonzero(touched).astype(np.int32)
            self.scope = np.flatnonzero(touched[variables.of_cell]).astype(np.int32)
            local = np.searchsorted(self.scope, cell).astype(np.int32)
            sizes = np.diff(variables.first)[self.variables]
            first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        self.core = _core.CellFactor(forest.core, part, local, first, most_work)
        self.forest, self.weight = forest, weight
        self.parts, self.cells = part, cell
        self._asked: Floats | None = None
        self.rescore(scores)

    def rescore(self, scores: Floats) -> None:
        """New scores of the parts, before the weight."""
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        self.core.rescore(scores if self.weight == 1.0 else self.weight * scores)
        self._asked = None

    @cached_property
    def alive(self) -> NDArray[np.bool_]:
        """Which cells of the scope some derivation uses."""
        return self.core.alive().astype(np.bool_)

    @cached_property
    def cell_of_part(self) -> Indices:
        """The cell that each part chooses, or -1: int32 [parts]."""
        cells = np.full(self.forest.parts, -1, dtype=np.int32)
        cells[self.parts] = self.cells
        return cells

    def marginals(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log of the probability of every cell of the scope."""
        self._asked = messages.copy()
        return self.core.log_marginals(messages)

    def message(self, messages: Floats) -> tuple[float, Floats]:
        """log Z, and the log marginals less the messages, normalised over each variable.

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
        """The parts' weighted scores with the messages of their cells: float64 [parts]."""
        return self.core.scores(messages)

    def best(self, messages: Floats) -> Best:
        """The best derivation; only what changed since the last call is looked at."""
        return self._checked(*self.core.best(messages))

    @property
    def work(self) -> int:
        """How many edges the last `best` looked at."""
        return self.core.work

    def forget(self) -> None:
        """Lets the next `best` start from nothing."""
        self.core.forget()

    def solve(self, messages: Floats) -> Best:
        """The same, without touching what `best` remembers."""
        return self._checked(*self.core.solve(messages))

    def _checked(self, score: float, edges: Indices, cells: Indices) -> Best:
        if score == -np.inf:
            return Best(score, cells, edges)
        if len(cells) != len(self.variables):
            raise ForestError(
                f"a derivation chooses {len(cells)} values for {len(self.variables)} variables"
            )
        return Best(score, self.scope[cells], edges)


class FactorGraph:
    """Factors over the same variables.

    Args:
        variables: all variables of the problem.
        factors: each with its scope; every variable needs one.
        unary: float64 [cells], scores of single values that belong to no factor.
        primary: the factor whose derivation is the answer: the parser.
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
        self.unary = np.zeros(variables.cells) if unary is None else unary.astype(np.float64)
        self.unary.flags.writeable = self.has_unary
        if self.unary.shape != (variables.cells,):
            raise ForestError(f"unary must have {variables.cells} entries")
        self.primary = range(len(self.factors))[primary]
        seen = [len(factor.variables) for factor in self.factors]
        self.all_see_all = bool(seen) and min(seen) == len(variables)
        if not self.all_see_all and not self.degree.all():
            raise ForestError(f"variable {self.degree.argmin()} is in no factor")

    @cached_property
    def covers(self) -> NDArray[np.bool_]:
        """Which factors see which variables: [factors, variables]."""
        covers = np.zeros((len(self.factors), len(self.variables)), dtype=np.bool_)
        for row, factor in zip(covers, self.factors, strict=True):
            row[factor.variables] = True
        return covers

    @cached_property
    def degree(self) -> Integers:
        """How many factors see each variable."""
        degree: Integers = self.covers.sum(axis=0)
        return degree

    def forest_factor(self, number: int) -> ForestFactor:
        """A factor that is a forest."""
        factor = self.factors[number]
        if not isinstance(factor, ForestFactor):
            raise ForestError(f"factor {number} is no forest: it has no parts and no derivations")
        return factor

    @cached_property
    def allowed(self) -> Floats:
        """0 for cells that every factor can use, -inf for all others: float64 [cells]."""
        allowed = np.zeros(self.variables.cells)
        for factor in self.factors:
            allowed[factor.scope[~factor.alive]] = -np.inf
        return allowed


def chain_factor(
    variables: Variables, chain: Chain, scores: Floats, first: int = 0, weight: float = 1.0
) -> ForestFactor:
    """A chain whose positions are the variables from the one with the cell `first` on."""
    emissions = np.arange(chain.candidates)
    return ForestFactor(variables, chain.forest, scores, emissions, first + emissions, weight)
