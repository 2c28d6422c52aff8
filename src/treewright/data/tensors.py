"""Named arrays on disk, in the safetensors format, with a few plain values beside them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from treewright.data.atomic import write_file
from treewright.errors import StoreError

Arrays = dict[str, NDArray[Any]]


def write_tensors(
    path: Path, arrays: Mapping[str, NDArray[Any]], values: Mapping[str, object] | None = None
) -> None:
    """Writes arrays and values (whatever JSON can say) to one file, atomically."""
    plain = {name: np.asarray(array, order="C") for name, array in arrays.items()}
    # One key alone: the order of several would vary from run to run.
    metadata = {"values": json.dumps(values or {}, sort_keys=True)}
    write_file(path, [save(plain, metadata)])


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
