"""Metrics as scores of integer counts per sentence.

Precision, recall and F-measure are functions of three counts per sentence:
`correct` (n), `produced` (d) and `due` (|y|). The functions `precision`, `recall` and `f_measure`
turn counts into scores and broadcast over arrays of any shape; corpus scores, sentence scores and
training losses all call these three.

In every ratio, 0/0 is 1 if there are no gold and no predicted items, and 0 otherwise.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from types import MappingProxyType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import Floats, Integers
from treewright.errors import ConfigError

Items = Iterable[Hashable]
Formula = Callable[[ArrayLike, ArrayLike, ArrayLike], Floats]


def precision(n: ArrayLike, d: ArrayLike, y: ArrayLike) -> Floats:
    """Precision n / d, over the broadcast shape of n (correct), d (produced) and y (due)."""
    n, d, y = _floats(n, d, y)
    return _ratio(n, d, (d == 0) & (y == 0))


def recall(n: ArrayLike, d: ArrayLike, y: ArrayLike) -> Floats:
    """Recall n / y, over the broadcast shape of n (correct), d (produced) and y (due)."""
    n, d, y = _floats(n, d, y)
    return _ratio(n, y, (d == 0) & (y == 0))


def f_measure(n: ArrayLike, d: ArrayLike, y: ArrayLike, beta: float = 1.0) -> Floats:
    """F-beta (1 + beta^2) n / (d + beta^2 y), over the broadcast shape of n, d and y."""
    square = beta * beta
    if not (beta >= 0 and math.isfinite(square)):
        raise ValueError(f"beta must be a finite number and not negative, not {beta}")
    n, d, y = _floats(n, d, y)
    return _ratio((1 + square) * n, d + square * y, (d == 0) & (y == 0))


def _floats(*arrays: ArrayLike) -> tuple[Floats, ...]:
    # Small integer types would overflow.
    return tuple(np.asarray(array, dtype=np.float64) for array in arrays)


def _ratio(top: Floats, bottom: Floats, silent: NDArray[np.bool_]) -> Floats:
    empty = bottom == 0
    return np.where(empty, silent.astype(np.float64), top / np.where(empty, 1.0, bottom))


@dataclass(frozen=True)
class Score:
    """Precision, recall and F as fractions of 1, with the counts they come from."""

    p: float
    r: float
    f: float
    correct: int
    produced: int
    due: int
    beta: float = 1.0

    @classmethod
    def of_totals(cls, n: int, d: int, y: int, beta: float = 1.0) -> Self:
        """The score of n correct items among d produced and y due."""
        f = f_measure(n, d, y, beta)
        return cls(float(precision(n, d, y)), float(recall(n, d, y)), float(f), n, d, y, beta)

    def __str__(self) -> str:
        scores = f"P {self.p:.2%}  R {self.r:.2%}  F{self.beta:g} {self.f:.2%}"
        return f"{scores}  ({self.correct} correct, {self.produced} produced, {self.due} due)"

    def as_dict(self) -> dict[str, float]:
        """The fields by name, for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Counts:
    """Correct, produced and due items of every sentence: three read-only arrays of one length."""

    correct: Integers
    produced: Integers
    due: Integers

    def __post_init__(self) -> None:
        for name in ("correct", "produced", "due"):
            object.__setattr__(self, name, _checked_column(name, getattr(self, name)))
        if not self.correct.shape == self.produced.shape == self.due.shape:
            sizes = ", ".join(str(column.size) for column in self.columns())
            raise ValueError(f"correct, produced and due differ in length: {sizes}")
        in_order = (self.correct >= 0) & (self.correct <= np.minimum(self.produced, self.due))
        if not in_order.all():
            sentence = int(np.argmin(in_order))
            fault = fault_of(*(int(column[sentence]) for column in self.columns()))
            raise ValueError(f"sentence {sentence} (from 0): {fault}")

    @classmethod
    def of_rows(cls, rows: Iterable[tuple[int, int, int]]) -> Self:
        """Counts from one (correct, produced, due) per sentence."""
        columns = list(zip(*rows, strict=True)) or [(), (), ()]
        return cls(*(np.array(column, dtype=np.int64) for column in columns))

    @classmethod
    def of_multisets(cls, pred: Iterable[Items], gold: Iterable[Items]) -> Self:
        """Counts of predicted against gold items; each occurrence matches at most one other."""
        bags, due = list(map(Counter, pred)), list(map(Counter, gold))
        if len(bags) != len(due):
            raise ValueError(f"{len(bags)} predicted sentences against {len(due)} gold ones")
        pairs = zip(bags, due, strict=True)
        return cls.of_rows(((p & g).total(), p.total(), g.total()) for p, g in pairs)

    @classmethod
    def of_sets(cls, pred: Iterable[Items], gold: Iterable[Items]) -> Self:
        """Counts of predicted against gold items; a repeated item counts once."""
        return cls.of_multisets(map(set, pred), map(set, gold))

    @classmethod
    def concatenate(cls, parts: Iterable["Counts"]) -> Self:
        """The sentences of all parts, in order."""
        return cls.of_rows(row for part in parts for row in part.rows())

    @classmethod
    def sums(cls, parts: Iterable["Counts"]) -> Self:
        """Counts of the same sentences, added up by sentence."""
        columns = zip(*(part.columns() for part in parts), strict=True)
        return cls(*(np.stack(column).sum(axis=0) for column in columns))

    def __len__(self) -> int:
        return int(self.correct.size)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Counts):
            return NotImplemented
        return all(map(np.array_equal, self.columns(), other.columns()))

    def __hash__(self) -> int:
        return hash(self.total())

    def columns(self) -> tuple[Integers, Integers, Integers]:
        """Correct, produced and due, in the argument order of all formulas."""
        return self.correct, self.produced, self.due

    def rows(self) -> list[tuple[int, int, int]]:
        """One (correct, produced, due) per sentence."""
        n, d, y = (column.tolist() for column in self.columns())
        return list(zip(n, d, y, strict=True))

    def subset(self, index: slice | Sequence[int] | NDArray[np.integer | np.bool_]) -> "Counts":
        """The sentences that a slice, a list of positions or a Boolean mask selects."""
        return Counts(self.correct[index], self.produced[index], self.due[index])

    def total(self) -> tuple[int, int, int]:
        """The corpus sums of correct, produced and due."""
        return int(self.correct.sum()), int(self.produced.sum()), int(self.due.sum())

    def score(self, beta: float = 1.0) -> Score:
        """The corpus-level score, from the sums over all sentences."""
        return Score.of_totals(*self.total(), beta)

    def exact(self) -> "Counts":
        """One item per sentence, correct if the analysis is an exact match."""
        one = np.ones(len(self), dtype=np.int64)
        match = (self.correct == self.produced) & (self.correct == self.due)
        return Counts(match.astype(np.int64), one, one)


def _checked_column(name: str, values: ArrayLike) -> Integers:
    column = np.asarray(values)
    if column.ndim != 1 or column.dtype.kind not in "iu":
        shown = f"{column.ndim} dimensions of {column.dtype}"
        raise ValueError(f"{name} must be a one-dimensional array of integers, not {shown}")
    column = column.astype(np.int64)
    column.flags.writeable = False
    return column


def fault_of(correct: int, produced: int, due: int) -> str | None:
    """The reason why three numbers cannot be the counts of a sentence, if there is one."""
    if 0 <= correct <= min(produced, due):
        return None
    shown = f"correct {correct}, produced {produced}, due {due}"
    return f"{shown}, but correct must be between 0 and both of the others"


def _identity(counts: Counts) -> Counts:
    return counts


@dataclass(frozen=True)
class Metric:
    """A formula of (n, d, y), and whether it applies to exact matches."""

    formula: Formula
    view: Callable[[Counts], Counts] = _identity


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "precision": Metric(precision),
        "recall": Metric(recall),
        "f1": Metric(f_measure),
        "exact": Metric(precision, Counts.exact),
    }
)


def metric_named(name: str) -> Metric:
    """The metric with this name: one of METRICS, or F-beta as `f` with a number, such as `f0.5`."""
    if name in METRICS:
        return METRICS[name]
    if re.fullmatch(r"f[0-9]{1,3}(\.[0-9]{1,3})?", name):
        return Metric(partial(f_measure, beta=float(name[1:])))
    raise ConfigError(f"unknown metric {name!r}: expected {', '.join(METRICS)} or f<beta>")


def corpus_score(counts: Counts, metric: str = "f1") -> float:
    """The corpus score, from sums over all sentences (`exact`: the fraction of exact matches)."""
    chosen = metric_named(metric)
    return float(chosen.formula(*chosen.view(counts).total()))


def sentence_scores(counts: Counts, metric: str = "f1") -> Floats:
    """The metric of each sentence, shape (sentences,)."""
    chosen = metric_named(metric)
    return chosen.formula(*chosen.view(counts).columns())
