"""Work that threads or processes share, with results in the order of the inputs."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
AHEAD = 2  # finished results per thread that may wait for earlier ones


def ordered_map(
    make: Callable[[Given], Made], given: Iterable[Given], threads: int
) -> Iterator[Made]:
    """`map` over several threads; few results are held at a time, however slow the first is."""
    if threads == 1:
        yield from map(make, given)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from handed_over(pool, make, given, AHEAD * threads)


def handed_over(
    pool: Executor, make: Callable[[Given], Made], given: Iterable[Given], ahead: int
) -> Iterator[Made]:
    """`map` over a pool; at most `ahead` results are in progress or waiting.

    The pool stays open: one of processes that is shut down without waiting never gets waited for,
    and may still be closing its pipes when the interpreter ends.
    """
    waiting: deque[Future[Made]] = deque()
    try:
        for each in given:
            waiting.append(pool.submit(make, each))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
