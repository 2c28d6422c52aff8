"""Tensors on disk: the same bytes as written by the safetensors library."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from treewright.errors import StoreError
from treewright.storage.tensors import _checksum, map_tensors, read_tensors, write_tensors

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
    checksum = _checksum(plain, {"b": 1, "a": "ü"})
    values = f'{{"a": "\\u00fc", "b": 1, "checksum": {checksum}}}'
    assert (tmp_path / "x").read_bytes() == save(plain, {"values": values})
    for how in (read_tensors, map_tensors):
        found, read = how(tmp_path / "x")
        assert read == {"a": "ü", "b": 1}
        assert found.keys() == arrays.keys()
        for name, array in arrays.items():
            assert np.array_equal(found[name], array)
            assert found[name].shape == array.shape


def test_mapped_arrays_can_be_changed_and_the_file_stays(tmp_path: Path) -> None:
    write_tensors(tmp_path / "x", {"a": np.arange(3)})
    found, _ = map_tensors(tmp_path / "x")
    found["a"][0] = 7
    assert read_tensors(tmp_path / "x")[0]["a"].tolist() == [0, 1, 2]


def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_tensors(path, {"a": np.arange(3, dtype=np.float32), "b": np.arange(2)}, {"step": 12})
    content = path.read_bytes()
    for place in range(len(content)):
        flipped = bytearray(content)
        flipped[place] ^= 1
        path.write_bytes(flipped)
        try:
            arrays, values = read_tensors(path)
        except StoreError as error:
            assert str(path) in str(error)  # noqa: PT017
        else:  # a blank of the padding
            assert (arrays["b"].tolist(), values) == ([0, 1], {"step": 12})


@pytest.mark.parametrize("kind", ["BF16", "F8_E4M3", "F8_E5M2"])
def test_types_that_numpy_lacks_are_an_error(kind: str, tmp_path: Path) -> None:
    size = 2 if kind == "BF16" else 1
    header = f'{{"a":{{"dtype":"{kind}","shape":[1],"data_offsets":[0,{size}]}}}}'.encode()
    (tmp_path / "x").write_bytes(len(header).to_bytes(8, "little") + header + bytes(size))
    for how in (read_tensors, map_tensors):
        with pytest.raises(StoreError, match="x: damaged"):
            how(tmp_path / "x")
