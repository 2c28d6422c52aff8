"""Exponential tilting: certificates against exact methods, on easy, steep and extreme cases."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from tests.checks import Floats, assert_close, central_differences, log_expectation, with_counts
from tests.strategies import FAMILIES, plain, random_model, wide
from treewright import _core
from treewright.errors import ForestError
from treewright.forests import Forest, ForestBuilder
from treewright.inference import counts, exact, plans
from treewright.losses import SoftmaxMargin, loss_named

TAUS = (1.0, 3.0, 10.0, 30.0)
LOSSES = ("f1", "precision", "f0.5", "f2", "sized-f1")
TOLERANCE = 1e-4


def binary_chart(words: int, draw: Callable[[bool], tuple[int, int]]) -> Forest:
    """All binary trees over the words; `draw` gives n and d of a part, a leaf or not."""
    builder = ForestBuilder()
    nodes: dict[tuple[int, int, int], int] = {}
    counts: list[tuple[int, int]] = []

    def part(is_leaf: bool = False) -> int:
        counts.append(draw(is_leaf))
        return len(counts) - 1

    for length in range(1, words + 1):
        for begin in range(words - length + 1):
            for symbol in range(2 if length < words else 1):
                edges = [
                    (part(), nodes[begin, split, a], nodes[split, begin + length, b])
                    for split in range(begin + 1, begin + length)
                    for a, b in ((symbol, 1 - symbol), (0, symbol))
                ]
                nodes[begin, begin + length, symbol] = builder.node(edges or [(part(True),)])
    n, d = zip(*counts, strict=True)
    return with_counts(builder.build(), n, d, gold_size=words)


def wide_chart(words: int, seed: int, within: bool = True) -> Forest:
    """Counts as a parser's."""
    rng = np.random.default_rng(seed)

    def draw(is_leaf: bool) -> tuple[int, int]:
        d = int(rng.choice([0, 1, 1, 2, 5], p=[0.1, 0.4, 0.3, 0.15, 0.05]))
        return int(rng.integers(0, (d if within else 4) + 1)), d

    return binary_chart(words, draw)


def long_tailed_chart(words: int, seed: int) -> Forest:
    """A part predicts six items once in twenty."""
    rng = np.random.default_rng(seed)

    def draw(is_leaf: bool) -> tuple[int, int]:
        d = 1 if is_leaf else int(rng.choice([0, 1, 1, 2, 6], p=[0.1, 0.5, 0.25, 0.1, 0.05]))
        return int(rng.integers(0, min(d, 1) + 1)), d

    return binary_chart(words, draw)


def tilted_plan(forest: Forest, loss: str, tau: float, tolerance: float = TOLERANCE) -> plans.Plan:
    return SoftmaxMargin(loss_named(loss), tau, "tilted", tolerance).plan(forest)


def compare(forest: Forest, scores: Floats, loss: str, tau: float) -> tuple[int, float, int] | None:
    """Checks a tilted sum against state-splitting; terms, the edges' share and columns, if any."""
    objective = SoftmaxMargin(loss_named(loss), tau)
    table = objective.loss.table(forest)
    assert table is not None
    log_g = tau * table
    plan = tilted_plan(forest, loss, tau)
    assert isinstance(plan.core, _core.TiltedPlan)
    found = _core.tilted_log_sum(forest.core, forest.count_table, scores, plan.core)
    if found is None:
        return None
    value, marginals, terms, error, share, columns = found
    program = _core.CompiledObjective("log-sum", plan=_core.SplitPlan(np.exp(log_g).ravel()))
    counts_of = forest.count_table
    log_z, expected, masses = _core.expectation(forest.core, counts_of, scores, program)
    assert error <= TOLERANCE
    assert abs(value - log_z - np.log(expected)) <= 1.001 * error + 1e-11
    # Parts of these charts are used once by a derivation that uses them.
    assert np.abs(marginals - masses / expected).max() <= error + 1e-11
    return terms, share, columns


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("tau", TAUS)
def test_certificate_holds(loss: str, tau: float) -> None:
    done = 0
    for seed in range(4):
        forest = wide_chart(9 + seed, seed)
        rng = np.random.default_rng(seed)
        for scale in (0.0, 0.5, 2.0, 8.0):
            scores = rng.normal(scale=scale, size=forest.parts)
            tau_of = tau / 10 if loss.startswith("sized") else tau
            done += compare(forest, scores, loss, tau_of) is not None
    # The steepest losses may be out of reach on short sentences, where exact methods are cheap.
    assert done >= (10 if tau <= 10 and loss in ("f1", "f2") else 3)


@pytest.mark.parametrize(("loss", "tau"), [("f1", 1.0), ("f1", 10.0), ("precision", 3.0)])
def test_large_flat_forest(loss: str, tau: float) -> None:
    """Charts of a size at which the law is looked at through samples: all edges stay."""
    forest = wide_chart(20, 5)
    assert forest.edges > 5000
    zero = np.zeros(forest.parts)
    plan = tilted_plan(forest, loss, tau)
    found = _core.tilted_log_sum(forest.core, forest.count_table, zero, plan.core)
    assert found is not None
    value, marginals, _, error, share, _ = found
    assert share == 1.0
    sliced = SoftmaxMargin(loss_named(loss), tau, "sliced").compile(forest)
    counts_of = forest.count_table
    log_z, expected, masses = _core.expectation(forest.core, counts_of, zero, sliced.core)
    assert abs(value - log_z - np.log(expected)) <= 1.001 * error + 1e-10
    assert np.abs(marginals - masses / expected).max() <= error + 1e-10
    # The same forest with a concentrated law: fewer edges are left. How few depends on the first
    # plane, which is flatter along d than g is, so that laws with long tails do not run away.
    steep = np.random.default_rng(0).normal(scale=6.0, size=forest.parts)
    found = _core.tilted_log_sum(forest.core, counts_of, steep, plan.core)
    assert found is not None
    assert found[4] < 0.6


@pytest.mark.parametrize(("loss", "tau"), [("f1", 30.0), ("precision", 10.0), ("precision", 30.0)])
def test_steep_start_of_large_flat_forest(loss: str, tau: float) -> None:
    """The first plane is replaced by a flatter one, and samples of the law there are weighted."""
    forest = wide_chart(20, 6)
    for seed, scale in enumerate((0.0, 0.2)):
        scores = np.random.default_rng(seed).normal(scale=scale, size=forest.parts)
        check_sliced(forest, scores, loss, tau)


def check_sliced(forest: Forest, scores: Floats, loss: str, tau: float) -> tuple[int, int]:
    """Checks a tilted sum against slices, which are exact; its terms and columns."""
    core = tilted_plan(forest, loss, tau).core
    found = _core.tilted_log_sum(forest.core, forest.count_table, scores, core)
    assert found is not None
    value, marginals, terms, error, _, columns = found
    assert error <= TOLERANCE
    sliced = SoftmaxMargin(loss_named(loss), tau, "sliced").compile(forest).core
    log_z, expected, masses = _core.expectation(forest.core, forest.count_table, scores, sliced)
    assert abs(value - log_z - np.log(expected)) <= 1.001 * error + 1e-10
    assert np.abs(marginals - masses / expected).max() <= error + 1e-10
    return terms, columns


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_long_tail_of_d(seed: int) -> None:
    """Some parts predict much: d is large in some derivations, and sums still suffice."""
    forest = long_tailed_chart(20, seed)
    terms, columns = check_sliced(forest, np.zeros(forest.parts), "precision", 30.0)
    assert columns == 0
    assert terms <= 56
    uneven = np.random.default_rng(seed).normal(scale=1.5, size=forest.parts)
    check_sliced(forest, uneven, "precision", 30.0)


@pytest.mark.parametrize("tau", [10.0, 30.0, 100.0])
def test_alike_scores(tau: float) -> None:
    """Scores that hardly differ: the first plane is the flatter one at once."""
    forest = long_tailed_chart(20, 0)
    scores = np.random.default_rng(0).normal(scale=0.02, size=forest.parts)
    check_sliced(forest, scores, "precision", tau)


@pytest.mark.parametrize("scale", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("tau", [30.0, 100.0])
def test_slices(tau: float, scale: float) -> None:
    """Where exponentials of d would be too many, d is kept apart: certified all the same."""
    apart = 0
    for seed in range(4):
        forest = wide_chart(11, seed)
        scores = np.random.default_rng(seed).normal(scale=scale, size=forest.parts)
        found = compare(forest, scores, "precision", tau)
        apart += found is not None and found[2] > 0
    assert apart >= 1


def test_slices_of_forbidden_parts() -> None:
    """Nodes without derivations, and windows of d that only some nodes reach."""
    done = 0
    for seed in range(6):
        forest = wide_chart(10, seed)
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=forest.parts)
        scores[rng.random(forest.parts) < 0.15] = -np.inf
        if np.isfinite(exact.log_z(forest, scores)):
            found = compare(forest, scores, "precision", 60.0)
            done += found is not None and found[2] > 0
    assert done >= 1


def test_counts_beyond_produced() -> None:
    """Parts with n > d: no cell of the count range is ruled out."""
    done = 0
    for seed in range(4):
        forest = wide_chart(10, seed, within=False)
        scores = np.random.default_rng(seed).normal(size=forest.parts)
        done += compare(forest, scores, "f1", 3.0) is not None
    assert done >= 3


def test_concentrated_models_leave_edges_out() -> None:
    forest = wide_chart(14, 1)
    scores = np.random.default_rng(1).normal(scale=6.0, size=forest.parts)
    found = compare(forest, scores, "f1", 10.0)
    assert found is not None
    assert found[1] < 0.5
    flat = compare(forest, np.zeros(forest.parts), "f1", 1.0)
    assert flat is not None
    assert flat[1] == 1.0


@pytest.mark.parametrize("size", [1.0, 50.0, 300.0, 5000.0])
def test_extreme_scores(size: float) -> None:
    forest = wide_chart(8, 3)
    for seed in range(3):
        scores = np.random.default_rng(seed).normal(scale=size, size=forest.parts)
        assert compare(forest, scores, "f1", 10.0) is not None
        scores[np.random.default_rng(seed).random(forest.parts) < 0.2] = -np.inf
        if np.isfinite(exact.log_z(forest, scores)):
            assert compare(forest, scores, "f1", 10.0) is not None


def far_apart(share: float) -> tuple[Forest, Floats]:
    """Two kinds of derivations: few dependencies, or very many with a small probability."""
    builder = ForestBuilder()
    word = builder.node([(0,), (1,)])
    builder.node([(2, word), (3, word), (4, word)])
    forest = with_counts(builder.build(), [0, 2, 0, 10, 3], [1, 3, 2, 90, 40], gold_size=12)
    return forest, np.array([0.0, 0.3, 0.0, np.log(share), np.log(share)])


@pytest.mark.parametrize("share", [0.5, 1e-3, 1e-5, 1e-9, 1e-40])
def test_two_places(share: float) -> None:
    forest, scores = far_apart(share)
    for loss in LOSSES:
        for tau in (*TAUS, -10.0):
            compare(forest, scores, loss, tau)  # certified, or left to the exact method


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_objective_agrees(family: str) -> None:
    """Whatever method serves in the end, and parts may be used more than once."""
    for seed in range(6):
        random = Random(seed)
        kinds = (plain, wide)[seed % 2 : seed % 2 + 1]
        model = random_model(random, kinds, family, counts=True, most=150)
        gold = model.forest.restrict(exact.sample(model.forest, model.scores, 1, seed)[0])
        for loss, tau in (("f1", 2.0), ("f1", 20.0), ("precision", 10.0), ("zero-one", 5.0)):
            made = [
                SoftmaxMargin(loss_named(loss), tau, method, 1e-6) for method in ("tilted", "split")
            ]
            values = [each.value_and_gradient(model.forest, model.scores, gold) for each in made]
            assert values[0][0] == pytest.approx(values[1][0], abs=1e-6)
            assert_close(values[0][1], values[1][1], 1e-5)


def test_gradient_is_the_values() -> None:
    forest = wide_chart(8, 5)
    scores = np.random.default_rng(5).normal(size=forest.parts)
    gold = forest.restrict(exact.viterbi(forest, scores).edges)
    objective = SoftmaxMargin(loss_named("f1"), 5.0, "tilted", 2e-7)
    _, gradient = objective.value_and_gradient(forest, scores, gold)
    chosen = np.flatnonzero(np.abs(gradient) > 1e-3)[:12]

    def value(some: Floats) -> float:
        moved = scores.copy()
        moved[chosen] = some
        return objective.value_and_gradient(forest, moved, gold)[0]

    assert_close(gradient[chosen], central_differences(value, scores[chosen], 1e-2), 1e-4)


def test_large_tau_does_not_overflow() -> None:
    forest = wide_chart(8, 6)
    scores = np.random.default_rng(6).normal(size=forest.parts)
    gold = forest.restrict(exact.viterbi(forest, scores).edges)
    value, gradient = SoftmaxMargin(loss_named("f1"), 800.0).value_and_gradient(
        forest, scores, gold
    )
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_expectations_by_tilting() -> None:
    forest = wide_chart(10, 7)
    scores = np.random.default_rng(7).normal(size=forest.parts)
    found = [
        log_expectation(forest, scores, lambda n, d: -8.0 * n / (d + 10), method, 1e-5)
        for method in ("tilted", "split")
    ]
    assert found[0].method == "tilted"
    assert found[0].value == pytest.approx(found[1].value, abs=1e-5)
    assert_close(found[0].gradient, found[1].gradient, 2e-5)


def test_tilting_is_refused() -> None:
    forest = wide_chart(5, 8)
    scores = np.zeros(forest.parts)
    with pytest.raises(ForestError, match="relative"):
        counts.expectation(forest, scores, lambda n, d: 1.0 + n + d, "tilted", 1e-4)
    with pytest.raises(ForestError, match="positive"):
        counts.expectation(forest, scores, lambda n, d: n - d - 1.0, "tilted", 1e-4, relative=True)
