"""The brute-force twin against numbers worked out by hand, and the reach of the random forests."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from tests.brute import Brute
from tests.strategies import (
    FAMILIES,
    MOST_DERIVATIONS,
    SCORES,
    golden_models,
    models,
    numbers_of_derivations,
    random_model,
)
from treewright import _core
from treewright.forests import Forest, ForestBuilder

LOG2, LOG3 = math.log(2), math.log(3)
COUNTS = [[1, 0, 0, 1], [1, 1, 2, 1], [1, 1, 0, 0]]


def by_hand() -> Brute:
    """Two derivations of a leaf, used once by edge 2, twice by edge 3; node 1 is used by nobody.

    Parts 0 .. 3 weigh 1, 2, 3 and 1. The goal has the derivations (3, 0) of weight 3, (3, 1) of
    weight 6, and (4, x, y) with weights 1, 2, 2 and 4: Z = 18.
    """
    builder = ForestBuilder()
    leaf = builder.node([(0,), (1,)])
    builder.node([(3, leaf)])
    builder.node([(2, leaf), (3, leaf, leaf)])
    return Brute(builder.build(COUNTS, gold_size=3), [0.0, LOG2, LOG3, 0.0])


def test_derivations_by_hand() -> None:
    model = by_hand()
    assert model.derivations == [(3, 0), (3, 1), (4, 0, 0), (4, 0, 1), (4, 1, 0), (4, 1, 1)]
    assert sorted(model.contexts_of[0]) == [(3,), (4, 0), (4, 0), (4, 1), (4, 1)]
    assert model.contexts_of[1:] == [[], [()]]
    assert model.numbers() == [2, 2, 6]


def test_model_by_hand() -> None:
    model = by_hand()
    assert math.exp(model.log_z) == pytest.approx(18)
    assert np.exp(model.inside()) == pytest.approx([3, 3, 18])
    assert np.exp(model.outside()) == pytest.approx([3 + 2 * 3, 0, 1])
    assert np.exp(model.max_inside()) == pytest.approx([2, 2, 6])
    assert np.exp(model.max_outside()) == pytest.approx([3, 0, 1])
    assert model.node_marginals() == pytest.approx([1.5, 0, 1])
    assert model.edge_marginals() == pytest.approx([0.5, 1, 0, 0.5, 0.5])
    assert model.part_marginals() == pytest.approx([0.5, 1, 0.5, 0.5])
    assert model.best() == (LOG2 + LOG3, (3, 1))
    assert [d for _, d in model.kbest(3)] == [(3, 1), (4, 1, 1), (3, 0)]
    weights = np.array([3, 6, 1, 2, 2, 4]) / 18
    assert model.entropy() == pytest.approx(-np.sum(weights * np.log(weights)))
    uniform = model.divergence([0.0, 0.0, 0.0, 0.0])
    assert uniform == pytest.approx(math.log(6) - model.entropy())
    assert model.divergence([-math.inf, 0.0, 0.0, 0.0]) == math.inf


def test_counts_by_hand() -> None:
    model = by_hand()
    assert model.totals((4, 0, 1)) == (2, 3, 2)
    assert model.count_range() == (0, 3, 3, 3)
    assert model.law() == pytest.approx(
        {(1, 3): 7 / 18, (0, 3): 6 / 18, (3, 3): 1 / 18, (2, 3): 4 / 18}
    )
    assert model.law_table(0, 3, 2, 3) == pytest.approx(
        np.array([[0, 6], [0, 7], [0, 4], [0, 1]]) / 18
    )
    assert model.expect(lambda n, d, _c: n + 10 * d) == pytest.approx(18 / 18 + 30)
    assert model.expect_over(len) == pytest.approx(2.5)
    assert model.tilted_parts(lambda n, _d, _c: n) == pytest.approx(
        np.array([3 + 2 * 3 + 4 + 4, 4 + 4 + 2 * 4, 3, 3 + 4 + 4 + 4]) / 18
    )
    assert math.exp(model.log_sum(lambda n, _d, _c: n * LOG2)) == pytest.approx(6 + 14 + 16 + 8)
    assert model.maximum(lambda _score, n, _d, _c: n) == (3, (4, 0, 0))
    assert (model.best_f1(), model.worst_f1()) == (1.0, 0.0)


def test_forbidden_by_hand() -> None:
    model = Brute(by_hand().forest, [0.0, -math.inf, 0.0, 0.0])
    assert [d for _, d in model.weighted] == [(3, 0), (4, 0, 0)]
    assert model.numbers() == [1, 1, 2]
    assert model.log_z == pytest.approx(LOG2)
    assert model.part_marginals() == pytest.approx([1.5, 0, 0.5, 0.5])
    nothing = Brute(model.forest, np.full(4, -math.inf))
    assert nothing.log_z == -math.inf
    assert nothing.node_marginals().tolist() == [0, 0, 0]


@settings(max_examples=40)
@given(models(*SCORES))
def test_inside_times_outside_is_the_weight_of_the_uses(model: Brute) -> None:
    with np.errstate(invalid="ignore"):
        uses = np.exp(model.inside() + model.outside() - model.log_z)
    if model.log_z > -math.inf:
        assert uses == pytest.approx(model.node_marginals(), abs=1e-9)


@settings(max_examples=40)
@given(golden_models())
def test_counts_agree_with_the_core(pair: tuple[Brute, Brute]) -> None:
    model, gold = pair
    table = model.forest.count_table
    assert table.goal_range == model.count_range()
    law = model.law_table(*table.goal_range)
    assert _core.split_law(model.forest.core, table, model.scores) == pytest.approx(law, abs=1e-12)
    low_n, _, low_d, _ = table.goal_range
    g = np.sin(np.arange(law.size).reshape(law.shape))
    program = _core.CompiledObjective("risk", plan=_core.SplitPlan(g.ravel()))
    _, _, masses = _core.expectation(model.forest.core, table, model.scores, program)
    tilted = model.tilted_parts(lambda n, d, _c: float(g[n - low_n, d - low_d]))
    assert masses == pytest.approx(tilted, abs=1e-12)
    assert 0 <= model.worst_f1() <= model.best_f1() <= 1
    assert 1 <= gold.number <= model.number
    assert {model.score(d) for d in model.derivations} >= {gold.score(d) for d in gold.derivations}


# What the random forests must reach for the contract to mean something


def traits(forest: Forest) -> set[str]:
    model = Brute(forest, np.zeros(forest.parts))
    rows = [(int(forest.part[e]), *model.tails(e)) for e in range(forest.edges)]
    by_node = [[rows[e] for e in model.edges_of(v)] for v in range(forest.nodes)]
    used = {e for d in model.derivations for e in d}
    found = {f"{len(tails)} tails" for _, *tails in rows}
    found |= {"equal tails" for _, *tails in rows if len(tails) == 2 and tails[0] == tails[1]}
    found |= {"unreachable node"} if any(not here for here in model.contexts_of) else set()
    found |= (
        {"unused part"} if {forest.part[e] for e in used} != set(range(forest.parts)) else set()
    )
    found |= {"shared part"} if len({part for part, *_ in rows}) < len(rows) else set()
    for here in by_node:
        tails = [tuple(t) for _, *t in here]
        found |= {"parallel edges"} if len(set(tails)) < len(set(here)) else set()
        found |= {"equal edges"} if len(set(here)) < len(here) else set()
    found |= (
        {"repeated part"}
        if any(len(set(model.parts_of(d))) < len(d) for d in model.derivations)
        else set()
    )
    found |= {"many"} if model.number > 100 else set()
    found |= {"one"} if model.number == 1 else set()
    return found


TAILS = {"0 tails", "1 tails", "2 tails", "shared part", "many", "one"}
EXPECTED = {
    "chain": {*TAILS, "repeated part"},
    "chart": {*TAILS, "parallel edges", "unused part", "repeated part"},
    "dag": {
        *TAILS,
        *("equal tails", "unreachable node", "unused part", "repeated part"),
        *("parallel edges", "equal edges"),
    },
}


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_families_reach_what_forests_can_be(family: str) -> None:
    forests = [FAMILIES[family](Random(seed)) for seed in range(60)]
    assert set.union(*map(traits, forests)) >= EXPECTED[family]
    assert max(sum(numbers_of_derivations(f)) for f in forests) <= MOST_DERIVATIONS


def test_seeds_repeat_and_differ() -> None:
    first, again, other = (random_model(Random(seed), SCORES) for seed in (1, 1, 2))
    assert repr(first) == repr(again) != repr(other)
