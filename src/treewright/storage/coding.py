"""Encoding of arrays in packed models: fewer bytes on disk, with rounded floats.

    steps    ascending integers, as differences
    narrow   integers of 1, 2 or 4 bytes, with separate exceptions that do not fit
    blocks   floats as integers of 4, 8 or 16 bits, with a scale per block of 64
    zeros    for arrays with many zeros: a bit per value, in addition to another encoding

The encoded arrays are arrays again, so a packed model is a normal safetensors file. The encoding of
each array is stored as plain values.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.errors import StoreError
from treewright.storage.tensors import Arrays

BLOCK = 64
WIDTHS = (np.uint8, np.uint16, np.uint32)
FEW = 64  # smaller arrays are not encoded
Coding = dict[str, dict[str, Any]]


def encode(arrays: Mapping[str, NDArray[Any]], bits: Mapping[str, int]) -> tuple[Arrays, Coding]:
    """The arrays to write, and the encoding of each.

    bits: 4, 8 or 16 for floats that can be rounded; all other arrays are restored exactly.
    """
    made: Arrays = {}
    coding: Coding = {}
    for name, array in arrays.items():
        pieces, how = _encoded(np.asarray(array), bits.get(name))
        made |= {f"{name}.{piece}" if piece else name: each for piece, each in pieces.items()}
        if how:
            coding[name] = {**how, "dtype": array.dtype.str[1:], "shape": list(array.shape)}
    return made, coding


class PackedArrays(Mapping[str, NDArray[Any]]):
    """The original arrays, decoded on access; only the encoded ones stay in memory."""

    def __init__(self, stored: Arrays, coding: Coding) -> None:
        self._stored, self._coding = stored, coding
        pieces = {f"{name}.{piece}" for name, how in coding.items() for piece in how["pieces"]}
        self._names = [*(name for name in stored if name not in pieces), *coding]

    def __getitem__(self, name: str) -> NDArray[Any]:
        how = self._coding.get(name)
        if how is None:
            return self._stored[name]
        try:
            return _decoded(name, self._stored, how)
        except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
            raise StoreError(f"damaged: inconsistent packed arrays: {error}") from error

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _encoded(array: NDArray[Any], bits: int | None) -> tuple[Arrays, dict[str, Any]]:
    flat = array.reshape(-1)
    if array.size < FEW:
        return {"": array}, {}
    pieces: Arrays
    if bits is not None and array.dtype.kind == "f" and np.all(np.isfinite(flat)):
        kept, zeros = _without_zeros(flat)
        pieces, how = _blocks(kept, bits) | zeros, "blocks"
    elif array.dtype.kind in "iu" and flat[0] >= 0 and np.all(flat[1:] >= flat[:-1]):
        pieces, how = _narrow(np.diff(flat, prepend=flat[:1])), "steps"
        pieces["start"] = flat[:1].astype(np.uint64)
    elif array.dtype.kind in "iu" and array.dtype.itemsize > 1 and flat.min() >= 0:
        pieces, how = _narrow(flat), "narrow"
    else:
        return {"": array}, {}
    return pieces, {"how": how, "pieces": sorted(pieces)}


def _decoded(name: str, stored: Arrays, how: Mapping[str, Any]) -> NDArray[Any]:
    pieces = {piece: stored[f"{name}.{piece}"] for piece in how["pieces"]}
    dtype, shape = np.dtype(str(how["dtype"])), tuple(map(int, how["shape"]))
    match how["how"]:
        case "blocks":
            flat = _with_zeros(_from_blocks(pieces, dtype, shape), pieces.get("zeros"), shape)
        case "narrow":
            flat = _widened(pieces, dtype)
        case "steps":
            flat = _widened(pieces, np.dtype(np.uint64))
            flat[:1] += pieces["start"]
            flat = np.cumsum(flat, out=flat).astype(dtype, copy=False)
        case other:
            raise ValueError(f"no coding {other!r}")
    return flat.reshape(shape)


def _blocks(values: NDArray[Any], bits: int) -> Arrays:
    """Integers and scales; the largest value in a block is encoded by the largest integer."""
    largest = 2 ** (bits - 1) - 1
    padded = np.zeros(-(-len(values) // BLOCK) * BLOCK)
    padded[: len(values)] = values
    rows = padded.reshape(-1, BLOCK)
    scale = np.abs(rows).max(axis=1, initial=0.0) / largest
    few = bits == 4 and scale.max(initial=0.0) < np.finfo(np.float16).max
    scale = scale.astype(np.float16 if few else np.float32)
    safe = np.where(scale > 0, scale, 1).astype(np.float64)
    codes = np.rint(rows / safe[:, None]).clip(-largest, largest)
    whole = codes.reshape(-1)[: len(values)].astype(np.int16 if bits == 16 else np.int8)
    coded: Arrays = {"halves": _halves(whole)} if bits == 4 else {"codes": whole}
    return coded | {"scales": scale}


def _halves(codes: NDArray[Any]) -> NDArray[Any]:
    """Two numbers from -7 to 7 per byte, the first in the lower half."""
    padded = (np.append(codes, np.zeros(len(codes) % 2, np.int8)) + 8).astype(np.uint8)
    return padded[::2] | padded[1::2] << 4


def _codes(pieces: Arrays, count: int) -> NDArray[Any]:
    if "halves" not in pieces:
        return pieces["codes"]
    halves = pieces["halves"]
    if len(halves) != -(-count // 2):
        raise ValueError(f"{len(halves)} bytes for {count} values")
    both = np.stack((halves & 15, halves >> 4), axis=1).reshape(-1)
    return both[:count].astype(np.int8) - 8


def _from_blocks(pieces: Arrays, dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    zeros = np.unpackbits(pieces["zeros"]).sum() if "zeros" in pieces else 0
    codes = _codes(pieces, int(np.prod(shape)) - int(zeros))
    scales = pieces["scales"].astype(dtype)
    if len(scales) != -(-len(codes) // BLOCK):
        raise ValueError(f"{len(scales)} scales for {len(codes)} values")
    values: NDArray[Any] = codes * np.repeat(scales, BLOCK)[: len(codes)]
    return values


def _without_zeros(values: NDArray[Any]) -> tuple[NDArray[Any], Arrays]:
    some = values != 0
    if some.mean() > 0.75:
        return values, {}
    return values[some], {"zeros": np.packbits(~some)}


def _with_zeros(
    values: NDArray[Any], zeros: NDArray[Any] | None, shape: tuple[int, ...]
) -> NDArray[Any]:
    if zeros is None:
        return values
    size = int(np.prod(shape))
    if len(zeros) != -(-size // 8):
        raise ValueError(f"{len(zeros)} bytes for {size} bits")
    full = np.zeros(size, values.dtype)
    full[np.unpackbits(zeros, count=size) == 0] = values
    return full


def _narrow(values: NDArray[Any]) -> Arrays:
    """The type that needs the fewest bytes; its largest number marks exceptions in `wide`."""
    sizes = [
        len(values) * np.dtype(kind).itemsize + 8 * int((values >= np.iinfo(kind).max).sum())
        for kind in WIDTHS
    ]
    kind = WIDTHS[int(np.argmin(sizes))]
    most = np.iinfo(kind).max
    is_wide = values >= most
    arrays: Arrays = {"codes": np.where(is_wide, most, values).astype(kind)}
    wide = values[is_wide]
    return arrays | ({"wide": wide.astype(np.min_scalar_type(wide.max()))} if wide.size else {})


def _widened(pieces: Arrays, dtype: np.dtype[Any]) -> NDArray[Any]:
    codes = pieces["codes"]
    values = codes.astype(dtype)
    if "wide" in pieces:
        values[codes == np.iinfo(codes.dtype).max] = pieces["wide"].astype(dtype)
    return values
