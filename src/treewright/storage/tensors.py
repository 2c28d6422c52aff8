"""Named arrays in the safetensors format, with some plain values.

Each file has a checksum over its values and arrays, so a damaged checkpoint is detected.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from treewright.errors import StoreError
from treewright.storage.atomic import write_file

Arrays = dict[str, NDArray[Any]]
CHECKSUM = "checksum"  # key of the checksum, among the values
# numpy's type codes and the format's names, in reverse order of the format.
TYPES = {"b1": "BOOL"} | {
    code: f"{code[0].upper()}{8 * int(code[1:])}"
    for code in ("u1", "i1", "i2", "u2", "f2", "i4", "u4", "f4", "f8", "i8", "u8")
}


def write_tensors(
    path: Path, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, object] | None = None
) -> None:
    """Writes arrays and JSON values to one file, atomically."""
    plain = {name: _little(np.asarray(array, order="C")) for name, array in arrays.items()}
    # A single key: the order of several would vary from run to run.
    sealed = {**(values or {}), CHECKSUM: _checksum(plain, values or {})}
    write_file(path, _encoded(plain, {"values": json.dumps(sealed, sort_keys=True)}))


def _little(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)


def _checksum(arrays: Arrays, values: object) -> int:
    """A checksum of names, types, shapes, contents and values."""
    outline = [(name, array.dtype.str, array.shape) for name, array in sorted(arrays.items())]
    total = crc32(json.dumps([outline, values], sort_keys=True).encode())
    for _, array in sorted(arrays.items()):
        total = crc32(array.reshape(-1).view(np.uint8).data, total)
    return total


def _encoded(arrays: Arrays, metadata: dict[str, str]) -> Iterator[bytes | memoryview]:
    """The output of `safetensors.numpy.save`, in pieces to save memory."""
    header: dict[str, object] = {"__metadata__": metadata}
    rank = {code: place for place, code in enumerate(reversed(TYPES))}
    chosen = sorted(arrays.items(), key=lambda item: (rank[item[1].dtype.str[1:]], item[0]))
    end = 0
    for name, array in chosen:
        begin, end = end, end + array.nbytes
        kind, shape = TYPES[array.dtype.str[1:]], list(array.shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    yield len(text).to_bytes(8, "little") + text
    for _, array in chosen:
        yield array.reshape(-1).view(np.uint8).data


def read_tensors(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and values of a file, after checking its checksum."""
    with _opened(path) as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        values = _values(file)
    if values.pop(CHECKSUM, None) != _checksum(arrays, values):
        raise StoreError(f"{path}: damaged: its checksum is wrong")
    return arrays, values


def map_tensors(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """The same without the checksum; arrays are memory-mapped."""
    with _opened(path) as file:
        values = _values(file)
        data: NDArray[np.uint8] = np.asarray(np.memmap(path, np.uint8, "c"))
        size = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(bytes(data[8:size]))
        header.pop("__metadata__", None)
        arrays = {name: _view(data[size:], **each) for name, each in header.items()}
    values.pop(CHECKSUM, None)
    return arrays, values


def _view(
    data: NDArray[np.uint8], dtype: str, shape: list[int], data_offsets: list[int]
) -> NDArray[Any]:
    code = next((code for code, name in TYPES.items() if name == dtype), None)
    if code is None:
        raise ValueError(f"numbers of type {dtype}")
    begin, end = data_offsets
    return data[begin:end].view(f"<{code}").reshape(shape)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Opens a file with the library, which checks its structure."""
    if not path.is_file():
        raise StoreError(f"{path}: No such file or directory")
    try:
        with safe_open(path, framework="np") as file:
            yield file
    except (SafetensorError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise StoreError(f"{path}: damaged, or not a Treewright file: {error}") from error


def _values(file: Any) -> dict[str, Any]:
    values = json.loads((file.metadata() or {}).get("values", "{}"))
    if not isinstance(values, dict):
        raise TypeError("its values are not a table")
    return values
