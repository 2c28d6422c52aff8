"""The machine of this process: threads it may use and shares work among, memory, forks."""

import ctypes
import os
import resource
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from threading import Lock, RLock
from typing import Any, TypeVar
from weakref import WeakSet

_shared: WeakSet[Any] = WeakSet()  # locks that a fork waits for
_registering = Lock()
_held: list[Any] = []  # while this process forks


def shared_lock() -> AbstractContextManager[Any]:
    """A lock of threads that a fork waits for; its owner may take it again.

    A child has one thread. A lock that another thread held would never be free there, and what it
    guards would stay half-changed.
    """
    lock = RLock()
    with _registering:
        _shared.add(lock)
    return lock


def _before_fork() -> None:
    _registering.acquire()
    _held[:] = _shared
    for lock in _held:
        lock.acquire()


def _after_fork() -> None:
    for lock in _held:
        lock.release()
    _held.clear()
    _registering.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


def available_threads() -> int:
    """The number of threads that this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_rss_mb() -> float:
    """The peak resident memory of this process so far, in MB."""
    unit = 1024**2 if sys.platform == "darwin" else 1024  # bytes there, KiB elsewhere
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def trim_heap() -> None:
    """Returns freed memory to the system; glibc would keep gigabytes after a tagger's training."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


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
    pool: Executor,
    make: Callable[[Given], Made],
    given: Iterable[Given],
    ahead: int,
    cancels: bool = True,
) -> Iterator[Made]:
    """`map` over a pool; at most `ahead` results are in progress or waiting.

    What waits is cancelled at the end, unless the pool's processes are ended: a pool that finds
    itself broken must not meet cancelled work.

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
        for future in waiting if cancels else ():
            future.cancel()
