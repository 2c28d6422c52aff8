"""Messages between the server and its workers: length, kind, number of the piece, content."""

import socket
import struct
from asyncio import StreamReader
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

HEAD = struct.Struct("!IBI")


class Kind(IntEnum):
    """The kinds of messages.

    From a worker: HELLO (its process), ANSWER (one sentence of a piece), DONE (with a piece;
    includes its last sentence if it has any), FAILED (on a piece, with a problem), READY (for the
    next batch). To a worker: BATCH.
    """

    HELLO, ANSWER, DONE, FAILED, READY, BATCH = range(6)


class Frame(NamedTuple):
    """A message; `piece` is an index in the batch."""

    kind: Kind
    piece: int = 0
    body: bytes = b""

    def encoded(self) -> bytes:
        return HEAD.pack(len(self.body), self.kind, self.piece) + self.body


async def read_frame(stream: StreamReader) -> Frame:
    """The next message; raises IncompleteReadError if the other side is gone."""
    size, kind, piece = HEAD.unpack(await stream.readexactly(HEAD.size))
    return Frame(Kind(kind), piece, await stream.readexactly(size))


def split_frames(arrived: bytearray) -> Iterator[Frame]:
    """Removes and returns the complete messages; the start of another one remains."""
    place = 0
    while len(arrived) >= place + HEAD.size:
        size, kind, piece = HEAD.unpack_from(arrived, place)
        if len(arrived) < (end := place + HEAD.size + size):
            break
        yield Frame(Kind(kind), piece, bytes(arrived[place + HEAD.size : end]))
        place = end
    del arrived[:place]


def receive_frame(connection: socket.socket) -> Frame | None:
    """The next message, or None if the other side is gone."""
    head = _exactly(connection, HEAD.size)
    if head is None:
        return None
    size, kind, piece = HEAD.unpack(head)
    body = _exactly(connection, size)
    return None if body is None else Frame(Kind(kind), piece, body)


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    parts, missing = [], size
    while missing:
        part = connection.recv(min(missing, 1 << 20))
        if not part:
            return None
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
