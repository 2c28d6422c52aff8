"""Losses of derivations, as functions of their counts.

There are two kinds. A *count loss* is a function of the totals n (correct) and d (predicted) of a
derivation and of |y|, such as 1 - F1. A *part loss* is a sum over the parts of a derivation of a
function of their n, d and c (gold): the decomposable approximations of the softmax-margin paper,
section 3.2. A count loss that is affine in (n, d) on the count range of a forest (recall, false
positives, F1 if d is constant) also decomposes; `decompose` checks this.

Precision, recall and F are those of `treewright.metrics.counts`: training and evaluation use the
same code.

`module:function` in a configuration is a custom loss, which runs code. It is imported when an
objective is created. Check `is_code` before you use untrusted configurations, as `treewright train`
does.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from treewright.arrays import Floats, Integers
from treewright.config.plugins import LOSSES as PLUGINS
from treewright.config.plugins import plugin, plugin_names
from treewright.errors import ConfigError, ForestError
from treewright.forests.forest import Forest
from treewright.inference.count_range import CountRange, count_range_of
from treewright.metrics import counts as metrics


def is_code(name: str) -> bool:
    """Whether a loss is a function to be imported."""
    return ":" in name


def imported(name: str) -> Callable[..., Any]:
    """Imports the function `module:function`."""
    module, _, function = name.partition(":")
    try:
        loss: object = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"no loss {name!r}: {error}") from error
    if not callable(loss):
        raise ConfigError(f"no loss {name!r}: it is not a function")
    return loss


def imported_formula(name: str) -> Callable[[Integers, Integers, int], Floats]:
    """Imports a function of n, d and |y|; its values are checked."""
    return checked_formula(imported(name), name)


def checked_formula(
    function: Callable[..., Any], name: str
) -> Callable[[Integers, Integers, int], Floats]:
    """Wraps a function of n, d and |y| so that its values are checked."""

    def formula(n: Integers, d: Integers, size: int) -> Floats:
        shape = np.broadcast_shapes(np.shape(n), np.shape(d))
        try:
            values = np.broadcast_to(np.asarray(function(n, d, size), dtype=np.float64), shape)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"the loss {name!r} fails on arrays n and d: {error}") from error
        if not np.isfinite(values).all():
            raise ConfigError(f"the loss {name!r} is not finite for all n and d")
        return values

    return formula


# (n, d, |y|) -> loss, broadcasting; (n, d, c) of the parts -> costs.
CountFormula = Callable[[Integers, Integers, int], Floats]
SIZED = "sized-"
PartFormula = Callable[[Integers, Integers, Integers], Floats]


@dataclass(frozen=True)
class Loss:
    """A loss of one of the two kinds; the formula of the other kind is None.

    falling: the loss falls with n and rises with d, or stays the same; that saves time.
    """

    name: str
    of_counts: CountFormula | None = None
    of_parts: PartFormula | None = None
    falling: bool = False

    def table(self, forest: Forest) -> Floats | None:
        """The loss on the cells of the forest's count range, or None for a part loss."""
        if self.of_counts is None:
            return None
        formula, size = self.of_counts, gold_size(forest, self.name)
        return count_range_of(forest).tabulate(lambda n, d: formula(n, d, size))

    def decompose(self, forest: Forest) -> tuple[float, Floats] | None:
        """A constant and costs per part that add up to the loss; None if there are none."""
        if self.of_parts is not None:
            rows = (row.astype(np.int64) for row in (forest.correct, forest.produced, forest.due))
            return 0.0, np.asarray(self.of_parts(*rows), dtype=np.float64)
        table = self.table(forest)
        assert table is not None
        return _affine_costs(forest, table, count_range_of(forest))


def gold_size(forest: Forest, name: str) -> int:
    """|y|, which count losses need."""
    if forest.gold_size is None:
        raise ForestError(f"the loss {name} needs the forest's gold_size")
    return forest.gold_size


def _affine_costs(forest: Forest, table: Floats, bounds: CountRange) -> tuple[float, Floats] | None:
    """A constant and costs b n + c d that equal the table to a relative 1e-13, if they exist."""
    rows, columns = bounds.shape
    along_n = (table[-1, -1] - table[0, -1]) / (rows - 1) if rows > 1 else 0.0
    along_d = (table[0, -1] - table[0, 0]) / (columns - 1) if columns > 1 else 0.0
    constant = table[0, 0] - along_n * bounds.n_low - along_d * bounds.d_low
    plane = constant + along_n * bounds.n + along_d * bounds.d
    size = np.abs(table).max(initial=1.0)
    if not np.allclose(plane[bounds.possible], table[bounds.possible], rtol=0.0, atol=1e-13 * size):
        return None
    return constant, along_n * forest.correct + along_d * forest.produced


def count_loss(formula: CountFormula, name: str = "custom") -> Loss:
    """Creates a loss from a Python function of n, d and |y| that accepts arrays.

    n and d are integer arrays of equal shape, |y| is an integer; the function returns losses of
    that shape as floats.
    """
    return Loss(name, of_counts=formula)


def _missing(n: Integers, _: Integers, c: Integers) -> Floats:
    """Gold dependencies that an action misses; those realised later are not counted."""
    return (np.maximum(c, n) - n).astype(np.float64)


def _spurious(n: Integers, d: Integers, *_: object) -> Floats:
    return (d - n).astype(np.float64)


def _f_loss(n: Integers, d: Integers, size: int, beta: float) -> Floats:
    return 1.0 - metrics.f_measure(n, d, size, beta)


LOSSES = {
    "precision": Loss(
        "precision", of_counts=lambda n, d, y: 1.0 - metrics.precision(n, d, y), falling=True
    ),
    "recall": Loss("recall", of_counts=lambda n, d, y: 1.0 - metrics.recall(n, d, y), falling=True),
    "f1": Loss("f1", of_counts=partial(_f_loss, beta=1.0), falling=True),
    "zero-one": Loss("zero-one", of_counts=lambda n, d, y: 1.0 - ((n == d) & (n == y))),
    "false-positives": Loss("false-positives", of_counts=_spurious),
    "hamming": Loss("hamming", of_parts=_spurious),
    "dec-precision": Loss("dec-precision", of_parts=_spurious),
    "dec-recall": Loss("dec-recall", of_parts=_missing),
    "dec-f1": Loss("dec-f1", of_parts=lambda n, d, c: _spurious(n, d) + _missing(n, d, c)),
}


def _sized(name: str, loss: Loss) -> Loss:
    formula = loss.of_counts
    if formula is None or loss.name.startswith(SIZED):
        raise ConfigError(
            f"{name}: only losses that are functions of the counts can be sized, and only once"
        )
    scaled = Loss(name, of_counts=lambda n, d, y: y * np.asarray(formula(n, d, y)))
    return replace(scaled, falling=loss.falling)


def as_loss(loss: Loss | str) -> Loss:
    """The loss itself, or the loss with this name."""
    if isinstance(loss, str):
        return loss_named(loss)
    if not isinstance(loss, Loss):
        raise ConfigError(f"neither a loss nor the name of a loss: {loss!r}")
    return loss


def loss_named(name: str) -> Loss:
    """Returns a loss by name; `f0.5`, `f2`, ... are F-beta.

    `sized-f1` is |y| times f1, and similarly for other count losses, so that sentences have the
    same weight as in corpus scores. `module:function` is imported, and called with arrays n and d
    and the number |y|. Packages add losses or functions with entry points in the group
    `treewright.losses`.
    """
    if name in LOSSES:
        return LOSSES[name]
    if name.startswith(SIZED):
        return _sized(name, loss_named(name.removeprefix(SIZED)))
    if is_code(name):
        return count_loss(imported_formula(name), name)
    if re.fullmatch(r"f\d{1,6}(\.\d{1,6})?", name):
        return Loss(name, of_counts=partial(_f_loss, beta=float(name[1:])), falling=True)
    if (added := plugin(PLUGINS, name)) is not None:
        return added if isinstance(added, Loss) else count_loss(checked_formula(added, name), name)
    known = ", ".join([*LOSSES, *plugin_names(PLUGINS)])
    raise ConfigError(f"unknown loss {name!r}: one of {known}, or f<beta>")
