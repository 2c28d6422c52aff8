"""Hashes of all stretches of a sequence: polynomials modulo 2^64, each in constant time.

    h(a, b) = sum_i v_i B^(i-a) over a <= i < b = (S_b - S_a) B^-a,  S_b = sum_i v_i B^i over i < b

B is odd and so has an inverse modulo 2^64 (Karp and Rabin 1987).
"""

import numpy as np

from treewright.arrays import Integers, Keys

BASE = np.uint64(0x9E3779B97F4A7C15)
INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))


class Stretches:
    """The hashes of stretches of `values`, uint64 [size]."""

    def __init__(self, values: Keys) -> None:
        size = len(values)
        powers = _powers(BASE, size)
        self._inverse = _powers(INVERSE, size + 1)
        self._sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(values * powers)))

    def hash(self, begin: Integers, end: Integers) -> Keys:
        """The hashes of values[begin:end], for arrays of both."""
        keys: Keys = (self._sums[end] - self._sums[begin]) * self._inverse[begin]
        return mixed(keys)


def mixed(keys: Keys) -> Keys:
    """Keys whose high bits depend on all bits, and the other way round."""
    keys = keys ^ (keys >> np.uint64(31))
    keys = keys * np.uint64(0xBF58476D1CE4E5B9)
    mixture: Keys = keys ^ (keys >> np.uint64(29))
    return mixture


def combined(*columns: Keys | Integers) -> Keys:
    """One key for several."""
    keys = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        keys = mixed(keys * BASE + column.astype(np.uint64))
    return keys


def _powers(base: np.uint64, size: int) -> Keys:
    powers = np.full(size, base, dtype=np.uint64)
    if size:
        powers[0] = 1
    products: Keys = np.multiply.accumulate(powers)
    return products
