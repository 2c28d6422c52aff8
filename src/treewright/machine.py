"""Threads, memory and forks of this process."""

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

_shared: WeakSet[Any] = WeakSet()  # locks that are taken before a fork
_registering = Lock()
_held: list[Any] = []  # the locks that a fork in progress holds


def shared_lock() -> AbstractContextManager[Any]:
    """A re-entrant lock between threads that is held during forks.

    A child process has one thread. A lock that another thread held at the fork would never be
    released in the child, and the data that it protects could be inconsistent.
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
    """The number of threads that this process can run in parallel."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def peak_rss_mb() -> float:
    """The peak resident memory of this process so far, in MB."""
    unit = 1024**2 if sys.platform == "darwin" else 1024  # bytes there, KiB elsewhere
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def trim_heap() -> None:
    """Returns freed memory to the system; glibc keeps gigabytes after the training of a tagger."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


Given = TypeVar("Given")
Made = TypeVar("Made")
AHEAD = 2  # finished results per thread that can wait for earlier ones


def ordered_map(
    make: Callable[[Given], Made], given: Iterable[Given], threads: int
) -> Iterator[Made]:
    """`map` in several threads, in order.

    At most AHEAD results per thread wait for earlier ones.
    """
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
    """`map` on a pool, in order; at most `ahead` results are in progress or waiting.

    When the iteration ends early, pending work is cancelled, unless `cancels` is false: a pool of
    processes that are being terminated breaks, and a broken pool fails on cancelled work.

    The pool is not shut down: if it were shut down without waiting, its processes might still be
    closing their pipes when the interpreter exits.
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
