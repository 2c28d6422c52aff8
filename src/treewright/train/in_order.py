"""Work that threads share and hand over in order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
        waiting: deque[Future[Made]] = deque()
        try:
            for each in given:
                waiting.append(pool.submit(make, each))
                if len(waiting) > AHEAD * threads:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            pool.shutdown(cancel_futures=True)
