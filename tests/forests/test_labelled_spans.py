"""Forests of labelled spans against the enumeration of all trees."""

import math
import weakref
from itertools import pairwise
from random import Random

import numpy as np
import pytest

from tests.brute import Brute
from treewright.errors import ForestError
from treewright.forests.features import FeatureMatrix
from treewright.forests.labelled_spans import LONGEST_KEPT, LabelledSpan, span_forest
from treewright.forests.tables import span_example

CHAINS = [("A",), ("B",), ("A", "B")]
Place = tuple[int, int]


def compositions(begin: int, end: int) -> list[list[Place]]:
    """All ways to cut a span into pieces."""
    cuts = range(begin + 1, end)
    chosen = [[c for i, c in enumerate(cuts) if bits >> i & 1] for bits in range(1 << len(cuts))]
    return [list(pairwise([begin, *inner, end])) for inner in chosen]


def trees(begin: int, end: int, labels: int) -> list[frozenset[LabelledSpan]]:
    """All trees over a span, as sets of labelled spans; a word may have no label."""
    bare: list[frozenset[LabelledSpan]] = [frozenset()] if end - begin == 1 else []
    below = list(bare)
    for pieces in compositions(begin, end):
        if len(pieces) > 1:
            made: list[frozenset[LabelledSpan]] = [frozenset()]
            for piece in pieces:
                made = [a | b for a in made for b in trees(*piece, labels)]
            below += made
    return bare + [one | {(begin, end, label)} for one in below for label in range(labels)]


@pytest.mark.parametrize(("words", "labels"), [(1, 1), (1, 3), (2, 2), (3, 2), (4, 1)])
def test_every_tree_has_one_derivation(words: int, labels: int) -> None:
    made = span_forest(words, labels)
    found = Brute(made.forest, np.zeros(made.forest.parts)).derivations
    spans = [frozenset(made.spans(np.array(each))) for each in found]
    assert len(set(spans)) == len(spans)
    assert set(spans) == set(trees(0, words, labels))


@pytest.mark.parametrize("words", [1, 2, 5, 12])
def test_a_tree_goes_in_and_comes_out(words: int) -> None:
    random = Random(words)
    made = span_forest(words, 3)
    for _ in range(20):
        tree = random_tree(random, 0, words)
        edges = made.derivation(tree)
        assert made.spans(edges) == sorted(tree, key=lambda s: (s[1] - s[0], s[0]))
        gold = made.forest.restrict(edges)
        assert gold.edges == len(edges)


def random_tree(random: Random, begin: int, end: int) -> list[LabelledSpan]:
    if end - begin == 1 and random.random() < 0.5:
        return [(begin, end, random.randrange(3))] if begin == 0 else []
    pieces = random.choice([p for p in compositions(begin, end) if len(p) > 1] or [[]])
    below = [span for piece in pieces for span in random_tree(random, *piece)]
    return [(begin, end, random.randrange(3)), *below]


def test_counts_are_those_of_the_metric() -> None:
    gold = [(0, 3, 2), (0, 2, 0)]
    example = span_example(gold, 3, CHAINS)
    made = span_forest(3, 3)
    assert example.forest.gold_size == 3
    rows = {
        ((0, 3, 2), (0, 2, 0)): (3, 3),
        ((0, 3, 0),): (1, 1),
        ((0, 3, 1), (0, 2, 2), (2, 3, 0)): (2, 4),
    }
    for tree, wanted in rows.items():
        assert example.forest.totals(made.derivation(tree))[:2] == wanted
    assert example.gold is not None
    assert max(example.gold.part.tolist()) == example.forest.parts - 1


def test_columns_point_to_cells() -> None:
    made = span_forest(4, 3)
    table = np.random.default_rng(0).normal(size=(5, 5, 3))
    example = span_example([(0, 4, 0)], 4, CHAINS)
    scores = example.features.scores(table.ravel())
    assert np.array_equal(scores[:-1], table[made.begin, made.end, made.label])
    assert scores[-1] == 0


def test_scores_are_those_of_the_table() -> None:
    made = span_forest(4, 3)
    table = np.random.default_rng(0).normal(size=(5, 5, 3)).astype(np.float32)
    by_columns = FeatureMatrix.from_columns(made.columns()).scores(table.astype(float).ravel())
    assert np.array_equal(made.scores(table), by_columns)


@pytest.mark.parametrize(("words", "kept"), [(LONGEST_KEPT, True), (LONGEST_KEPT + 1, False)])
def test_forests_of_long_sentences_are_kept_while_in_use(words: int, kept: bool) -> None:
    made = span_forest(words, 1)
    assert span_forest(words, 1) is made
    gone = weakref.ref(made)
    del made
    assert (gone() is not None) == kept


def test_bad_trees() -> None:
    with pytest.raises(ForestError, match="whole sentence"):
        span_example([(0, 2, 0)], 3, CHAINS)
    with pytest.raises(ForestError, match="dev 7: the span"):
        span_example([(0, 3, 0), (0, 2, 0), (1, 3, 0)], 3, CHAINS, "dev 7")
    with pytest.raises(ForestError, match="needs words"):
        span_forest(0, 2)


def test_the_size_is_cubic() -> None:
    made = span_forest(30, 7)
    splits = math.comb(31, 3)
    assert made.forest.edges == splits + 30 + 465 * 7 + 30 + 2 * (465 - 30 - 1)
