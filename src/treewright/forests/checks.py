"""Arrays from outside become contiguous, frozen and of the core's types, or a ForestError.

The core trusts what was checked here, so nobody may change it afterwards: an array that somebody
could still write to is copied, a frozen one is used as it is. Nothing wraps around or loses a
fraction.
"""

from collections.abc import Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import Floats32, Indices
from treewright.errors import ForestError

T = TypeVar("T", np.int16, np.int32)
Made = TypeVar("Made", bound=tuple[object, ...])


def integers(
    values: ArrayLike | None, dtype: type[T], name: str, dimensions: int = 1
) -> NDArray[T]:
    """The values as integers of this type."""
    array = _array(values, name)
    if array.ndim != dimensions:
        raise ForestError(f"{name} must have {dimensions} dimension(s), not {array.ndim}")
    if array.size and array.dtype != dtype:
        if array.dtype.kind not in "iu":
            raise ForestError(f"{name} must hold integers, not {array.dtype}")
        limits = np.iinfo(dtype)
        if array.min() < limits.min or array.max() > limits.max:
            raise ForestError(f"{name} has values that do not fit into {np.dtype(dtype)}")
    return _owned(np.ascontiguousarray(array, dtype=dtype), values)


def table(values: ArrayLike, columns: int, name: str) -> Indices:
    """The values as int32 [rows, columns]; nothing at all is a table without rows."""
    array = _array(values, name)
    if not array.size:
        return np.zeros((0, columns), dtype=np.int32)
    if array.ndim != 2 or array.shape[1] != columns:
        raise ForestError(f"{name} must have {columns} columns, not the shape {array.shape}")
    return integers(array, np.int32, name, dimensions=2)


def reals(values: ArrayLike, name: str) -> Floats32:
    """The values as finite float32."""
    array = _array(values, name)
    if array.ndim != 1 or array.dtype.kind not in "iuf":
        raise ForestError(f"{name} must be a list of numbers, not {array.dtype} {array.shape}")
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype=np.float32)
    if not np.isfinite(array).all():
        raise ForestError(f"{name} must be finite, but entry {np.isfinite(array).argmin()} is not")
    return _owned(array, values)


def frozen(made: Made) -> Made:
    """What the core has just made, its arrays read-only from now on: nobody else has them."""
    for array in made:
        for each in _memory(array):
            each.flags.writeable = False
    return made


def _array(values: ArrayLike | None, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, OverflowError):
        raise ForestError(f"{name} is not an array of numbers") from None


def _owned(array: NDArray[Any], given: object) -> NDArray[Any]:
    """The array if nobody else can write to its memory, else a read-only copy."""
    if any(each.flags.writeable for each in _memory(array)):
        fresh = array.base is None and array is not given
        array = array if fresh else array.copy()
        array.flags.writeable = False
    return array


def _memory(each: object) -> Iterator[NDArray[Any]]:
    """An array and all arrays that it is a view of; nothing for anything else."""
    while isinstance(each, np.ndarray):
        yield each
        each = each.base
