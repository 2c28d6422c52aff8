"""Arrays on disk: the very bytes that the safetensors library makes."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from treewright.storage.tensors import read_tensors, write_tensors

ARRAYS = {
    "weights": np.arange(7, dtype=np.float64),
    "ä small": np.array([1.5, -2.0], dtype=np.float32),
    "empty": np.zeros((0, 3), dtype=np.int32),
    "scalar": np.array(5, dtype=np.int64),
    "table": np.arange(6, dtype=np.uint16).reshape(2, 3),
    "across": np.arange(6, dtype=np.int16).reshape(2, 3).T,
    "bytes": np.frombuffer(b"abc", dtype=np.uint8),
    "flags": np.array([True, False]),
    "keys": np.array([2**64 - 1], dtype=np.uint64),
    "half": np.array([0.5], dtype=np.float16),
    "swapped": np.array([1, 2], dtype=">i4"),
}


@pytest.mark.parametrize("names", [[], *([name] for name in ARRAYS), list(ARRAYS)])
def test_the_file_is_that_of_the_library(names: list[str], tmp_path: Path) -> None:
    arrays = {name: ARRAYS[name] for name in names}
    write_tensors(tmp_path / "x", arrays, {"b": 1, "a": "ü"})
    plain = {
        name: np.ascontiguousarray(a, a.dtype.newbyteorder("<")).reshape(a.shape)
        for name, a in arrays.items()
    }
    values = '{"a": "\\u00fc", "b": 1}'
    assert (tmp_path / "x").read_bytes() == save(plain, {"values": values})
    found, read = read_tensors(tmp_path / "x")
    assert read == {"a": "ü", "b": 1}
    assert found.keys() == arrays.keys()
    for name, array in arrays.items():
        assert np.array_equal(found[name], array)
        assert found[name].shape == array.shape
