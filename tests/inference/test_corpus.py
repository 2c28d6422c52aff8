"""Expectations of functions of a corpus's counts, against convolutions of the sentences' laws."""

import itertools
import math
from collections.abc import Sequence
from functools import partial
from random import Random

import numpy as np
import pytest

from tests.brute import Brute
from tests.checks import Floats, assert_close, central_differences, law_of_sum, with_counts
from tests.strategies import FAMILIES, forbidding, plain, random_gold, random_model
from treewright import _core
from treewright.arrays import Integers
from treewright.errors import ConfigError, ForestError
from treewright.forests import ForestBuilder
from treewright.inference import corpus, minibatch
from treewright.inference.corpus import CorpusMethod, corpus_expectation
from treewright.inference.count_range import CountRange, GridFunction
from treewright.losses import CorpusSoftmaxMargin, loss_named

METHODS: tuple[CorpusMethod, ...] = ("expsum", "fourier")


def sentences(how_many: int, seed: int, most: int = 60, family: str | None = None) -> list[Brute]:
    """Models with counts and something due, for F is steep where next to nothing is."""
    random = Random(seed)
    found: list[Brute] = []
    while len(found) < how_many:
        model = random_model(random, (plain, forbidding), family, counts=True, most=most)
        due = with_counts(model.forest, *model.forest.counts[:2], model.forest.gold_size + 5)
        found += [Brute(due, model.scores)] if model.weighted else []
    return found


def pairs(models: Sequence[Brute]) -> list[tuple[object, Floats]]:
    return [(model.forest, model.scores) for model in models]


def f1_weight(models: Sequence[Brute], tau: float) -> GridFunction:
    size = sum(model.forest.gold_size for model in models)
    return lambda n, d: np.exp(tau * (1 - 2 * n / (d + size)))


def f1_log_weight(size: int, tau: float, n: Integers, d: Integers) -> Floats:
    return tau * (1 - 2 * n / (d + size))


def masses_by_tuples(models: Sequence[Brute], g: GridFunction) -> tuple[float, list[Floats]]:
    """E[g(N, D)] and every sentence's E[g * uses], over all tuples of derivations."""
    value, masses = 0.0, [np.zeros(model.forest.parts) for model in models]
    for chosen in itertools.product(*(model.probable for model in models)):
        p = math.prod(p for p, _ in chosen)
        each = [model.totals(d) for model, (_, d) in zip(models, chosen, strict=True)]
        weight = p * float(g(sum(t[0] for t in each), sum(t[1] for t in each)))
        value += weight
        for mass, model, (_, d) in zip(masses, models, chosen, strict=True):
            np.add.at(mass, model.parts_of(d), weight)
    return value, masses


# Values


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("tau", [-1.0, 1.0, 3.0])
@pytest.mark.parametrize("how_many", [1, 2, 3, 4])
def test_values_are_those_of_the_product_law(
    how_many: int, tau: float, method: CorpusMethod
) -> None:
    for seed, family in enumerate([*sorted(FAMILIES), None]):
        models = sentences(how_many, seed, family=family)
        bounds, law = law_of_sum(models)
        g = f1_weight(models, tau)
        exact = float((law * g(bounds.n, bounds.d)).sum())
        for tolerance in (1e-2, 1e-4, 1e-6):
            found = corpus_expectation(pairs(models), g, method, tolerance)
            assert 0 <= found.error <= tolerance
            assert math.exp(found.log_value) == pytest.approx(exact, rel=tolerance)
            assert found.terms > 0


def test_auto_takes_frequencies_if_there_is_no_short_sum() -> None:
    models = sentences(3, 0)
    bounds, law = law_of_sum(models)

    def g(n: Integers, d: Integers) -> Floats:
        return 1.0 + 50.0 * ((3 * n + d * d) % 7 == 0)

    with pytest.raises(ForestError, match=r"expsum cannot reach .* or the method fourier"):
        corpus_expectation(pairs(models), g, "expsum", 1e-6)
    exact = float((law * g(bounds.n, bounds.d)).sum())
    found = corpus_expectation(pairs(models), g, "auto", 1e-6)
    assert math.exp(found.log_value) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("tau", [10.0, 30.0])
@pytest.mark.parametrize("how_many", [2, 3, 5, 8])
def test_steep_losses_of_minibatches(how_many: int, tau: float) -> None:
    """A tau of 10 and more for each sentence: the sum is fitted where the mass is."""
    for seed in range(4):
        models = sentences(how_many, seed)
        bounds, law = law_of_sum(models)
        g = f1_weight(models, tau * how_many)
        exact = math.log(float((law * g(bounds.n, bounds.d)).sum()))
        found = corpus_expectation(pairs(models), g, "expsum", 1e-4)
        assert 0 <= found.error <= 1e-4
        assert found.log_value == pytest.approx(exact, abs=1.001 * found.error + 1e-9)


def test_steep_masses_of_minibatches() -> None:
    for seed in range(3):
        models = sentences(2, seed, most=40)
        g = f1_weight(models, 20.0)
        value, masses = masses_by_tuples(models, g)
        found = corpus_expectation(pairs(models), g, "expsum", 1e-4)
        for mine, brute in zip(found.masses, masses, strict=True):
            # A derivation may use a part more than once here.
            assert np.abs(mine - brute / value).max() <= 4e-4


@pytest.mark.parametrize("least", [-10.0, -14.0])
def test_windows_of_the_count_range(least: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells beyond the window are judged in rectangles; the certificate holds all the same."""
    windows: list[tuple[float, float]] = []

    def noted(bounds: CountRange, law: object, least: float) -> CountRange:
        found = window(bounds, law, least)
        windows.append((math.prod(found.shape), math.prod(bounds.shape)))
        return found

    window = minibatch._window
    monkeypatch.setattr(minibatch, "_window", noted)
    monkeypatch.setattr(minibatch, "FEW_CELLS", 0)
    monkeypatch.setattr(minibatch, "EFFORTS", [(minibatch.EFFORTS[1][0], least)])
    certified = 0
    for seed in range(6):
        models = sentences(6, seed)
        size = sum(model.forest.gold_size for model in models)
        for tau in (3.0, 30.0):
            bounds, law = law_of_sum(models)
            log_g = partial(f1_log_weight, size, tau)
            found = minibatch.minibatch_sum(pairs(models), log_g, 1e-3, falling=True)
            if found is None:
                continue
            certified += 1
            log_z = sum(model.log_z for model in models)
            exact = log_z + math.log(float((law * np.exp(log_g(bounds.n, bounds.d))).sum()))
            assert found.error <= 1e-3
            assert found.log_sum == pytest.approx(exact, abs=1.001 * found.error + 1e-9)
    assert any(cells < 0.8 * whole for cells, whole in windows)
    assert certified > 0


def test_rectangles_count_in_the_certificate() -> None:
    """A rest that is large beyond the table must not go unnoticed."""
    table, rates = np.zeros((9, 9)), np.array([[0.0, 0.0], [0.5, 0.0], [-0.5, 0.0], [0.0, 0.5]])
    moments = [[a, b, 0.125 * (a * a + b * b) * 4] for a, b in [*rates.tolist(), [0.0, -0.5]]]
    fit = partial(_core.fit_terms, table, (-4, -4), False, (0.0, 0.0), [1.0, 0.0, 1.0], moments)
    outer = np.array([[5.0], [9.0]])

    def found(log_rest: float) -> object:
        return fit(0.5, outer, outer, np.array([[log_rest]]))

    assert found(-np.inf) is not None
    assert found(50.0) is None


def test_windows_give_what_whole_tables_give(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minibatch, "FEW_CELLS", 0)
    models = sentences(12, seed=9)
    size = sum(model.forest.gold_size for model in models)
    log_g = partial(f1_log_weight, size, 36.0)
    whole = minibatch.minibatch_sum(pairs(models), log_g, 1e-4, falling=False)
    part = minibatch.minibatch_sum(pairs(models), log_g, 1e-4, falling=True)
    assert whole is not None
    assert part is not None
    assert part.log_sum == pytest.approx(whole.log_sum, abs=2e-4)
    for mine, other in zip(part.masses, whole.masses, strict=True):
        assert np.abs(mine - other).max() <= 2e-3  # parts are used up to ten times here


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("how_many", [1, 2, 3])
def test_masses_are_those_of_all_tuples(how_many: int, method: CorpusMethod) -> None:
    for seed in range(6):
        models = sentences(how_many, seed, most=25)
        g = f1_weight(models, 1.0)
        value, masses = masses_by_tuples(models, g)
        found = corpus_expectation(pairs(models), g, method, 1e-6)
        assert math.exp(found.log_value) == pytest.approx(value, rel=1e-6)
        assert len(found.masses) == how_many
        for mass, expected in zip(found.masses, masses, strict=True):
            assert_close(mass * value, expected, 2e-5)  # a part is used up to ten times


@pytest.mark.parametrize("method", METHODS)
def test_precision_and_recall(method: CorpusMethod) -> None:
    models = sentences(3, seed=7)
    bounds, law = law_of_sum(models)
    size = sum(model.forest.gold_size for model in models)
    for g in (
        lambda n, d: np.exp(1 - n / (d + 10)),
        lambda n, d: np.exp(1 - n / size) + 0 * d,
        lambda n, d: 2.0 + 0 * n * d,
    ):
        found = corpus_expectation(pairs(models), g, method, 1e-5)
        assert math.exp(found.log_value) == pytest.approx(
            float((law * g(bounds.n, bounds.d)).sum()), rel=1e-5
        )


def test_fourier_bounds_functions_with_a_peak_inside() -> None:
    """The largest g need not be at a corner of the count range."""
    builder = ForestBuilder()
    node = builder.node([(0,), (1,)])
    for _ in range(39):
        node = builder.node([(0, node), (1, node)])
    forest = builder.build([[0, 1], [1, 1], [1, 1]], gold_size=40)
    scores = np.array([3.0, 0.0])
    p = 1 / (1 + math.exp(3.0))
    peak = math.comb(40, 15) * p**15 * (1 - p) ** 25

    def g(n: np.ndarray, d: np.ndarray) -> np.ndarray:
        return np.where(n == 15, 1e8, 1.0) + 0.0 * d

    found = corpus_expectation([(forest, scores)], g, "fourier", 1e-4)
    assert math.exp(found.log_value) == pytest.approx(1 - peak + 1e8 * peak, rel=1e-4)


# The objective


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loss", ["f1", "precision", "recall", "f2"])
def test_softmax_margin(loss: str, method: CorpusMethod) -> None:
    models = sentences(3, seed=11, most=40)
    golds = [random_gold(Random(seed), model.forest) for seed, model in enumerate(models)]
    sides = [Brute(gold, model.scores) for gold, model in zip(golds, models, strict=True)]
    assert all(side.weighted for side in sides)
    objective = CorpusSoftmaxMargin(loss_named(loss), 2.0, method, 1e-8)
    bounds, law = law_of_sum(models)
    size = sum(model.forest.gold_size for model in models)
    table = np.exp(2.0 * loss_named(loss).of_counts(bounds.n, bounds.d, size))
    expected = math.log((law * table).sum())
    expected += sum(m.log_z - side.log_z for m, side in zip(models, sides, strict=True))

    def at(scores: list[Floats]) -> tuple[float, list[Floats]]:
        return objective.value_and_gradient([m.forest for m in models], scores, golds)

    value, gradients = at([model.scores for model in models])
    assert value == pytest.approx(expected, abs=1e-8)
    for i, gradient in enumerate(gradients):

        def moved(x: Floats, i: int = i) -> float:
            return at([x if i == j else m.scores for j, m in enumerate(models)])[0]

        assert_close(gradient, central_differences(moved, models[i].scores, 1e-3), 1e-6)


def test_one_sentence_is_a_corpus() -> None:
    (model,) = sentences(1, seed=4)
    gold = random_gold(Random(4), model.forest)
    side = Brute(gold, model.scores)
    size = model.forest.gold_size
    value, _ = CorpusSoftmaxMargin(loss_named("f1")).value_and_gradient(
        [model.forest], [model.scores], [gold]
    )
    tilted = model.log_sum(lambda n, d, _c: 1 - 2 * n / (d + size))
    assert value == pytest.approx(tilted - side.log_z, abs=1e-4)


# A larger corpus


def test_two_hundred_sentences() -> None:
    models = sentences(25, seed=3) * 8
    bounds, law = law_of_sum(models)
    g = f1_weight(models, 1.0)
    exact = float((law * g(bounds.n, bounds.d)).sum())
    short = corpus_expectation(pairs(models), g, "expsum", 1e-5)
    grid = corpus_expectation(pairs(models), g, "fourier", 1e-3)
    assert math.exp(short.log_value) == pytest.approx(exact, rel=1e-5)
    assert math.exp(grid.log_value) == pytest.approx(exact, rel=1e-3)
    assert short.terms <= 32 < grid.terms < math.prod(bounds.shape) / 8
    for a, b in zip(short.masses, grid.masses, strict=True):
        assert_close(a, b, 5e-3)
    for a, b in zip(short.masses[:25], short.masses[25:50], strict=True):
        assert_close(a, b, 1e-9)  # the same sentence in another place


@pytest.mark.parametrize(("times", "tau"), [(1, 1.0), (1, 3.0), (4, 1.0), (8, 3.0)])
def test_a_large_tau_weighs_like_sentences(times: int, tau: float) -> None:
    """A tau of the corpus's size makes g range over many powers of ten; its cost stays."""
    models = sentences(20, seed=5) * times
    bounds, law = law_of_sum(models)
    g = f1_weight(models, tau * len(models))
    found = corpus_expectation(pairs(models), g, "expsum", 1e-4)
    exact = float(np.log((law * g(bounds.n, bounds.d)).sum()))
    assert found.log_value == pytest.approx(exact, abs=1e-4)
    assert found.terms <= 48


# What cannot be done


def test_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    models = sentences(2, seed=1)
    g = f1_weight(models, 1.0)
    with pytest.raises(ForestError, match="at least one sentence"):
        corpus_expectation([], g)
    monkeypatch.setattr(corpus, "MOST_VALUES", 3)
    with pytest.raises(ForestError, match="do not fit in memory"):
        corpus_expectation(pairs(models), g, "fourier")


def test_an_unknown_method_is_an_error() -> None:
    models = sentences(2, seed=1)
    with pytest.raises(ConfigError, match="split"):
        corpus_expectation(pairs(models), f1_weight(models, 1.0), "split")


def test_a_sentence_without_weight_is_an_error() -> None:
    models = sentences(2, seed=1)
    nothing = np.full(models[1].forest.parts, -math.inf)
    for method in METHODS:
        with pytest.raises(ForestError, match="no derivation has weight"):
            corpus_expectation(
                [(models[0].forest, models[0].scores), (models[1].forest, nothing)],
                f1_weight(models, 1.0),
                method,
            )


def test_expsum_names_the_alternative() -> None:
    models = sentences(3, seed=2)
    with pytest.raises(ForestError, match="or the method fourier"):
        corpus_expectation(pairs(models), lambda n, d: 1.5 + np.sin(9.0 * n * d), "expsum", 1e-9)


def test_losses_must_be_of_counts_and_know_what_is_due() -> None:
    with pytest.raises(ForestError, match="dec-f1"):
        CorpusSoftmaxMargin(loss_named("dec-f1"))
    (model,) = sentences(1, seed=1)
    bare = model.forest.with_counts(model.forest.counts)
    with pytest.raises(ForestError, match="gold_size"):
        CorpusSoftmaxMargin(loss_named("f1")).value_and_gradient([bare], [model.scores], [bare])
