"""Encoding of an example: a head with lengths, then its arrays (docs/formats.md).

Arrays start on 64-byte boundaries, so that those of a mapped record are used in place. Lengths are
checked against the size of the record before any array is read.
"""

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from treewright.arrays import Bytes
from treewright.errors import StoreError
from treewright.forests.features import Example, FeatureMatrix
from treewright.forests.forest import Forest

ALIGNMENT = 64
ABSENT, SHARED = -1, -2  # in place of a length: the array is absent, or the same as the forest's
STRUCTURE = ("first_edge", "left", "right", "part")
MATRIX = ("first", "local", "vocabulary")
# The arrays in order, each with its type and the smallest valid value of its length.
ARRAYS = (
    {"name": ("<u1", 0)}
    | dict.fromkeys((*STRUCTURE, *MATRIX), ("<i4", 0))
    | {"value": ("<f4", ABSENT), "counts": ("<i2", ABSENT)}
    | dict.fromkeys((f"gold_{name}" for name in STRUCTURE), ("<i4", ABSENT))
    | {"gold_counts": ("<i2", SHARED)}
)
HEAD = struct.Struct(f"<{len(ARRAYS) + 2}q56x")  # lengths, the gold_size of forest and of gold

Arrays = dict[str, Any]  # None where there is nothing


def encode(example: Example) -> Iterator[bytes | memoryview]:
    """The bytes of a record in pieces; each array is padded to the next boundary."""
    arrays = _arrays_of(example)
    lengths = {name: ABSENT if array is None else array.size for name, array in arrays.items()}
    if _shares_counts(example):
        lengths["gold_counts"] = SHARED
    sizes = (getattr(forest, "gold_size", None) for forest in (example.forest, example.gold))
    yield HEAD.pack(*lengths.values(), *(ABSENT if size is None else size for size in sizes))
    for name, (dtype, _) in ARRAYS.items():
        if lengths[name] > 0:
            array = np.ascontiguousarray(arrays[name], dtype=dtype).reshape(-1)
            yield array.view(np.uint8).data
            yield bytes(-array.nbytes % ALIGNMENT)


def decode(record: Bytes) -> Example:
    """The example in a record with a valid checksum; its arrays are views of the record."""
    *lengths, gold_size, size_of_gold = _checked_head(record)
    arrays: Arrays = dict.fromkeys(ARRAYS)
    for name, begin, end in _places(lengths):
        arrays[name] = record[begin:end].view(ARRAYS[name][0])
    forest, gold = _forest(arrays, "", gold_size), None
    if arrays["gold_first_edge"] is not None:
        if lengths[-1] == SHARED:
            arrays["gold_counts"] = arrays["counts"]
        gold = _forest(arrays, "gold_", size_of_gold)
    features = FeatureMatrix(*(arrays[name] for name in (*MATRIX, "value")))
    return Example(forest, features, gold, _name(arrays["name"]))


def name_of(record: Bytes) -> str:
    """The name in a record that can be damaged; only for messages."""
    if len(record) < HEAD.size:
        return ""
    length = HEAD.unpack(record[: HEAD.size].data)[0]
    end = HEAD.size + min(max(length, 0), 100)
    return record[HEAD.size : end].tobytes().decode("utf-8", "replace")


def _arrays_of(example: Example) -> Arrays:
    arrays: Arrays = dict.fromkeys(ARRAYS)
    arrays["name"] = np.frombuffer(example.name.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    for name in (*STRUCTURE, "counts"):
        arrays[name] = getattr(example.forest, name)
        arrays[f"gold_{name}"] = getattr(example.gold, name, None)
    for name in (*MATRIX, "value"):
        arrays[name] = getattr(example.features, name)
    return arrays


def _shares_counts(example: Example) -> bool:
    counts, gold = example.forest.counts, getattr(example.gold, "counts", None)
    return counts is not None and gold is not None and np.array_equal(counts, gold)


def _checked_head(record: Bytes) -> Sequence[int]:
    if len(record) < HEAD.size:
        raise StoreError("it is shorter than a record header")
    head = HEAD.unpack(record[: HEAD.size].data)
    least = [*(least for _, least in ARRAYS.values()), ABSENT, ABSENT]
    names = [*ARRAYS, "gold_size", "gold_size of gold"]
    for name, number, lowest in zip(names, head, least, strict=True):
        if number < lowest:
            raise StoreError(f"its header has {number} for {name}")
    needed = _aligned(max(end for _, _, end in _places(head[:-2])))
    if needed != len(record):
        raise StoreError(f"its header needs {needed} bytes, but it has {len(record)}")
    return head


def _places(lengths: Sequence[int]) -> Iterator[tuple[str, int, int]]:
    """The name, begin and end of each array in the record."""
    at = HEAD.size
    for (name, (dtype, _)), length in zip(ARRAYS.items(), lengths, strict=True):
        if length >= 0:
            end = at + length * np.dtype(dtype).itemsize
            yield name, at, end
            at = _aligned(end)


def _aligned(offset: int) -> int:
    return offset + -offset % ALIGNMENT


def _forest(arrays: Arrays, prefix: str, gold_size: int) -> Forest:
    parts, counts = len(arrays["first"]) - 1, arrays[f"{prefix}counts"]
    if counts is not None:
        if counts.size != 3 * parts:
            raise StoreError(f"it has {counts.size} counts for {parts} parts")
        counts = counts.reshape(3, parts)
    structure = {name: arrays[prefix + name] for name in STRUCTURE}
    known = None if gold_size == ABSENT else gold_size
    return Forest(**structure, parts=parts, counts=counts, gold_size=known)


def _name(encoded: Bytes) -> str:
    try:
        return encoded.tobytes().decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise StoreError("its name is not UTF-8") from None
