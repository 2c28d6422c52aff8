"""Forests of segments against all tag sequences, one by one."""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brute import Brute
from treewright.forests import Example, Forest
from treewright.text.segments import ENDS_SENTENCE, ENDS_TOKEN, IS_MULTIWORD, segment_example

TAGS = st.integers(0, 4)


@st.composite
def stretches(draw: st.DrawFn) -> tuple[list[list[int]], list[int]]:
    """Candidates of positions, the gold tag among them, and the gold tags."""
    gold = draw(st.lists(TAGS, min_size=1, max_size=5))
    found = [sorted({g, *draw(st.lists(TAGS, max_size=2))}) for g in gold]
    return found, gold


def all_of(forest: Forest) -> list[tuple[int, ...]]:
    return Brute(forest, np.zeros(forest.parts)).derivations


def counted(tags: tuple[int, ...], gold: list[int], weight: int) -> tuple[int, int]:
    """n and d of one sequence: segments of tokens with their sort, and of sentences."""

    def segments(row: list[int], ends: np.ndarray, sort: bool) -> set[tuple[int, int, bool]]:
        last, out = 0, set()
        for i, tag in enumerate(row):
            if ends[tag]:
                out.add((last, i + 1, bool(sort and IS_MULTIWORD[tag])))
                last = i + 1
        return out

    n = d = 0
    for ends, factor, sort in ((ENDS_TOKEN, 1, True), (ENDS_SENTENCE, weight, False)):
        found, due = segments(list(tags), ends, sort), segments(gold, ends, sort)
        n, d = n + factor * len(found & due), d + factor * len(found)
    return n, d


def example_of(candidates: list[list[int]], gold: list[int], weight: int) -> Example | None:
    open_ = [i for i, tags in enumerate(candidates) if len(tags) > 1]
    if not open_:
        return None
    before, after = [0, *(i + 1 for i in open_)], [*open_, len(gold)]
    between = [gold[a:b] for a, b in zip(before, after, strict=True)]
    total = sum(len(candidates[i]) for i in open_)
    entries = np.arange(total + 1, dtype=np.int32), np.arange(total, dtype=np.int32)
    chosen = [candidates[i] for i in open_]
    return segment_example("x", chosen, [gold[i] for i in open_], between, entries, weight)


@settings(deadline=None)
@given(stretches(), st.integers(0, 3))
def test_the_forest_has_every_sequence_with_its_counts(
    stretch: tuple[list[list[int]], list[int]], weight: int
) -> None:
    candidates, gold = stretch
    example = example_of(candidates, gold, weight)
    if example is None:
        return
    forest = example.forest
    found = sorted(forest.totals(edges)[:2] for edges in all_of(forest))
    assert found == sorted(counted(tags, gold, weight) for tags in product(*candidates))
    assert example.gold is not None
    (right,) = all_of(example.gold)
    size = counted(tuple(gold), gold, weight)[0]
    assert example.gold.totals(right)[:2] == (size, size)
    assert forest.gold_size == size


def test_features_are_those_of_the_candidates() -> None:
    example = example_of([[0, 1], [1], [0, 1, 3]], [1, 1, 3], 1)
    assert example is not None
    weights = np.array([0.5, 2.0, 0.25, 3.0, 5.0])
    scores = example.features.scores(weights)
    found = sorted(
        scores[example.forest.part[np.array(edges)]].sum() for edges in all_of(example.forest)
    )
    assert found == sorted(a + b for a, b in product([0.5, 2.0], [0.25, 3.0, 5.0]))
