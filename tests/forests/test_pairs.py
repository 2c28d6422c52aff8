"""Tables over pairs of variables as forests."""

import numpy as np
import pytest

from tests.brute import Brute
from treewright.errors import ForestError
from treewright.forests.pairs import pairs

FIRST = np.array([0, 2, 5, 6, 8], dtype=np.int32)
TABLES = [np.array([[1, 0, 1], [1, 1, 0]], dtype=np.bool_), np.ones((1, 2), dtype=np.bool_)]


def test_derivations_are_the_allowed_pairs() -> None:
    built = pairs(FIRST, [0, 2], [1, 3], TABLES)
    scores = np.arange(1.0, 1 + len(built.entries))
    model = Brute(built.forest, built.scores(scores))
    found = {}
    for score, edges in model.weighted:
        parts = [p for p in model.parts_of(edges) if p < len(built.values)]
        found[tuple(sorted(built.values[parts].tolist()))] = score
    expected = {
        (FIRST[0] + x, FIRST[1] + y, 5, 6 + z): scores[i] + scores[4 + z]
        for i, (_, x, y) in enumerate(built.entries[:4].tolist())
        for z in range(2)
    }
    assert found == expected


def test_one_pair() -> None:
    built = pairs(FIRST, [2], [3], TABLES[1:])
    assert Brute(built.forest, built.scores(np.zeros(2))).number == 2


@pytest.mark.parametrize(
    ("left", "right", "tables", "message"),
    [
        ([], [], [], "a left and"),
        ([0], [1, 2], TABLES[:1], "a left and"),
        ([0], [3], TABLES[:1], "pair 0 needs"),
        ([0], [1], [np.zeros((2, 3), dtype=np.bool_)], "pair 0 needs"),
        ([0, 0], [1, 1], [TABLES[0], TABLES[0]], "two pairs"),
    ],
)
def test_malformed(
    left: list[int], right: list[int], tables: list[np.ndarray], message: str
) -> None:
    with pytest.raises(ForestError, match=message):
        pairs(FIRST, left, right, tables)
