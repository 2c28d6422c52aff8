"""Threads that share work: order, bounded lookahead, errors."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from treewright.machine import AHEAD, handed_over, ordered_map


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("size", [0, 1, 3, 100])
def test_results_come_in_order(threads: int, size: int) -> None:
    assert list(ordered_map(lambda n: n * n, range(size), threads)) == [n * n for n in range(size)]


def test_two_threads_work_at_once() -> None:
    both = threading.Barrier(2, timeout=20)
    assert len(list(ordered_map(lambda _: both.wait(), range(4), 2))) == 4


def test_few_results_wait() -> None:
    taken = []

    def given() -> Iterator[int]:
        for n in range(100):
            taken.append(n)
            yield n

    found = ordered_map(lambda n: n, given(), 2)
    next(found)
    assert len(taken) == 2 * AHEAD + 1
    found.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_arrives_where_its_result_would(threads: int) -> None:
    found = ordered_map(lambda n: 6 // n, [3, 2, 0, 1], threads)
    assert [next(found), next(found)] == [2, 3]
    with pytest.raises(ZeroDivisionError):
        next(found)


def test_the_pool_is_its_owners_to_end() -> None:
    with ThreadPoolExecutor(2) as pool:
        assert list(handed_over(pool, abs, [-1, -2], 2)) == [1, 2]
        assert pool.submit(abs, -3).result() == 3


def test_what_nobody_waits_for_is_not_begun() -> None:
    begun, go = [], Event()

    def make(n: int) -> int:
        begun.append(n)
        assert n == 0 or go.wait(30)
        return n

    with ThreadPoolExecutor(1) as pool:
        found = handed_over(pool, make, range(9), 4)
        assert next(found) == 0
        found.close()
        go.set()
    assert set(begun) <= {0, 1}
