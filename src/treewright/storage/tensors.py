"""Named arrays on disk, in the safetensors format, with a few plain values beside them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from treewright.errors import StoreError
from treewright.storage.atomic import write_file

Arrays = dict[str, NDArray[Any]]
# numpy's codes and the format's names, in the order in which the format sorts them, last first.
TYPES = {"b1": "BOOL"} | {
    code: f"{code[0].upper()}{8 * int(code[1:])}"
    for code in ("u1", "i1", "i2", "u2", "f2", "i4", "u4", "f4", "f8", "i8", "u8")
}


def write_tensors(
    path: Path, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, object] | None = None
) -> None:
    """Writes arrays and values (whatever JSON can say) to one file, atomically."""
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    # One key alone: the order of several would vary from run to run.
    metadata = {"values": json.dumps(values or {}, sort_keys=True)}
    write_file(path, _encoded(plain, metadata))


def _encoded(arrays: Arrays, metadata: dict[str, str]) -> Iterator[bytes | memoryview]:
    """What `safetensors.numpy.save` makes, piece by piece: that needs the memory twice more."""
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
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        yield little.reshape(-1).view(np.uint8).data


def read_tensors(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and the values of a file."""
    if not path.is_file():
        raise StoreError(f"{path}: No such file or directory")
    try:
        with safe_open(path, framework="np") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            values = json.loads((file.metadata() or {}).get("values", "{}"))
    except (SafetensorError, ValueError) as error:
        raise StoreError(f"{path}: damaged: {error}") from error
    return arrays, values
