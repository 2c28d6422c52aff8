"""The best and the worst F1 of a forest against enumeration, and Dinkelbach against its twin."""

import math
from fractions import Fraction
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings

from tests.brute import Brute
from tests.checks import weighted, with_counts
from tests.strategies import FAMILIES, random_forest, random_model
from treewright import _core
from treewright.errors import ForestError
from treewright.forests import Forest, ForestBuilder
from treewright.inference import oracle
from treewright.inference.count_range import count_range_of
from treewright.inference.oracle import Oracle, best_f1, best_f1_forest, worst_f1
from treewright.metrics.counts import f_measure

EVERY = settings(max_examples=80)


def twin(forest: Forest) -> Brute:
    return Brute(forest, np.zeros(forest.parts))


def split_oracle(forest: Forest, best: bool = True) -> Oracle:
    """By state-splitting (Huang 2008): every (n, d) that derivations reach, then the extreme F."""
    size, bounds = oracle._gold_size(forest), count_range_of(forest)
    reached, _ = _core.split_best(forest.core, forest.count_table, np.zeros(forest.parts))
    f = f_measure(bounds.n, bounds.d, size)
    f = np.where(np.isneginf(reached), -np.inf if best else np.inf, f)
    cell = int(np.argmax(f) if best else np.argmin(f))
    _, edges = _core.split_best(forest.core, forest.count_table, np.zeros(forest.parts), cell)
    row, column = divmod(cell, bounds.shape[1])
    return Oracle(float(f.flat[cell]), edges, bounds.n_low + row, bounds.d_low + column, 0)


def assert_extreme(found: Oracle, model: Brute, f: float) -> None:
    """A derivation of exactly this F, with the counts that its edges have."""
    assert found.f == pytest.approx(f, abs=1e-15)
    edges = tuple(found.edges)
    assert edges in model.derivations
    assert (found.correct, found.produced) == model.totals(edges)[:2]
    assert model.f1(edges) == pytest.approx(f, abs=1e-15)


def check_all(model: Brute) -> None:
    forest = model.forest
    assert_extreme(best_f1(forest), model, model.best_f1())
    assert_extreme(worst_f1(forest), model, model.worst_f1())
    assert_extreme(split_oracle(forest), model, model.best_f1())
    assert_extreme(split_oracle(forest, best=False), model, model.worst_f1())


@EVERY
@given(weighted(most=400))
def test_oracles_are_the_extremes_of_enumeration(model: Brute) -> None:
    check_all(model)


@EVERY
@given(weighted(most=400))
def test_all_derivations_of_the_highest_f1(model: Brute) -> None:
    f, found = best_f1_forest(model.forest)
    assert f == pytest.approx(model.best_f1(), abs=1e-15)
    wanted = [d for d in model.derivations if model.f1(d) > f - 1e-12]
    made = twin(found)
    assert sorted(sorted(made.parts_of(d)) for d in made.derivations) == sorted(
        sorted(model.parts_of(d)) for d in wanted
    )


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_few_sweeps_suffice(family: str) -> None:
    for seed in range(40):
        forest = random_model(Random(seed), family=family, counts=True).forest
        assert 1 <= best_f1(forest).sweeps <= 6
        assert 1 <= worst_f1(forest).sweeps <= 6


@pytest.mark.parametrize("seed", range(20))
def test_nothing_is_due(seed: int) -> None:
    """Then F1 is 1 for silence and 0 for anything else."""
    random = Random(seed)
    forest = random_forest(random, 300)
    d = [random.randint(0, 1) * random.randint(0, 1) for _ in range(forest.parts)]
    check_all(twin(with_counts(forest, [0] * forest.parts, d, 0)))


def test_nothing_is_due_both_ways() -> None:
    builder = ForestBuilder()
    builder.node([(0,), (1,), (2,)])
    forest = builder.build([[0, 0, 0], [1, 0, 2], [0, 0, 0]], gold_size=0)
    best, worst = best_f1(forest), worst_f1(forest)
    assert (best.f, best.produced, list(best.edges)) == (1.0, 0, [1])
    assert (worst.f, worst.produced) == (0.0, 2)


@pytest.mark.parametrize("seed", range(20))
def test_derivations_that_produce_nothing(seed: int) -> None:
    """With something due they have an F1 of 0, not of 0/0."""
    random = Random(seed)
    forest = random_forest(random, 300)
    n = [random.randint(0, 1) * random.randint(0, 1) for _ in range(forest.parts)]
    model = twin(with_counts(forest, n, n, 1))
    most = max(model.totals(d)[0] for d in model.derivations)
    check_all(twin(with_counts(forest, n, n, max(1, most))))


@pytest.mark.parametrize("seed", range(10))
def test_ties(seed: int) -> None:
    """All derivations are equally good."""
    forest = random_forest(Random(seed), 300)
    ones = [1] * forest.parts
    model = twin(with_counts(forest, [0] * forest.parts, ones, 3))
    check_all(model)
    assert best_f1(model.forest).f == worst_f1(model.forest).f == 0


def test_dinkelbach_needs_several_guesses() -> None:
    """More correct items are not better if they cost too many produced ones."""
    builder = ForestBuilder()
    builder.node([(k,) for k in range(12)])
    n = [2 * k for k in range(1, 13)]
    d = [n[k] + k * k * k // 8 for k in range(12)]
    forest = builder.build([n, d, n], gold_size=30)
    check_all(twin(forest))
    found = best_f1(forest)
    assert 0 < found.edges[0] < 11
    assert 2 < found.sweeps <= 8


@pytest.mark.parametrize("seed", range(5))
def test_large_counts_stay_exact(seed: int) -> None:
    """Ratios that differ in the ninth digit, compared as fractions."""
    random, size = Random(seed), 32767
    n = [random.randint(32600, 32700) for _ in range(40)]
    d = [each + random.randint(0, 67) for each in n]
    f = [Fraction(2 * a, b + size) for a, b in zip(n, d, strict=True)]
    builder = ForestBuilder()
    builder.node([(part,) for part in range(40)])
    forest = builder.build([n, d, n], gold_size=size)
    assert f[best_f1(forest).edges[0]] == max(f)
    assert f[worst_f1(forest).edges[0]] == min(f)


def test_counts_beyond_exact_numbers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = random_model(Random(0), family="chain", counts=True).forest
    monkeypatch.setattr(oracle, "EXACT_INTEGERS", 4)
    with pytest.raises(ForestError, match="too large"):
        best_f1(forest)


def test_an_endless_search_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    forest = random_model(Random(0), family="chain", counts=True).forest
    monkeypatch.setattr(oracle, "MOST_SWEEPS", 1)
    with pytest.raises(ForestError, match="did not converge in 1 sweeps"):
        best_f1(forest)


def test_what_is_due_must_be_known() -> None:
    forest = random_model(Random(0), counts=True).forest
    bare = forest.with_counts(forest.counts)
    for ask in (best_f1, worst_f1, split_oracle):
        with pytest.raises(ForestError, match="gold_size"):
            ask(bare)


def test_f_is_a_float() -> None:
    found = best_f1(random_model(Random(1), counts=True).forest)
    assert isinstance(found.f, float)
    assert math.isfinite(found.f)
