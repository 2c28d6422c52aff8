"""A time limit for computations in the core.

The limit applies to the process, because the core's threads share it. It is meant for processes
that answer one request at a time.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from treewright import _core


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises DeadlineError from calls of the core in the block after `seconds`."""
    _core.set_deadline(seconds)
    try:
        yield
    finally:
        _core.set_deadline(None)
