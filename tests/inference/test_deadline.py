"""Computations that take too long stop inside the core, and those after them run as always."""

import time
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest

from tests.small_ccg import bank, small_parser
from treewright.data.records import Sentence
from treewright.errors import DeadlineError
from treewright.forests.dependency.arcs import arc_forest
from treewright.inference import exact
from treewright.inference.deadline import time_limit

LIMIT = 0.05


def dense_arcs(words: int) -> object:
    """Every arc of a sentence: the chart has words^3 / 2 edges."""
    heads, dependents = np.divmod(np.arange((words + 1) ** 2), words + 1)
    arcs = (heads != dependents) & (dependents > 0)
    return arc_forest(words, heads[arcs], dependents[arcs], max_edges=10**9)


def long_sentence(words: int) -> object:
    """One CCG chart over sentences side by side, which the grammar cannot join."""
    parser = small_parser().with_settings(schedule="0.0001", max_words=words)
    tokens = [token for derivation in bank() for token in derivation.sentence.tokens]
    return parser.parse(Sentence("long", tuple(tokens[:words])))


@pytest.mark.parametrize("work", [partial(dense_arcs, 700), partial(long_sentence, 400)])
def test_a_hopeless_chart_stops(work: Callable[[], object]) -> None:
    small_parser()
    begin = time.process_time()  # other processes do not count
    with pytest.raises(DeadlineError), time_limit(LIMIT):
        work()
    assert time.process_time() - begin < 20 * LIMIT


def test_no_call_begins_after_the_deadline() -> None:
    arcs = arc_forest(2, [0, 1], [1, 2])
    scores = np.zeros(arcs.forest.parts)
    with pytest.raises(DeadlineError), time_limit(0.0):
        exact.viterbi(arcs.forest, scores)
    assert exact.viterbi(arcs.forest, scores).score == 0.0


def test_what_is_in_time_is_not_touched() -> None:
    sentence = bank()[0].sentence
    alone = small_parser().parse(sentence)
    with time_limit(60):
        assert small_parser().parse(sentence).format("auto") == alone.format("auto")
