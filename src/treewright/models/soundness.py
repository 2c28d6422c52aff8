"""Models from anywhere: what is wrong with one is an error that names its directory.

The manifest of a model says that its files are those that somebody wrote, not that they make
sense. Each kind checks what it reads; here what its readers raise becomes one kind of error, and
numbers that no training gives are refused.
"""

from collections.abc import Callable
from os import PathLike
from typing import TypeVar

import numpy as np

from treewright.errors import StoreError, TreewrightError
from treewright.storage.bundle import Bundle

M = TypeVar("M")
# What a reader of settings, arrays and texts raises where they are not what it wrote.
UNSOUND = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TreewrightError,
    TypeError,
    ValueError,
)
MAX_WEIGHT = 1e30  # sums of 10^8 of them are finite in single precision


def made(make: Callable[[Bundle], M], bundle: Bundle, directory: str | PathLike[str]) -> M:
    """The model that `make` reads from a bundle."""
    check_numbers(bundle, str(directory))
    try:
        return make(bundle)
    except UNSOUND as error:
        message = f"lacks {error!s:.200}" if isinstance(error, KeyError) else f"{error!s:.400}"
        raise StoreError(
            f"{directory}: not a sound model of kind {bundle.kind!r:.80}: {message}"
        ) from error


def check_numbers(bundle: Bundle, where: str) -> None:
    """Refuses weights whose sums could overflow; a score of -inf forbids what has it."""
    for name, array in bundle.arrays.items():
        if array.dtype.kind == "f" and array.size:
            forbidden = np.isneginf(array)
            if not bool((forbidden | (np.abs(array) <= MAX_WEIGHT)).all()):
                raise StoreError(f"{where}: {name} has a number that is NaN, infinite or too large")
    for name, part in bundle.parts.items():
        check_numbers(part, f"{where}: {name}")
