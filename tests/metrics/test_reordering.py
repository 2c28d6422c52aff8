"""The chunk score of word orders."""

import itertools

import pytest

from treewright.metrics.reordering import chunks, reordering_counts, reordering_score


@pytest.mark.parametrize(
    ("order", "reference", "expected"),
    [
        ("", "", 0),
        ("1", "1", 1),
        ("123", "123", 1),
        ("321", "123", 3),
        ("312", "123", 2),
        ("2134", "1234", 3),
        ("3412", "3412", 1),
        ("1234", "3412", 2),
    ],
)
def test_chunks_are_runs_of_both_orders(order: str, reference: str, expected: int) -> None:
    assert chunks([*map(int, order)], [*map(int, reference)]) == expected


def test_score_is_one_for_the_same_order_and_zero_for_the_reverse() -> None:
    assert reordering_score([2, 1, 3], [2, 1, 3]) == 1.0
    assert reordering_score([1], [1]) == reordering_score([], []) == 1.0
    assert reordering_score([3, 2, 1], [1, 2, 3]) == 0.0
    assert reordering_score([3, 1, 2], [1, 2, 3]) == 0.5


def test_counts_give_the_score() -> None:
    reference = [1, 2, 3, 4]
    orders = [list(each) for each in itertools.permutations(reference)]
    counts = reordering_counts(orders, [reference] * len(orders))
    for order, (n, d, y) in zip(orders, counts.rows(), strict=True):
        assert (d, y) == (3, 3)
        assert n / y == pytest.approx(reordering_score(order, reference))
    assert counts.exact().total()[0] == 1


def test_other_words_are_an_error() -> None:
    with pytest.raises(ValueError, match="different words"):
        chunks([1, 2], [1, 3])
