"""Losses on grids and on parts against plain formulas, and against the metrics they stand for."""

import math
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.brute import Brute
from tests.checks import assert_close, random_tagging, weighted, with_counts
from tests.plain import COUNT_LOSSES, LOSSES, PART_LOSSES, loss_of
from tests.strategies import random_model
from treewright.errors import ConfigError, ForestError
from treewright.forests import Forest
from treewright.inference.count_range import count_range_of
from treewright.losses import (
    CorpusSoftmaxMargin,
    Hinge,
    Loss,
    Risk,
    SoftmaxMargin,
    costs,
    count_loss,
    loss_named,
)
from treewright.metrics.counts import Counts, metric_named, sentence_scores

EVERY = settings(max_examples=60)
COUNTED = weighted()


def due(model: Brute, size: int) -> Forest:
    return model.forest.with_counts(model.forest.counts, size)


def assert_decomposes(loss: Loss, name: str, forest: Forest) -> None:
    """A constant and costs whose sum is the loss of every derivation."""
    model = Brute(forest, np.zeros(forest.parts))
    found = loss.decompose(forest)
    assert found is not None
    constant, each = found
    assert each.shape == (forest.parts,)
    for edges in model.derivations:
        total = constant + math.fsum(each[part] for part in model.parts_of(edges))
        assert total == pytest.approx(loss_of(model, name, edges), abs=1e-12)


def is_a_plane(table: np.ndarray, forest: Forest) -> bool:
    """Whether least squares on (1, n, d) leave nothing of the possible cells."""
    bounds = count_range_of(forest)
    n, d = (np.broadcast_to(x, bounds.shape)[bounds.possible] for x in (bounds.n, bounds.d))
    basis = np.column_stack([np.ones(len(n)), n, d])
    values = table[bounds.possible]
    rest = values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]
    return bool(np.abs(rest).max() < 1e-9)


def test_every_named_loss_has_a_plain_formula() -> None:
    assert set(costs.LOSSES) == set(LOSSES) - {"f2", "f0.5"}
    assert all(loss_named(name).name == name for name in LOSSES)


# Count losses


@pytest.mark.parametrize("name", sorted(COUNT_LOSSES))
@settings(max_examples=25)
@given(COUNTED, st.integers(0, 3))
def test_tables(name: str, model: Brute, more: int) -> None:
    """Also where more is due than any derivation has."""
    forest = due(model, model.forest.gold_size + more)
    table, bounds = loss_named(name).table(forest), count_range_of(forest)
    assert table.shape == bounds.shape
    for row, n in enumerate(bounds.n[:, 0]):
        for column, d in enumerate(bounds.d[0]):
            if n <= d:
                plain = COUNT_LOSSES[name](int(n), int(d), forest.gold_size)
                assert table[row, column] == pytest.approx(plain, abs=1e-15)


@pytest.mark.parametrize("name", sorted(COUNT_LOSSES))
def test_nothing_is_due(name: str) -> None:
    forest = with_counts(random_model(Random(3), family="chart").forest, 0, 1, 0)
    silent = with_counts(forest, 0, 0, 0)
    assert np.all(loss_named(name).table(silent) == 0)
    d = count_range_of(forest).d_low
    assert loss_named(name).table(forest)[0, 0] == COUNT_LOSSES[name](0, d, 0)


@pytest.mark.parametrize("name", ["recall", "false-positives"])
@settings(max_examples=30)
@given(COUNTED)
def test_affine_losses_decompose(name: str, model: Brute) -> None:
    forest = due(model, model.forest.gold_size + 1)
    assert_decomposes(loss_named(name), name, forest)


@EVERY
@given(COUNTED, st.sampled_from(sorted(COUNT_LOSSES)))
def test_losses_decompose_exactly_where_they_are_planes(model: Brute, name: str) -> None:
    table = loss_named(name).table(model.forest)
    if is_a_plane(table, model.forest):
        assert_decomposes(loss_named(name), name, model.forest)
    else:
        assert loss_named(name).decompose(model.forest) is None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", ["f1", "precision", "f0.5"])
def test_ratios_decompose_where_d_is_constant(name: str, seed: int) -> None:
    """One item a word: F1 is linear in n then, as for dependency trees."""
    random = Random(seed)
    forest, emission = random_tagging(random)
    right = [random.randint(0, 1) for _ in range(forest.parts)]
    assert_decomposes(loss_named(name), name, with_counts(forest, right * emission, emission, 9))


def test_f1_does_not_decompose_where_d_varies() -> None:
    model = random_model(Random(8), family="chart", counts=True)
    assert min(count_range_of(model.forest).shape) > 2
    assert loss_named("f1").decompose(model.forest) is None
    assert loss_named("zero-one").decompose(model.forest) is None


# Part losses


@pytest.mark.parametrize("name", sorted(PART_LOSSES))
@settings(max_examples=30)
@given(COUNTED)
def test_part_losses(name: str, model: Brute) -> None:
    """Gold dependencies that are realised late (c < n) are not held against the action."""
    loss = loss_named(name)
    constant, each = loss.decompose(model.forest)
    rows = model.forest.counts.T.tolist()
    assert constant == 0
    assert each.tolist() == [PART_LOSSES[name](*row) for row in rows]
    assert np.all(each >= 0)
    assert loss.table(model.forest) is None
    assert_decomposes(loss, name, model.forest)


def test_part_losses_by_hand() -> None:
    """n, d, c of three parts: one right, one wrong that misses two, one right before it is due."""
    forest = random_model(Random(0), family="dag").forest
    counts = np.zeros((3, forest.parts), dtype=np.int16)
    counts[:, :3] = np.array([[1, 1, 1], [0, 1, 2], [2, 3, 0]]).T
    marked = forest.with_counts(counts)
    for name, expected in {
        "hamming": [0, 1, 1],
        "dec-precision": [0, 1, 1],
        "dec-recall": [0, 2, 0],
        "dec-f1": [0, 3, 1],
    }.items():
        assert loss_named(name).decompose(marked)[1][:3].tolist() == expected


def test_small_counts_do_not_overflow() -> None:
    forest = random_model(Random(0), family="chain").forest
    large = np.full((3, forest.parts), 32767, dtype=np.int16)
    large[0] = 0
    _, each = loss_named("dec-f1").decompose(forest.with_counts(large))
    assert np.all(each == 2 * 32767)


# Metrics


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "f2", "f0.5", "f3"])
@settings(max_examples=25)
@given(COUNTED)
def test_losses_are_one_minus_the_metrics(name: str, model: Brute) -> None:
    bounds = count_range_of(model.forest)
    scores = metric_named(name).formula(bounds.n, bounds.d, model.forest.gold_size)
    assert np.array_equal(loss_named(name).table(model.forest), 1 - scores)


@settings(max_examples=25)
@given(COUNTED)
def test_zero_one_is_one_minus_exact_match(model: Brute) -> None:
    size = model.forest.gold_size
    rows = [(n, d, size) for n, d in model.law() if n <= min(d, size)]
    exact = sentence_scores(Counts.of_rows(rows), "exact")
    losses = [float(loss_named("zero-one").of_counts(*row)) for row in rows]
    assert losses == (1 - exact).tolist()


# Names and custom losses


@pytest.mark.parametrize(("name", "beta"), [("f0", 0.0), ("f1.0", 1.0), ("f2", 2.0), ("f10", 10.0)])
def test_beta_is_in_the_name(name: str, beta: float) -> None:
    n, d, y = np.array([[3]]), np.array([[5]]), 7
    expected = 1 - (1 + beta**2) * 3 / (5 + beta**2 * 7)
    assert loss_named(name).of_counts(n, d, y)[0, 0] == pytest.approx(expected)
    assert loss_named(name).name == name


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "f2", "zero-one"])
@settings(max_examples=10)
@given(COUNTED)
def test_sized_losses_weigh_what_is_due(name: str, model: Brute) -> None:
    sized, plain = loss_named(f"sized-{name}"), loss_named(name)
    assert sized.name == f"sized-{name}"
    expected = model.forest.gold_size * plain.table(model.forest)
    assert np.array_equal(sized.table(model.forest), expected)


@settings(max_examples=10)
@given(COUNTED)
def test_sized_recall_counts_what_is_missing(model: Brute) -> None:
    forest = due(model, model.forest.gold_size + 1)
    found = loss_named("sized-recall").decompose(forest)
    assert found is not None
    constant, each = found
    for edges in model.derivations:
        total = constant + math.fsum(each[part] for part in model.parts_of(edges))
        assert total == pytest.approx(forest.gold_size - model.totals(edges)[0], abs=1e-9)


@pytest.mark.parametrize("name", ["sized-dec-f1", "sized-sized-f1", "sized-hamming"])
def test_what_cannot_be_sized(name: str) -> None:
    with pytest.raises(ConfigError, match="only losses that are functions of the counts"):
        loss_named(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "f",
        "F1",
        "sized-",
        "sized-f",
        "f-1",
        "f1.",
        "f.5",
        "f1e3",
        "loss",
        "dec-f2",
        "f1 ",
        "f" + "9" * 400,
    ],
)
def test_unknown_names(name: str) -> None:
    with pytest.raises(ConfigError, match="unknown loss"):
        loss_named(name)


def test_custom_losses() -> None:
    model = random_model(Random(8), family="chart", counts=True)
    bounds = count_range_of(model.forest)
    loss = count_loss(lambda n, d, y: (n - d) ** 2 / (1.0 + y), name="square")
    assert loss.name == "square"
    assert count_loss(lambda n, _d, _y: n).name == "custom"
    expected = (bounds.n - bounds.d) ** 2 / (1 + model.forest.gold_size)
    assert_close(loss.table(model.forest), expected, 1e-15)
    assert loss.decompose(model.forest) is None
    plane = count_loss(lambda n, d, _y: 3.0 - 0.5 * n + 0.25 * d)
    constant, each = plane.decompose(model.forest)
    counts = model.forest.counts
    assert constant == pytest.approx(3)
    assert_close(each, 0.25 * counts[1] - 0.5 * counts[0], 1e-12)
    fixed = count_loss(lambda _n, _d, _y: np.array(2.0))
    assert fixed.table(model.forest).tolist() == np.full(bounds.shape, 2.0).tolist()


def test_custom_losses_must_be_finite_where_derivations_may_land() -> None:
    model = random_model(Random(8), family="chart", counts=True)
    with pytest.raises(ForestError, match="not finite"):
        count_loss(lambda n, d, _y: n / (d - d)).table(model.forest)
    impossible = count_loss(lambda n, d, _y: np.where(n > d, math.nan, 1.0 * d))
    assert np.all(np.isfinite(impossible.table(model.forest)))


@pytest.mark.parametrize("name", LOSSES)
def test_what_is_missing_is_named(name: str) -> None:
    model = random_model(Random(8), family="chart", counts=True)
    unsized = model.forest.with_counts(model.forest.counts)
    if name in COUNT_LOSSES:
        with pytest.raises(ForestError, match=f"{name} needs the forest's gold_size"):
            loss_named(name).decompose(unsized)
    bare = Forest(
        unsized.first_edge, unsized.left, unsized.right, unsized.part, unsized.parts, None, 3
    )
    with pytest.raises(ForestError, match="no counts"):
        loss_named(name).decompose(bare)


def test_objectives_take_names() -> None:
    assert SoftmaxMargin("f1").loss is loss_named("f1")
    assert Risk("precision").loss is loss_named("precision")
    assert Hinge("hamming").loss is loss_named("hamming")
    assert CorpusSoftmaxMargin("f2").loss.name == "f2"
    with pytest.raises(ConfigError, match="unknown loss 'f-1'"):
        SoftmaxMargin("f-1")
    with pytest.raises(ConfigError, match="neither a loss nor the name of a loss: 3"):
        SoftmaxMargin(3)  # type: ignore[arg-type]
