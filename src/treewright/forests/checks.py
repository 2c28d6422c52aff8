"""Arrays from outside become contiguous, read-only and of the core's types, or a ForestError.

An array that is all of this already is used as it is; nothing wraps around or loses a fraction.
"""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from treewright.arrays import Floats32, Indices
from treewright.errors import ForestError

T = TypeVar("T", np.int16, np.int32)


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
    return _read_only(np.ascontiguousarray(array, dtype=dtype))


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
    return _read_only(array)


def _array(values: ArrayLike | None, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except (ValueError, OverflowError):
        raise ForestError(f"{name} is not an array of numbers") from None


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array
