"""A loss that another package adds."""

import numpy as np

from treewright.arrays import Floats, Integers


def jaccard(n: Integers, d: Integers, y: int) -> Floats:
    """One minus the items in both analyses over the items in either."""
    return 1.0 - n / np.maximum(d + y - n, 1)
