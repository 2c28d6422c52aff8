"""Work that threads or processes share and hand over in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")
AHEAD = 2  # results a thread that may wait for those before them


def in_order(make: Callable[[Given], Made], given: Iterable[Given], threads: int) -> Iterator[Made]:
    """`map` by so many threads; few results are held at a time, however slow the first is."""
    if threads == 1:
        yield from map(make, given)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from handed_over(pool, make, given, AHEAD * threads)


def handed_over(
    pool: Executor, make: Callable[[Given], Made], given: Iterable[Given], ahead: int
) -> Iterator[Made]:
    """`map` by a pool, of which so many results are worked at or wait behind the next."""
    waiting: deque[Future[Made]] = deque()
    try:
        for each in given:
            waiting.append(pool.submit(make, each))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)
