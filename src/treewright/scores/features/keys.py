"""The keys of features in a model: whole hashes, or their lower 32 bits in a packed model."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Keys

PACKED = np.dtype(np.uint32)  # of the keys of a packed model


def core_keys(keys: NDArray[Any]) -> tuple[Keys, int]:
    """The keys for a table of the core, and how many lower bits of a hash they have."""
    return np.ascontiguousarray(keys, np.uint64), 8 * keys.dtype.itemsize
