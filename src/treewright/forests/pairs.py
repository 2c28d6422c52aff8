"""Tables over pairs of variables as forests, such as compatibility of POS tags and supertags.

Each pair is a node with one edge per entry of its table; the edge has a leaf for each of the two
values. A spine joins the pairs. A table is thus a forest like any other, and its entries are parts
that can have features.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Indices
from treewright.errors import ForestError
from treewright.forests.forest import Forest


@dataclass(frozen=True, eq=False)
class Pairs:
    """Tables as a forest.

    Parts 0 .. len(values) - 1 select the values `values`. The next parts are the entries: `entries`
    [entries, 3] has the pair and the indices of the two values within their variables. The last
    part joins the pairs.
    """

    forest: Forest
    values: Indices
    entries: Indices

    def scores(self, of_entries: Floats) -> Floats:
        """Scores of all parts, given those of the entries: float64 [parts]."""
        return np.concatenate((np.zeros(len(self.values)), of_entries, [0.0]))


def pairs(
    first: Indices, left: Sequence[int], right: Sequence[int], tables: Sequence[NDArray[np.bool_]]
) -> Pairs:
    """Builds a forest of tables.

    Args:
        first: the values of variable i are first[i] .. first[i + 1] - 1.
        left: the first variable of each pair; each variable is in at most one pair.
        right: the second variable of each pair.
        tables: for each pair, a mask [left values, right values] of the allowed entries.
    """
    if not tables or len(left) != len(tables) or len(right) != len(tables):
        raise ForestError("each table needs a left and a right variable")
    rows: list[Indices] = []
    for number, (a, b, table) in enumerate(zip(left, right, tables, strict=True)):
        sizes = (first[a + 1] - first[a], first[b + 1] - first[b])
        if table.shape != sizes or not table.any():
            raise ForestError(f"pair {number} needs a table {sizes} with an allowed entry")
        x, y = np.nonzero(table)
        rows.append(np.stack([np.full_like(x, number), x, y], axis=1).astype(np.int32))
    both = np.stack([left, right], axis=1).ravel()
    values = np.concatenate([np.arange(first[v], first[v + 1]) for v in both]).astype(np.int32)
    if len(np.unique(values)) != len(values):
        raise ForestError("a variable is in two pairs")
    return _forest(first, both, values, np.concatenate(rows))


def _forest(first: Indices, both: Indices, values: Indices, entries: Indices) -> Pairs:
    """Nodes: a leaf per value, a node per pair, then the spine over the pairs."""
    leaves, pair_count = len(values), len(both) // 2
    begin = np.concatenate(([0], np.cumsum(first[both + 1] - first[both])))
    pair, x, y = entries.T
    no_leaf, spine = np.full(leaves, -1), np.arange(1, pair_count)
    left = np.concatenate(
        (
            no_leaf,
            begin[2 * pair] + x,
            np.where(spine == 1, leaves, leaves + pair_count + spine - 2),
        )
    )
    right = np.concatenate((no_leaf, begin[2 * pair + 1] + y, leaves + spine))
    join = leaves + len(entries)
    part = np.concatenate((np.arange(join), np.full(len(spine), join)))
    edges = np.concatenate((np.ones(leaves), np.bincount(pair), np.ones(len(spine))))
    first_edge = np.concatenate(([0], np.cumsum(edges)))
    rows = [array.astype(np.int32) for array in (first_edge, left, right, part)]
    return Pairs(Forest(rows[0], rows[1], rows[2], rows[3], join + 1), values, entries)
