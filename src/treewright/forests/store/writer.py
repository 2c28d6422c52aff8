"""Writes a forest store record by record.

A store is written next to its final path and moved there in one step when it is complete and synced
to disk: readers never see an incomplete store, and a failed run leaves nothing behind.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from zlib import crc32

from treewright.errors import StoreError
from treewright.forests.features import Example
from treewright.forests.store.frame import FRAME, INDEX_ROW, footer, header
from treewright.forests.store.record import encode
from treewright.storage.atomic import new_file


class StoreWriter:
    """Writes examples: `with ForestStore.create(path) as writer: writer.add(example)`.

    An exception inside the `with` discards what was written; an existing store at `path` remains
    until the new one is complete.
    """

    def __init__(self, path: str | PathLike[str]) -> None:
        self.path = Path(path)
        self._stack = ExitStack()
        self._file: BinaryIO | None = None
        self._index = bytearray()
        self._totals = [0, 0, 0, 0, 0]
        self._end = FRAME

    def __enter__(self) -> Self:
        self._file = self._stack.enter_context(new_file(self.path, buffering=0))
        return self

    def add(self, example: Example) -> None:
        """Writes one example; if this fails, earlier ones are still valid."""
        begin = self._end
        checksum = self._append(encode(example))
        self._index += INDEX_ROW.pack(begin, self._end - begin, checksum)
        forest, entries = example.forest, len(example.features.local)
        sizes = (1, forest.nodes, forest.edges, forest.parts, entries)
        self._totals = [total + size for total, size in zip(self._totals, sizes, strict=True)]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        file = self._opened()
        try:
            with self._stack.pop_all():
                if error is not None:
                    raise error  # inside, so that the file is discarded
                self._finish(file)
        finally:
            self._file = None

    def _finish(self, file: BinaryIO) -> None:
        index_offset = self._end
        checksum = self._append([self._index])
        self._append([footer(self._totals, index_offset, checksum)])
        with _named(self.path):
            file.truncate()
            file.seek(0)
            file.write(header())  # last: the file is only valid with its header

    def _append(self, pieces: Iterable[bytes | bytearray | memoryview]) -> int:
        """Appends the pieces to the complete records; returns their checksum."""
        file, checksum = self._opened(), 0
        with _named(self.path):
            file.seek(self._end)
            for piece in pieces:
                checksum = crc32(piece, checksum)
                rest = memoryview(piece)
                while rest:
                    rest = rest[file.write(rest) :]
            self._end = file.tell()
        return checksum

    def _opened(self) -> BinaryIO:
        if self._file is None:
            raise StoreError(f"{self.path}: the writer is not open; use it in a `with` statement")
        return self._file


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Adds the path to errors, since those of a full disk name no file."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{path}: {error.strerror or error}") from error
