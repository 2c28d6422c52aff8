"""What a process that has freed memory does with it."""

import ctypes


def give_back() -> None:
    """Returns freed memory to the system; glibc would keep gigabytes after a tagger's training."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
