"""The frame of a forest store: header, index and footer (docs/formats.md).

Each byte of a store is covered by a checksum, and each number in the frame is checked against the
file size before it is used.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Bytes
from treewright.errors import StoreError
from treewright.forests.store.record import ALIGNMENT

VERSION = 1
MAGIC, END_MAGIC = b"\x89TWFS\r\n\x1a", b"TWFS end"
FRAME = 64  # the length of header and footer, each with its checksum in the last four bytes
HEADER = struct.Struct("<8sI48x")  # magic, version
FOOTER = struct.Struct("<8s6QI")  # magic, records, totals, offset and checksum of the index
INDEX = np.dtype([("offset", "<u8"), ("length", "<u8"), ("checksum", "<u4"), ("zero", "<u4")])
INDEX_ROW = struct.Struct("<QQI4x")


@dataclass(frozen=True)
class StoreInfo:
    """Totals of a store; entries are those of the feature matrices."""

    bytes: int
    records: int
    nodes: int
    edges: int
    parts: int
    entries: int

    @property
    def structure_bytes_per_edge(self) -> float:
        """Bytes per edge of the forest arrays first_edge, left, right and part."""
        return 4 * (self.nodes + self.records + 3 * self.edges) / max(self.edges, 1)

    @property
    def bytes_per_edge(self) -> float:
        """Bytes per edge of the whole file."""
        return self.bytes / max(self.edges, 1)


def header() -> bytes:
    """The first bytes of a store."""
    return _seal(HEADER.pack(MAGIC, VERSION))


def footer(totals: list[int], index_offset: int, index_checksum: int) -> bytes:
    """The last bytes of a store; totals are records, nodes, edges, parts, feature entries."""
    return _seal(FOOTER.pack(END_MAGIC, *totals, index_offset, index_checksum))


def read_frame(path: Path, content: Bytes) -> tuple[StoreInfo, NDArray[np.void]]:
    """Reads and checks the frame of a store; returns its totals and its index."""
    _check_header(path, content)
    last = content[-FRAME:].tobytes()
    if not last.startswith(END_MAGIC):
        raise StoreError(f"{path}: truncated: the footer of the forest store is missing")
    if not _is_sealed(last):
        raise StoreError(f"{path}: the footer is altered")
    _, *totals, index_offset, index_checksum = FOOTER.unpack(last[: FOOTER.size])
    info = StoreInfo(len(content), *totals)
    if index_offset + info.records * INDEX.itemsize + FRAME != len(content):
        raise StoreError(f"{path}: truncated or altered: its length differs from the footer")
    index = content[index_offset:-FRAME]
    if crc32(index.data) != index_checksum:
        raise StoreError(f"{path}: the index is altered")
    rows = index.view(INDEX).copy()
    _check_index(path, rows, index_offset)
    return info, rows


def _check_header(path: Path, content: Bytes) -> None:
    first = content[:FRAME].tobytes()
    if not first.startswith(MAGIC):
        raise StoreError(f"{path}: not a forest store")
    if not _is_sealed(first):
        raise StoreError(f"{path}: the header is altered or truncated")
    _, version = HEADER.unpack(first[: HEADER.size])
    if version != VERSION:
        raise StoreError(
            f"{path}: forest store version {version}; this version of Treewright reads version"
            f" {VERSION}"
        )


def _check_index(path: Path, index: NDArray[Any], end: int) -> None:
    """Checks that records fill the file from header to index, without gaps or overlaps."""
    offset = np.append(index["offset"], np.uint64(end))
    wrong = (offset[1:] <= offset[:-1]) | (np.diff(offset) != index["length"])
    if offset[0] != FRAME or wrong.any() or (offset % ALIGNMENT).any():
        raise StoreError(f"{path}: the index points outside the records")


def _seal(content: bytes) -> bytes:
    return content + crc32(content).to_bytes(4, "little")


def _is_sealed(content: bytes) -> bool:
    return len(content) == FRAME and _seal(content[:-4]) == content
