"""A limit on the time of computations: the core's loops look at it and give up.

The limit is one for the process, because the core's threads share it. It is meant for processes
that answer requests, one after the other.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from treewright import _core


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises DeadlineError from calls of the core inside the block once the time is over."""
    _core.set_deadline(seconds)
    try:
        yield
    finally:
        _core.set_deadline(None)
