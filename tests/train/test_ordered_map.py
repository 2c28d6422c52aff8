"""Threads that share work: order, bounded lookahead, errors."""

import threading
from collections.abc import Iterator

import pytest

from treewright.train.ordered_map import AHEAD, ordered_map


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
