"""Freed memory goes back to the system."""

import sys
from pathlib import Path

import numpy as np
import pytest

from treewright.machine import trim_heap


def resident_mb() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


@pytest.mark.slow  # sanitizers have an allocator of their own
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_freed_memory_is_given_back() -> None:
    arrays = [np.ones(5000) for _ in range(5000)]  # 200 MB in pieces that malloc keeps
    held = resident_mb()
    kept = arrays[::500]
    del arrays
    trim_heap()
    assert resident_mb() < held - 150
    assert all(array.sum() == 5000 for array in kept)
