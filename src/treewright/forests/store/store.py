"""Training forests on disk: a checked, memory-mapped sequence of examples (docs/formats.md).

A store can be larger than memory: an example's arrays are views of the mapped file, which the
system loads on access and evicts when memory is short.
"""

import mmap
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index as as_integer
from os import PathLike
from pathlib import Path
from typing import Self, overload
from zlib import crc32

import numpy as np

from treewright.arrays import Bytes
from treewright.errors import ForestError, StoreError
from treewright.forests.features import Example
from treewright.forests.store.frame import StoreInfo, read_frame
from treewright.forests.store.record import decode, name_of
from treewright.forests.store.writer import StoreWriter


class ForestStore(Sequence[Example]):
    """A store of examples, read on demand; `ForestStore.create` writes one.

    A record is checked when it is first read, and the example is cached. A store in use can be
    replaced, as the writer does, but must not be modified in place.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._content: Bytes | None = _mapped(self.path)
        self._info, self._index = read_frame(self.path, self._content)
        self._examples: dict[int, Example] = {}

    @staticmethod
    def create(path: str | PathLike[str]) -> StoreWriter:
        """Creates a writer: `with ForestStore.create(path) as writer: writer.add(...)`."""
        return StoreWriter(path)

    def __len__(self) -> int:
        return self._info.records

    @overload
    def __getitem__(self, index: int) -> Example: ...
    @overload
    def __getitem__(self, index: slice) -> list[Example]: ...
    def __getitem__(self, index: int | slice) -> Example | list[Example]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        number = range(len(self))[as_integer(index)]
        if number not in self._examples:
            self._examples[number] = self._read(number)
        return self._examples[number]

    def info(self) -> StoreInfo:
        """Totals over all records."""
        return self._info

    def verify(
        self, progress: Callable[[Sequence[int]], Iterable[int]] = iter
    ) -> Iterator[StoreError]:
        """Checks all records and yields the problems; `progress` receives the record numbers."""
        totals, sound = np.zeros(5, dtype=np.int64), True
        for number in progress(range(len(self))):
            try:
                totals += _sizes(self._read(number))
            except StoreError as error:
                sound = False
                yield error
        if sound and self._info != StoreInfo(self._info.bytes, *totals.tolist()):
            yield StoreError(f"{self.path}: the totals in the footer differ from the records")

    def close(self) -> None:
        """Closes the file; examples that are still in use keep it mapped."""
        self._examples.clear()
        self._content = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _read(self, number: int) -> Example:
        if self._content is None:
            raise StoreError(f"{self.path}: the store is closed")
        offset, length, checksum, _ = self._index[number].item()
        record = self._content[offset : offset + length]
        try:
            if crc32(record.data) != checksum:
                raise StoreError("altered: wrong checksum")
            return decode(record)
        except (StoreError, ForestError) as error:
            where = f"{self.path}: record {number} ({name_of(record)!r})"
            raise StoreError(f"{where}: {error}") from None


def _mapped(path: Path) -> Bytes:
    with path.open("rb") as file:
        if not file.seek(0, 2):
            raise StoreError(f"{path}: not a forest store: the file is empty")
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(content, dtype=np.uint8)


def _sizes(example: Example) -> tuple[int, ...]:
    forest = example.forest
    return 1, forest.nodes, forest.edges, forest.parts, len(example.features.local)
