"""The packed forest: what it refuses, and what it tells about itself."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given

from tests.brute import Brute
from tests.strategies import forests
from treewright.errors import ForestError
from treewright.forests import Example, FeatureMatrix, Forest, ForestBuilder
from treewright.inference import exact

# Node 0 has two leaves, node 1 one edge on node 0, the goal a unary and a binary edge.
ARRAYS: dict[str, Any] = {
    "first_edge": [0, 2, 3, 5],
    "left": [-1, -1, 0, 0, 0],
    "right": [-1, -1, -1, -1, 1],
    "part": [0, 1, 2, 3, 0],
}
COUNTS = np.array([[1, 0, 2, 0], [1, 1, 2, 1], [0, 3, 0, 1]], dtype=np.int16)


def forest(parts: int = 4, **changed: Any) -> Forest:
    rest = {name: changed.pop(name) for name in ("counts", "gold_size") if name in changed}
    arrays = {n: np.array(a, dtype=np.int32) for n, a in ARRAYS.items()} | changed
    return Forest(**arrays, parts=parts, **rest)


def with_entry(name: str, at: int, value: int) -> Any:
    array = np.array(ARRAYS[name], dtype=np.int32)
    array[at] = value
    return array


def test_a_sound_forest_knows_its_sizes() -> None:
    found = forest()
    assert (found.nodes, found.edges, found.parts, found.goal) == (3, 5, 4, 2)
    assert found.head.tolist() == [0, 0, 1, 2, 2]
    assert repr(found) == "Forest(3 nodes, 5 edges, 4 parts)"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"first_edge": [0]}, "at least one node"),
        ({"first_edge": []}, "at least one node"),
        ({"first_edge": with_entry("first_edge", 0, 1)}, "must start with 0, not 1"),
        ({"first_edge": with_entry("first_edge", 3, 4)}, "number of edges, 5, not 4"),
        ({"first_edge": with_entry("first_edge", 2, 2)}, "node 1 has no edge"),
        ({"first_edge": with_entry("first_edge", 1, 0)}, "node 0 has no edge"),
        ({"first_edge": with_entry("first_edge", 2, 1)}, "node 1 has no edge"),
        ({"first_edge": with_entry("first_edge", 1, -1)}, "node 0 has no edge"),
        ({"first_edge": with_entry("first_edge", 2, 9)}, "node 1 has edges past the end"),
        ({"left": with_entry("left", 2, 1)}, "edge 2 of node 1 has a tail .* before it: 1, -1"),
        ({"left": with_entry("left", 4, 2)}, "edge 4 of node 2 has a tail"),
        ({"left": with_entry("left", 0, -2)}, "edge 0 of node 0 has a tail"),
        ({"right": with_entry("right", 4, 2)}, "edge 4 of node 2 has a tail"),
        ({"right": with_entry("right", 4, -2)}, "edge 4 of node 2 has a tail"),
        ({"left": with_entry("left", 4, -1)}, "edge 4 has a right tail but no left"),
        ({"part": with_entry("part", 3, 4)}, "edge 3 has part 4, but there are 4 parts"),
        ({"part": with_entry("part", 1, -1)}, "edge 1 has part -1"),
        ({"left": [-1, -1, 0, 0]}, "differ in length: 4, 5, 5"),
        ({"right": [-1] * 6}, "differ in length: 5, 6, 5"),
        ({"part": [0, 1, 2, 3]}, "differ in length: 5, 5, 4"),
        ({"parts": -1}, "parts is negative"),
        ({"parts": 2**31}, "at most 2147483647 parts"),
        ({"gold_size": -1}, "gold_size .*: -1"),
        ({"gold_size": 2**31}, "gold_size .*: 2147483648"),
    ],
)
def test_a_broken_forest_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ForestError, match=message):
        forest(**changed)


@pytest.mark.parametrize("name", ["first_edge", "left", "right", "part"])
def test_arrays_must_be_lists_of_integers(name: str) -> None:
    good = np.array(ARRAYS[name])
    for bad, message in [
        (good.astype(np.float64), f"{name} must hold integers, not float64"),
        (good.astype(np.str_), f"{name} must hold integers"),
        (good.reshape(1, -1), rf"{name} must have 1 dimension\(s\), not 2"),
        (good + 2**32, f"{name} has values that do not fit into int32"),
        (good.astype(np.uint64) + np.uint64(2**63), f"{name} has values that do not fit"),
        ([[0], [0, 1]], f"{name} is not an array"),
        ([2**80], f"{name} must hold integers, not object"),
        (None, name),
    ]:
        with pytest.raises(ForestError, match=message):
            forest(**{name: bad})


def test_other_integers_are_converted() -> None:
    found = forest(**{name: np.array(array, dtype=np.int64) for name, array in ARRAYS.items()})
    assert {found.first_edge.dtype, found.left.dtype, found.part.dtype} == {np.dtype(np.int32)}
    assert found.left.tolist() == ARRAYS["left"]
    assert forest(left=np.array(ARRAYS["left"] * 2, dtype=np.int32)[:5]).left.flags.c_contiguous
    strided = np.array([ARRAYS["part"]] * 2, dtype=np.int32, order="F")[0]
    assert forest(part=strided).part.tolist() == ARRAYS["part"]


def test_frozen_arrays_of_the_right_type_are_not_copied() -> None:
    part = np.array(ARRAYS["part"], dtype=np.int32)
    counts = COUNTS.copy()
    part.flags.writeable = counts.flags.writeable = False
    found = forest(part=part, counts=counts)
    assert found.counts is not None
    assert np.shares_memory(found.part, part)
    assert np.shares_memory(found.counts, counts)


@pytest.mark.parametrize("name", ["first_edge", "left", "right", "part", "counts"])
def test_arrays_are_read_only(name: str) -> None:
    array = getattr(forest(counts=COUNTS), name)
    with pytest.raises(ValueError, match="read-only"):
        array[..., 0] = 0


# Counts


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (COUNTS[:2], r"shape \(3, 4\), not \(2, 4\)"),
        (COUNTS[:, :3], r"shape \(3, 4\), not \(3, 3\)"),
        (COUNTS.T, r"shape \(3, 4\), not \(4, 3\)"),
        (COUNTS[0], "2 dimension"),
        (COUNTS * 0.5, "counts must hold integers, not float64"),
        (COUNTS.astype(np.int64) + 2**16, "do not fit into int16"),
    ],
)
def test_counts_must_fit_the_parts(counts: Any, message: str) -> None:
    with pytest.raises(ForestError, match=message):
        forest(counts=counts)
    with pytest.raises(ForestError, match=message):
        forest().with_counts(counts)


def test_counts_by_name_and_in_sum() -> None:
    found = forest().with_counts(COUNTS.astype(np.int64), gold_size=7)
    assert found.gold_size == 7
    assert found.correct.tolist() == COUNTS[0].tolist()
    assert found.produced.tolist() == COUNTS[1].tolist()
    assert found.due.tolist() == COUNTS[2].tolist()
    assert found.totals([4, 0, 2, 1]) == (1 + 1 + 2 + 0, 1 + 1 + 2 + 1, 0 + 0 + 0 + 3)
    assert found.totals([0, 0]) == (2, 2, 0)
    assert found.totals([]) == (0, 0, 0)


@pytest.mark.parametrize("edges", [[5], [-1], [0, 99], [2**40]])
def test_totals_of_edges_that_are_not_there(edges: list[int]) -> None:
    with pytest.raises(ForestError, match="edge"):
        forest(counts=COUNTS).totals(edges)


@pytest.mark.parametrize("name", ["correct", "produced", "due", "count_table"])
def test_a_forest_without_counts_says_so(name: str) -> None:
    with pytest.raises(ForestError, match="no counts"):
        getattr(forest(), name)
    with pytest.raises(ForestError, match="no counts"):
        forest().totals([0])


# Sub-forests


@pytest.mark.parametrize(
    ("edges", "derivations"),
    [
        ([3, 0], [(3, 0)]),
        (np.array([0, 3, 3], dtype=np.int64), [(3, 0)]),
        ([True, True, False, True, True], [(3, 0), (3, 1)]),
        (np.array([False, True, True, False, True]), [(4, 1, 2, 1)]),
        ([1, 2, 4], [(4, 1, 2, 1)]),
        ([1, 3, 4], [(3, 1)]),
        ([0, 1, 2, 4], [(4, 0, 2, 0), (4, 0, 2, 1), (4, 1, 2, 0), (4, 1, 2, 1)]),
    ],
)
def test_restriction_keeps_the_derivations_of_its_edges(edges: Any, derivations: Any) -> None:
    full = forest(counts=COUNTS, gold_size=3)
    sub = full.restrict(edges)
    before, after = Brute(full, np.zeros(4)), Brute(sub, np.zeros(4))
    assert set(derivations) <= set(before.derivations)
    assert list(map(after.parts_of, after.derivations)) == list(map(before.parts_of, derivations))
    assert sub.parts == 4
    assert sub.gold_size == 3
    assert np.array_equal(sub.counts, COUNTS)


@given(forests())
def test_restriction_to_all_edges_changes_no_derivation(found: Forest) -> None:
    before, after = (
        Brute(f, np.zeros(f.parts)) for f in (found, found.restrict(range(found.edges)))
    )
    assert list(map(after.parts_of, after.derivations)) == list(
        map(before.parts_of, before.derivations)
    )


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([], "do not form a derivation"),
        ([0, 1, 2], "do not form a derivation"),
        ([3, 4, 2], "do not form a derivation"),
        (np.zeros(5, dtype=bool), "do not form a derivation"),
        ([5], "outside 0 to 4"),
        ([-1], "outside 0 to 4"),
        ([2**33], "do not fit"),
        (np.ones(4, dtype=bool), "mask must have 5 entries, not 4"),
        (np.zeros(0, dtype=bool), "mask must have 5 entries, not 0"),
        ([0.0, 3.0], "must hold integers"),
        ([[0], [3]], "1 dimension"),
    ],
)
def test_restriction_to_nothing_or_to_what_is_not_there(edges: Any, message: str) -> None:
    with pytest.raises(ForestError, match=message):
        forest().restrict(edges)


def test_gold_has_the_parts_of_its_forest() -> None:
    whole, features = forest(), FeatureMatrix.identity(4)
    assert Example(whole, features, whole.restrict([0, 3]), "a.1").gold is not None
    with pytest.raises(ForestError, match=r"a\.1: gold and forest have different parts"):
        Example(whole, features, forest(parts=5), "a.1")
    with pytest.raises(ForestError, match=r"a\.1: features for 3 parts, but the forest has 4"):
        Example(whole, FeatureMatrix.identity(3), name="a.1")


@given(forests())
def test_unreachable_parts_are_those_of_no_derivation(found: Forest) -> None:
    twin = Brute(found, np.zeros(found.parts))
    used = {part for d in twin.derivations for part in twin.parts_of(d)}
    assert found.unreachable_parts().tolist() == sorted(set(range(found.parts)) - used)


def test_a_part_is_unreachable_with_its_node() -> None:
    builder = ForestBuilder()
    builder.node([(2,)])
    builder.node([(0,)])
    assert builder.build().unreachable_parts().tolist() == [1, 2]


# The builder


def test_the_builder_lays_out_edges() -> None:
    builder = ForestBuilder()
    leaf = builder.node([(0,), [1]])
    unary = builder.node([(2, leaf)])
    assert builder.node([(3, leaf), (0, leaf, unary)]) == 2
    built = builder.build(COUNTS, gold_size=2)
    for name, expected in ARRAYS.items():
        assert getattr(built, name).tolist() == expected
    assert (built.parts, built.gold_size) == (4, 2)
    assert np.array_equal(built.counts, COUNTS)
    assert builder.build(np.zeros((3, 9), dtype=int)).parts == 9


@pytest.mark.parametrize("edge", [(), (0, 0, 0, 0)])
def test_the_builder_wants_a_part_and_at_most_two_tails(edge: tuple[int, ...]) -> None:
    with pytest.raises(ForestError, match="at most two tails"):
        ForestBuilder().node([edge])


@pytest.mark.parametrize(
    ("nodes", "counts", "message"),
    [
        ([], None, "at least one node"),
        ([[]], None, "node 0 has no edge"),
        ([[(0, 0)]], None, "edge 0 of node 0 has a tail"),
        ([[(-1,)]], None, "edge 0 has part -1"),
        ([[(2**40,)]], None, "do not fit"),
        ([[(5,)]], COUNTS, "edge 0 has part 5"),
        ([[(0,)]], 5, "2 dimension"),
        ([[(0,)]], [[1], [1]], "shape"),
    ],
)
def test_the_builder_checks_what_it_built(nodes: Any, counts: Any, message: str) -> None:
    builder = ForestBuilder()
    for edges in nodes:
        builder.node(edges)
    with pytest.raises(ForestError, match=message):
        builder.build(counts)


def test_a_forest_owns_what_was_checked() -> None:
    first_edge = np.array([0, 1, 2], dtype=np.int32)
    left = np.array([-1, 0], dtype=np.int32)
    right, part = np.full(2, -1, dtype=np.int32), np.arange(2, dtype=np.int32)
    view = left[:]
    view.flags.writeable = False
    forest = Forest(first_edge, view, right, part, 2)
    left[1] = 10**9
    part[0] = 10**9
    assert forest.left.tolist() == [-1, 0]
    assert exact.marginals(forest, np.zeros(2)).parts.tolist() == [1, 1]
    with pytest.raises(ValueError, match="read-only"):
        forest.left[1] = 5
