"""Freed memory is returned to the system, and forks wait for locks of threads."""

import os
import signal
import sys
import warnings
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from treewright.machine import trim_heap
from treewright.scores.features.encoder import AttributeTable


def resident_mb() -> float:
    status = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1]) / 1024


@pytest.mark.slow  # sanitizers have an allocator of their own
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_freed_memory_is_given_back() -> None:
    arrays = [np.ones(5000) for _ in range(5000)]  # 200 MB in pieces that malloc keeps
    held = resident_mb()
    kept = arrays[::500]
    del arrays
    trim_heap()
    assert resident_mb() < held - 150
    assert all(array.sum() == 5000 for array in kept)


def test_a_fork_waits_for_tables_that_threads_are_changing() -> None:
    inside, forking = Event(), Event()
    os.register_at_fork(before=forking.set)  # is called before those that were registered earlier

    def number(string: str) -> int:
        inside.set()
        forking.wait()
        return len(string)

    table = AttributeTable([number])
    thread = Thread(target=table.attributes, args=(["word"],))
    thread.start()
    inside.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        child = os.fork()
    if not child:
        signal.alarm(20)  # ends a child that waits for ever
        os._exit(int(table.attributes(["word"])[0, 0]))
    thread.join()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 4
