"""Exact inference at its limits: forbidden forests, refused scores, extremes, depth, threads."""

import itertools
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.brute import Brute
from tests.strategies import FAMILIES, forests, models, plain, random_model, random_scores
from treewright.errors import ForestError
from treewright.forests import Forest, ForestBuilder, chain
from treewright.inference import exact
from treewright.inference.exact import Semiring

Scores = NDArray[np.float64]
zeros = cache(np.zeros)
QUESTIONS: dict[str, Callable[[Forest, Scores], object]] = {
    **{f"{s.value}_inside": lambda f, x, s=s: exact.inside(f, x, s) for s in Semiring},
    **{
        f"{s}_outside": lambda f, x, s=s: exact.outside(f, x, Semiring(s))
        for s in ("log", "max", "real")
    },
    "log_z": exact.log_z,
    "marginals": exact.marginals,
    "viterbi": exact.viterbi,
    "kbest": lambda f, x: exact.kbest(f, x, 3),
    "sample": lambda f, x: exact.sample(f, x, 3),
    "entropy": exact.entropy,
    "divergence": lambda f, x: exact.divergence(f, x, zeros(f.parts)),
    "divergence_from": lambda f, x: exact.divergence(f, zeros(f.parts), x),
}
MINUS_INFINITY = -math.inf


def flat(answer: object) -> list[float]:
    """All numbers of an answer, in a row."""
    if isinstance(answer, exact.Marginals | exact.Derivation):
        return flat(list(vars(answer).values()))
    if isinstance(answer, list | tuple | np.ndarray):
        return [number for item in answer for number in flat(item)]
    return [answer]


# Forbidden parts


@given(models(plain), st.data())
def test_a_forbidden_part_never_appears(model: Brute, data: st.DataObject) -> None:
    forest, scores = model.forest, model.scores.copy()
    part = data.draw(st.sampled_from(sorted(set(forest.part.tolist()))))
    scores[part] = MINUS_INFINITY
    found = exact.marginals(forest, scores)
    assert found.parts[part] == 0
    assert np.all(found.edges[forest.part == part] == 0)
    derivations = [d.edges for d in exact.kbest(forest, scores, 50)]
    if found.log_z > MINUS_INFINITY:
        derivations += exact.sample(forest, scores, 20)
        derivations.append(exact.viterbi(forest, scores).edges)
    assert not any(part in forest.part[edges] for edges in derivations)


@given(forests())
def test_a_forbidden_forest_has_no_derivations(forest: Forest) -> None:
    scores = np.full(forest.parts, MINUS_INFINITY)
    assert exact.log_z(forest, scores) == MINUS_INFINITY
    for semiring in (Semiring.LOG, Semiring.MAX):
        assert np.all(exact.inside(forest, scores, semiring) == MINUS_INFINITY)
        outside = exact.outside(forest, scores, semiring)
        assert outside[-1] == 0
        assert np.all(outside[:-1] == MINUS_INFINITY)
    assert np.all(exact.inside(forest, scores, Semiring.REAL).mantissa == 0)
    assert exact.inside(forest, scores, Semiring.COUNT).tolist() == [0] * forest.nodes
    found = exact.marginals(forest, scores)
    assert found.log_z == MINUS_INFINITY
    assert not any(flat([found.nodes, found.edges, found.parts]))
    assert (len(found.nodes), len(found.edges), len(found.parts)) == (
        (forest.nodes, forest.edges, forest.parts)
    )
    assert exact.kbest(forest, scores, 3) == []


@pytest.mark.parametrize("question", ["viterbi", "sample", "entropy", "divergence"])
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_forbidden_forest_is_an_error_where_a_derivation_is_needed(
    family: str, question: str
) -> None:
    forest = FAMILIES[family](Random(1))
    with pytest.raises((ForestError, ValueError), match="no derivation has"):
        QUESTIONS[question](forest, np.full(forest.parts, MINUS_INFINITY))


def test_divergence_from_a_model_without_derivations_is_infinite() -> None:
    forest = FAMILIES["chain"](Random(1))
    nothing = np.full(forest.parts, MINUS_INFINITY)
    assert exact.divergence(forest, np.zeros(forest.parts), nothing) == math.inf


# Refused arguments


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.0, math.nan, 0.0], "part 1 has the score NaN"),
        ([0.0, 0.0, math.inf], "part 2 has .*infinity"),
        ([0.0, 0.0], "2 for 3 parts"),
        ([0.0, 0.0, 0.0, 0.0], "4 for 3 parts"),
    ],
)
def test_refused_scores(question: str, scores: list[float], message: str) -> None:
    builder = ForestBuilder()
    leaf = builder.node([(0,), (1,)])
    builder.node([(2, leaf, leaf)])
    with pytest.raises((ForestError, ValueError), match=message):
        QUESTIONS[question](builder.build(), np.array(scores))


@pytest.mark.parametrize("question", [q for q in QUESTIONS if not q.startswith("real")])
@pytest.mark.parametrize("score", [1e308, -1e308, 2e290])
def test_scores_whose_sums_overflow_are_refused(question: str, score: float) -> None:
    forest = chain([[0, 1], [2, 3], [4, 5]], order=0).forest
    with pytest.raises((ForestError, ValueError), match="part 0 has a score beyond 1e290"):
        QUESTIONS[question](forest, np.full(forest.parts, score))


@pytest.mark.parametrize("score", [1e290, 1e17, 5e-324, -5e-324, -1e290])
def test_extreme_scores_have_finite_answers(score: float) -> None:
    forest = chain([[0, 1], [2, 3], [4, 5]], order=0).forest
    scores = np.tile([score, 0.0], 3)
    best = max(score, 0.0)
    assert exact.viterbi(forest, scores).score == 3 * best
    assert exact.log_z(forest, scores) == pytest.approx(3 * np.logaddexp(score, 0.0))
    found = exact.marginals(forest, scores)
    assert np.isfinite(flat(found)).all()
    assert found.parts.reshape(3, 2).sum(axis=1) == pytest.approx(1.0)
    assert np.isfinite(exact.entropy(forest, scores))


@pytest.mark.parametrize("question", QUESTIONS)
def test_scores_with_gaps_between_them_are_read_in_order(question: str) -> None:
    model = random_model(Random(3), family="chart")
    every_other = np.repeat(model.scores, 2)[::2]
    assert not every_other.flags.c_contiguous
    answer = flat(QUESTIONS[question](model.forest, model.scores))
    assert flat(QUESTIONS[question](model.forest, every_other)) == answer


def test_negative_numbers_of_derivations_are_refused() -> None:
    forest, scores = chain([[0, 1]], order=0).forest, np.zeros(2)
    with pytest.raises(ForestError, match="-1"):
        exact.kbest(forest, scores, -1)
    with pytest.raises(ForestError, match="-2"):
        exact.sample(forest, scores, -2)
    with pytest.raises(ForestError, match="-3"):
        exact.sample(forest, scores, 1, seed=-3)
    assert exact.kbest(forest, scores, 0) == exact.sample(forest, scores, 0) == []


# Extreme scores


def test_scores_far_apart_keep_their_differences() -> None:
    """Two choices, worth 0 and -x each, at every one of ten positions."""
    forest = chain([[0, 1]] * 10, order=0).forest
    for x in (1e-9, 1.0, 700.0, 720.0, 1e4):
        scores = np.tile([1e4, 1e4 - x], 10)
        assert exact.log_z(forest, scores) == pytest.approx(1e5 + 10 * np.log1p(np.exp(-x)), 1e-15)
        share = 1 / (1 + math.exp(x)) if x < 709 else 0.0
        found = exact.marginals(forest, scores).parts
        assert found == pytest.approx(np.tile([1 - share, share], 10), rel=1e-9, abs=1e-300)
        of_one = math.log1p(math.exp(-x)) + x * share
        assert exact.entropy(forest, scores) == pytest.approx(10 * of_one, rel=1e-6, abs=1e-300)


def test_exponentials_are_right_to_the_last_bits() -> None:
    """The edges of one node, compared with the best: exp of the difference, within 4 ulp."""
    scores = np.append(0.0, np.random.default_rng(0).uniform(-690, 0, 4000))
    builder = ForestBuilder()
    builder.node([(part,) for part in range(len(scores))])
    found = exact.marginals(builder.build(), scores).edges
    np.testing.assert_allclose(found / found[0], np.exp(scores), rtol=4 * 2.0**-52)


@pytest.mark.parametrize("x", [1.0, 700.0, 720.0, 1e4])
def test_divergence_is_finite_while_no_part_is_forbidden(x: float) -> None:
    forest = chain([[0, 1]] * 3, order=0).forest
    near, far = np.zeros(6), np.tile([0.0, -x], 3)
    of_one = math.log1p(math.exp(-x)) + x / 2 - math.log(2)
    assert exact.divergence(forest, near, far) == pytest.approx(3 * of_one)


# Deep forests

LENGTH = 20_000


@pytest.fixture(scope="module")
def deep() -> tuple[Forest, Scores]:
    """A first-order chain of two tags, with random scores."""
    forest = chain([[0, 1]] * LENGTH, order=1).forest
    return forest, np.random.default_rng(0).normal(size=forest.parts)


def forward(scores: Scores, add: Callable[[float, float], float]) -> float:
    """The chain's value by a loop over positions; transitions come in order of first use."""
    emit, rest = scores[: 2 * LENGTH].reshape(-1, 2).tolist(), scores[2 * LENGTH :].tolist()
    begin, across, end = rest[:2], rest[2:6], rest[6:]
    a, b = begin[0] + emit[0][0], begin[1] + emit[0][1]
    for x, y in emit[1:]:
        a, b = (
            add(a + across[0], b + across[1]) + x,
            add(a + across[2], b + across[3]) + y,
        )
    return add(a + end[0], b + end[1])


def test_deep_sums_and_maxima(deep: tuple[Forest, Scores]) -> None:
    forest, scores = deep
    log_z, best = forward(scores, np.logaddexp), forward(scores, max)
    assert exact.log_z(forest, scores) == pytest.approx(log_z, rel=1e-12)
    assert log_of_last(exact.inside(forest, scores, Semiring.REAL)) == pytest.approx(
        log_z, rel=1e-12
    )
    found = exact.viterbi(forest, scores)
    assert found.score == pytest.approx(best, rel=1e-12)
    assert scores[forest.part[found.edges]].sum() == pytest.approx(best, rel=1e-9)
    assert len(found.edges) == 2 * LENGTH + 1
    marginals = exact.marginals(forest, scores)
    assert marginals.parts[: 2 * LENGTH].reshape(-1, 2).sum(axis=1) == pytest.approx(1, abs=1e-9)
    outside = exact.outside(forest, scores)
    uses = np.exp(exact.inside(forest, scores) + outside - log_z)
    assert marginals.nodes == pytest.approx(uses, abs=1e-8)


def log_of_last(scaled: exact.Scaled) -> float:
    return math.log(scaled.mantissa[-1]) + math.log(2) * int(scaled.exponent[-1])


def test_deep_kbest(deep: tuple[Forest, Scores]) -> None:
    forest, scores = deep
    found = exact.kbest(forest, scores, 6)
    assert len({tuple(d.edges) for d in found}) == 6
    assert [d.score for d in found] == sorted((d.score for d in found), reverse=True)
    assert found[0].edges.tolist() == exact.viterbi(forest, scores).edges.tolist()
    for derivation in found:
        assert scores[forest.part[derivation.edges]].sum() == pytest.approx(
            derivation.score, rel=1e-9
        )


def test_deep_kbest_of_independent_choices() -> None:
    """The best choices, then those that give up the least at one position or two."""
    forest = chain([[0, 1]] * LENGTH, order=0).forest
    scores = np.random.default_rng(1).normal(size=2 * LENGTH)
    low, high = np.sort(scores.reshape(-1, 2)).T
    gaps = np.sort(high - low)[:6]
    losses = sorted(sum(s) for k in range(7) for s in itertools.combinations(gaps, k))
    found = [d.score for d in exact.kbest(forest, scores, 7)]
    assert found == pytest.approx(high.sum() - np.array(losses[:7]), abs=1e-8)


def test_deep_samples(deep: tuple[Forest, Scores]) -> None:
    forest, scores = deep
    uses = [exact.part_counts(forest, edges) for edges in exact.sample(forest, scores, 30, seed=4)]
    expected = exact.marginals(forest, scores).parts[: 2 * LENGTH]
    error = np.mean(uses, axis=0)[: 2 * LENGTH] - expected
    deviation = np.sqrt(np.sum(expected * (1 - expected)) / 30)
    assert np.linalg.norm(error) == pytest.approx(deviation, rel=0.03)


def test_deep_entropy_and_divergence() -> None:
    forest = chain([[0, 1]] * LENGTH, order=0).forest
    scores = np.random.default_rng(2).normal(size=2 * LENGTH)
    p = np.exp(scores).reshape(-1, 2)
    p /= p.sum(axis=1, keepdims=True)
    entropy = -np.sum(p * np.log(p))
    assert exact.entropy(forest, scores) == pytest.approx(entropy, rel=1e-12)
    from_uniform = exact.divergence(forest, scores, np.zeros(2 * LENGTH))
    assert from_uniform == pytest.approx(LENGTH * math.log(2) - entropy, rel=1e-9)


# Threads


def test_two_threads_get_the_answers_of_one() -> None:
    """Different forests and scores at the same time, over and over."""
    work = [random_model(Random(seed), most=500) for seed in range(6)]
    big = chain([range(6)] * 200, order=1).forest
    work += [Brute(big, random_scores(Random(seed), big.parts)) for seed in (1, 2)]

    def answers(model: Brute) -> list[float]:
        return flat([ask(model.forest, model.scores) for ask in QUESTIONS.values()])

    alone = [answers(model) for model in work]
    with ThreadPoolExecutor(2) as pool:
        together = list(pool.map(answers, work * 4))
    assert together == alone * 4


@pytest.fixture
def unforced_switches() -> Iterator[None]:
    """Threads take turns only where one of them lets go of the interpreter."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(100)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("unforced_switches")
@pytest.mark.parametrize("question", [q for q in QUESTIONS if not q.startswith("count")])
def test_other_threads_run_during_a_sweep(question: str) -> None:
    forest = chain([range(40)] * 150, order=1).forest
    scores = random_scores(Random(0), forest.parts)
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(1e-4):
            ticks.append(time.perf_counter())

    other = threading.Thread(target=tick)
    other.start()
    for _ in range(1000):
        begin = time.perf_counter()
        QUESTIONS[question](forest, scores)
        end = time.perf_counter()
        if found := any(begin < t < end for t in ticks):
            break
        time.sleep(1e-3)
    done.set()
    other.join()
    assert found
