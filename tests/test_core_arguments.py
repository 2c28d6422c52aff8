"""Mismatched arguments of the core are refused, and never read out of bounds."""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.ccg_cases import random_hand_case, random_minibank_case
from tests.models.test_contract import model_named
from treewright import _core
from treewright.errors import TreewrightError
from treewright.forests.ccg.chart import CcgChart, ChartSettings, ccg_chart
from treewright.forests.forest import Forest
from treewright.models.tagging.pos import PosTagger
from treewright.scores.ccg.scorer import CcgScorer

HUGE, NONE = 2**31 - 1, np.zeros(0, np.int32)


def indices(*values: int) -> Any:
    return np.array(values, np.int32)


def small_forest(words: int) -> Forest:
    """A chain of `words` nodes, one edge each."""
    tails = [-1, *range(words - 1)]
    return Forest(range(words + 1), tails, [-1] * words, range(words), words)


def refused(call: Callable[..., Any], *given: Any, **named: Any) -> None:
    with pytest.raises((TreewrightError, ValueError, TypeError)) as error:
        call(*given, **named)
    assert len(str(error.value)) < 2000


def test_rows_of_a_tagger() -> None:
    model = model_named("pos")
    assert isinstance(model, PosTagger)
    core = model.tagger.core
    width = len(model.tagger.encoder.templates.core)
    for row in (HUGE, 2**30):
        refused(core.entries, np.full(width, row, np.int32), indices(0, 1), indices(0))
    for tag in (-1, HUGE):
        refused(core.entries, np.full(width, -1, np.int32), indices(0, 1), indices(tag))
    for first in (indices(0, HUGE), indices(1, 0), indices(-1, 1), NONE):
        refused(core.entries, np.full(width, -1, np.int32), first, indices(0))
        refused(core.marginals, first, indices(0), np.zeros(1))


@pytest.mark.parametrize(
    ("place", "bad"),
    [(0, HUGE), (2, HUGE), (2, -1), (3, HUGE), (3, -1), (5, HUGE), (6, HUGE), (7, HUGE), (8, HUGE)],
)
def test_local_objectives(place: int, bad: int) -> None:
    sound: list[Any] = [indices(0), 1, indices(0, 1), indices(0), 2, indices(0, 1), indices(0)]
    sound += [indices(0), indices(0)]
    _core.LocalObjective(*sound)
    sound[place] = np.full_like(sound[place], bad)
    refused(_core.LocalObjective, *sound)


def test_steps_of_local_objectives() -> None:
    sound = indices(0), 1, indices(0, 1), indices(0), 2, indices(0, 1), indices(0)
    core = _core.LocalObjective(*sound, indices(0), indices(0))
    for order in (indices(-1), indices(HUGE)):
        refused(core.step, order, 0.1, 1.0, 0.0, 0, np.zeros(1), np.zeros(1))
    refused(core.step, indices(0), 0.1, 1.0, 0.0, 0, np.zeros(2), np.zeros(1))
    refused(core.value_and_gradient, np.zeros(9))


def test_counts_of_another_forest() -> None:
    small, large = small_forest(2).core, small_forest(50).core
    counts = _core.CountTable(small, np.ones(2, np.int16), np.ones(2, np.int16))
    other = _core.CountTable(large, np.ones(50, np.int16), np.ones(50, np.int16))
    plan = _core.TermPlan(False, [0.1 + 0j], [0.1 + 0j], [1 + 0j])
    for forest, table, parts in ((large, counts, 50), (small, other, 2)):
        scores = np.zeros(parts)
        refused(_core.split_law, forest, table, scores)
        refused(_core.split_best, forest, table, scores)
        refused(_core.node_ranges, forest, table)
        refused(_core.cell_costs, forest, table)
        refused(_core.term_values, forest, table, scores, plan)
        refused(_core.sliced_values, forest, table, scores, _core.SlicedPlan(False, [0j], [0j]))
    refused(_core.split_best, small, counts, np.zeros(2), HUGE)
    refused(_core.split_best, small, counts, np.zeros(2), -1)


def test_threads_and_numbers_of_batches() -> None:
    forest = small_forest(2)
    features = _core.Features(indices(0, 1, 2), indices(0, 1), indices(0, 1))
    compiled = _core.CompiledObjective("log-sum")
    objective = _core.Batch([(forest.core, forest.core, None, features, compiled)], 2)
    for numbers in ([-1], [1], [2**62]):
        refused(objective.run_on, np.array(numbers, np.int64), np.zeros(2))
    for threads in (-1, 2**31 - 1):
        refused(objective.run, np.zeros(2), threads)


def test_events_of_parts() -> None:
    marginals = np.ones(2)
    assert len(_core.event_gains(indices(0, 1, 2), indices(1, 0), marginals, 0.5)) == 2
    for number in (-1, 2**20, 2**30, HUGE):
        refused(_core.event_gains, indices(0, 1, 2), indices(0, number), marginals, 0.5)
    for first in (indices(0, HUGE, 2), indices(1, 1, 2), indices(0, 2), NONE):
        refused(_core.event_gains, first, indices(0, 1), marginals, 0.5)


def test_variables_of_chains() -> None:
    """Two words with two values each; the values of a variable begin where the last one's end."""
    leaves = [-1, -1, -1, -1, 0]
    forest = Forest([0, 2, 4, 5], leaves, [-1, -1, -1, -1, 1], range(5), 5)
    values, start = indices(0, 1, 2, 3, -1), np.zeros(2)
    rest = np.zeros(4), start, start, np.zeros(4), 1000
    _core.intersect(forest.core, np.zeros(5), values, indices(0, 2, 4), *rest)
    for first in ((1, 3, 5), (0, 2, HUGE), (2, 4, 6), (0, -2, 0), (0, 3, 2), (-2, 0, 2)):
        refused(_core.intersect, forest.core, np.zeros(5), values, indices(*first), *rest)
    leaf, none = Forest([0, 2], [-1, -1], [-1, -1], range(2), 2), np.zeros(0)
    for first in ((0, 0, 2), (0, 2, 2)):  # a word without values
        stop = np.zeros(first[2] - first[1])
        tables = np.zeros(2), np.zeros(first[1]), stop, none, 1000
        refused(_core.intersect, leaf.core, np.zeros(2), indices(0, 1), indices(*first), *tables)


def charts() -> list[CcgChart]:
    """Charts of two grammars."""
    found = []
    for make in (random_hand_case, random_minibank_case):
        case = make(Random(3))
        found.append(ccg_chart(case.grammar, case.cells, ChartSettings()))
    return found


def test_a_chart_of_another_grammar() -> None:
    scorer = CcgScorer(["rule: rule", "lexical: word@head"])
    first, second = charts()
    templates = scorer.encoder.templates.core
    for chart, other in ((first, second), (second, first)):
        for words in (scorer.encode(["a"], ["b"]), scorer.encode([], [])):
            core = other.tables.core
            refused(_core.ccg_feature_keys, core, chart.core, words, templates)
            given = core, chart.core, words, templates, scorer.table
            refused(_core.ccg_feature_numbers, *given)
            refused(_core.ccg_feature_scores, *given, scorer.weights)


def test_sentences_of_transition_learners() -> None:
    parser: Any = model_named("dep arc-eager")
    learner: Any = _core.TransitionLearner(parser.trees.parser.shape.core())
    encoded = parser.encoder.encode_all([parser.parse("The dog sleeps").tree.words])[0]
    table = encoded.table.ravel()
    whole = np.array([0, len(encoded.table)], np.int64)
    none = np.array([0, 0], np.int64)
    for order in ([-1], [1], [2**62]):
        numbers = np.array(order, np.int64)
        refused(learner.learn, table, whole, NONE, none, numbers, 8, True, 0.0, True)
        refused(learner.explore, table, whole, NONE, NONE, numbers, 0.1, True)
    for first in ([0, 2**40], [5, 0], [-1, 1]):
        bad = np.array(first, np.int64)
        refused(learner.learn, table, bad, NONE, none, np.zeros(1, np.int64), 8, True, 0.0, True)
