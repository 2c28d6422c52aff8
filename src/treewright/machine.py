"""The machine that this process runs on: threads it may use, memory it has used."""

import ctypes
import os
import resource
import sys


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
