"""Losses of one's own, `module:function` in a configuration: they are code, and run as such.

Nothing is imported until an objective is made; whoever reads configurations from others checks
`is_code` first, as `treewright train` does.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from treewright.arrays import Floats, Integers
from treewright.errors import ConfigError


def is_code(name: str) -> bool:
    """Whether a loss's name asks for a function to be imported."""
    return ":" in name


def imported(name: str) -> Callable[..., Any]:
    """The function that `module:function` names."""
    module, _, function = name.partition(":")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"no loss {name!r}: {error}") from error
    if not callable(found):
        raise ConfigError(f"no loss {name!r}: it is not a function")
    return found  # type: ignore[no-any-return]


def imported_formula(name: str) -> Callable[[Integers, Integers, int], Floats]:
    """The function of n, d and |y| that `module:function` names; its values are checked."""
    return checked_formula(imported(name), name)


def checked_formula(
    function: Callable[..., Any], name: str
) -> Callable[[Integers, Integers, int], Floats]:
    """A function of n, d and |y| whose values are checked."""

    def formula(n: Integers, d: Integers, size: int) -> Floats:
        shape = np.broadcast_shapes(np.shape(n), np.shape(d))
        try:
            values = np.broadcast_to(np.asarray(function(n, d, size), dtype=np.float64), shape)
        except (TypeError, ValueError) as error:
            raise ConfigError(f"the loss {name!r} has no value for arrays n, d: {error}") from error
        if not np.isfinite(values).all():
            raise ConfigError(f"the loss {name!r} is not finite for all n and d")
        return values

    return formula
