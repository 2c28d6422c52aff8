"""The machine that this process runs on: threads it may use, memory it has used, forks."""

import ctypes
import os
import resource
import sys
from contextlib import AbstractContextManager
from threading import Lock, RLock
from typing import Any
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
