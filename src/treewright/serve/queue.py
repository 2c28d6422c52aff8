"""The queue of pieces: fair between requests, in batches with the same task.

Start-time fair queueing (Goyal, Vin and Cheng 1996): the position of a piece is the end of the
previous piece of its request, or the current position of the queue if that is later. The piece with
the first position is next, so a request with two sentences does not wait for one with a thousand.
The queue advances by a request's share of the work, so new requests do not starve an old one.
"""

import asyncio
from collections import defaultdict
from heapq import heappop, heappush
from itertools import count

from treewright.serve.pieces import TREEBANKS, Piece, Task
from treewright.serve.settings import Batching

Waiting = list[tuple[float, int, Piece]]


class PieceQueue:
    """Pieces that wait for a worker."""

    def __init__(self, batching: Batching, long_lanes: int) -> None:
        self.batching = batching
        self._free_lanes = long_lanes
        self._waiting: dict[tuple[Task, bool], Waiting] = defaultdict(list)
        self._numbers = count()
        self._now = 0.0
        self._flows = 0  # requests with waiting pieces
        self._changed = asyncio.Condition()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def is_alone(self, piece: Piece) -> bool:
        """Whether a piece is processed alone.

        This is the case for a long piece, for one whose worker died, and for one of a treebank,
        because models check all sentences of a treebank to see which columns it has.
        """
        is_treebank = piece.content.kind in TREEBANKS
        return is_treebank or piece.content.size > self.batching.words or piece.attempts > 0

    async def put(self, piece: Piece) -> None:
        """Adds a piece after those of its request; a returned piece keeps its position."""
        flow = piece.flow
        if piece.place is None:
            begin = max(self._now, flow.last)
            flow.last = begin + piece.content.size
            piece.place = begin, next(self._numbers)
        flow.waiting += 1
        self._flows += flow.waiting == 1
        entry = (*piece.place, piece)
        heappush(self._waiting[piece.task, self.is_alone(piece)], entry)
        async with self._changed:
            self._changed.notify()

    async def take(self) -> list[Piece]:
        """Waits for the next batch; the caller must call `finish` after processing it."""
        async with self._changed:
            while True:
                if batch := self._batch():
                    return batch
                await self._changed.wait()

    async def finish(self, batch: list[Piece]) -> None:
        """Releases the worker slot of a long piece."""
        if self._lane_of(batch):
            self._free_lanes += 1
            async with self._changed:
                self._changed.notify()

    def _lane_of(self, batch: list[Piece]) -> bool:
        return len(batch) == 1 and batch[0].content.size > self.batching.words

    def _batch(self) -> list[Piece]:
        while keys := [key for key in self._waiting if self._allowed(key)]:
            key = min(keys, key=lambda key: self._waiting[key][0][:2])
            batch = self._from(self._waiting[key], 1 if key[1] else self.batching.pieces)
            if not self._waiting[key]:
                del self._waiting[key]
            if batch:
                self._free_lanes -= self._lane_of(batch)
                return batch
        return []

    def _allowed(self, key: tuple[Task, bool]) -> bool:
        return self._free_lanes > 0 or not self._lane_of([self._waiting[key][0][2]])

    def _from(self, waiting: Waiting, most: int) -> list[Piece]:
        """The first pieces that fit into a batch; cancelled ones are dropped."""
        batch: list[Piece] = []
        words = 0
        while waiting and len(batch) < most:
            words += waiting[0][2].content.size
            if batch and words > self.batching.words:
                break
            piece = self._popped(waiting)
            if not piece.done.done():
                batch.append(piece)
            else:
                words -= piece.content.size
        return batch

    def _popped(self, waiting: Waiting) -> Piece:
        place, _, piece = heappop(waiting)
        self._now = max(self._now, place) + piece.content.size / self._flows
        piece.flow.waiting -= 1
        self._flows -= not piece.flow.waiting
        return piece
