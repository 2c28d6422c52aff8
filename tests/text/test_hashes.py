"""Hashes of stretches: equal where the values are, wherever they stand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from treewright.text.runs import BASE, Stretches, combined, mixed


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_every_stretch_has_the_polynomial_of_its_values(values: list[int]) -> None:
    array = np.array(values, dtype=np.uint64)
    begin, end = np.triu_indices(len(values))
    found = Stretches(array).hash(begin, end + 1)
    base = int(BASE)
    due = [
        sum(v * pow(base, i, 1 << 64) for i, v in enumerate(values[a : b + 1])) % 2**64
        for a, b in zip(begin.tolist(), end.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(found, mixed(np.array(due, dtype=np.uint64)))


def test_the_order_of_columns_counts() -> None:
    a, b = np.array([1, 2], dtype=np.uint64), np.array([2, 1], dtype=np.uint64)
    assert combined(a, b).tolist() == combined(b, a)[::-1].tolist()
    assert combined(a, b)[0] != combined(a, b)[1]
