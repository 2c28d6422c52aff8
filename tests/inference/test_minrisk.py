"""Minimum-risk decoding against sums over all derivations, or over the k best."""

import math
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.brute import Brute
from tests.checks import seeded, weighted
from tests.strategies import FAMILIES, forbidding, plain, random_model, wide
from treewright import _core
from treewright.errors import ForestError
from treewright.inference.exact import viterbi_by
from treewright.inference.minrisk import Events, max_expected_counts, max_expected_f1

EVERY = settings(max_examples=80)
WEIGHTED = weighted(plain, wide, forbidding, counts=False)
RANDOMS = seeded(lambda random: random)


def random_events(random: Random, parts: int) -> list[list[int]]:
    """None to three events a part, some of them shared, some of them twice."""
    return [[random.randint(0, 4) for _ in range(random.randint(0, 3))] for _ in range(parts)]


def table(events: list[list[int]]) -> Events:
    first = np.cumsum([0] + [len(each) for each in events]).astype(np.int32)
    return Events(first, np.array([e for each in events for e in each], dtype=np.int32))


def bag(model: Brute, events: list[list[int]], edges: tuple[int, ...]) -> Counter[int]:
    """The events of a derivation, each as often as it occurs."""
    return Counter(event for part in model.parts_of(edges) for event in events[part])


def gains(model: Brute, events: list[list[int]], penalty: float) -> dict[tuple[int, ...], float]:
    """Of each derivation, the expected number of its events, less the penalties."""
    posterior: Counter[int] = Counter()
    for p, d in model.probable:
        for event, times in bag(model, events, d).items():
            posterior[event] += p * times
    return {
        d: math.fsum(m * (posterior[e] - penalty) for e, m in bag(model, events, d).items())
        for _, d in model.weighted
    }


def expected_f1(bags: list[Counter[int]], p: list[float], candidate: Counter[int]) -> float:
    total = 0.0
    for weight, other in zip(p, bags, strict=True):
        below = candidate.total() + other.total()
        total += weight * (2 * (candidate & other).total() / below if below else 1.0)
    return total


# Expected counts


@EVERY
@given(WEIGHTED, RANDOMS, st.sampled_from([0.0, 0.5, 1.5]), st.booleans())
def test_max_expected_counts(model: Brute, random: Random, penalty: float, shared: bool) -> None:
    parts = model.forest.parts
    events = random_events(random, parts) if shared else [[part] for part in range(parts)]
    found = max_expected_counts(
        model.forest, model.scores, table(events) if shared else None, penalty
    )
    expected = gains(model, events, penalty)
    best = max(expected.values())
    assert found.score == pytest.approx(best, abs=1e-9)
    assert expected[tuple(found.edges)] == pytest.approx(best, abs=1e-9)


@EVERY
@given(WEIGHTED, RANDOMS, st.sampled_from([0.0, 0.5]))
def test_ties_go_to_the_best_derivation_of_the_model(
    model: Brute, random: Random, penalty: float
) -> None:
    """Two events, so that many derivations are worth the same."""
    choices: list[list[int]] = [[], [0], [0, 1], [1, 0]]
    events = [random.choice(choices) for _ in range(model.forest.parts)]
    found = max_expected_counts(model.forest, model.scores, table(events), penalty)
    expected = gains(model, events, penalty)
    equal = [d for d, gain in expected.items() if gain > max(expected.values()) - 1e-8]
    assert tuple(found.edges) in equal
    best = max(model.score(d) for d in equal)
    assert model.score(tuple(found.edges)) == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_equal_risk_gives_the_viterbi_derivation(family: str) -> None:
    """In sums that rounding would tell apart: a tenth for every edge, by one order or another."""
    for seed in range(10):
        model = random_model(Random(seed), family=family, most=300)
        size = np.full(model.forest.parts, 0.1)
        found = viterbi_by(model.forest, size, model.scores)
        most = max(len(d) for d in model.derivations)
        assert len(found.edges) == most
        best = max(model.score(d) for d in model.derivations if len(d) == most)
        assert model.score(tuple(found.edges)) == pytest.approx(best)


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_the_penalty_decides(family: str) -> None:
    """A high price for every part wants few parts, a bonus wants many."""
    for seed in range(10):
        model = random_model(Random(seed), family=family, most=300)
        sizes = [len(d) for d in model.derivations]
        assert len(max_expected_counts(model.forest, model.scores, penalty=1e6).edges) == min(sizes)
        assert len(max_expected_counts(model.forest, model.scores, penalty=-1e6).edges) == max(
            sizes
        )


def test_forbidden_parts_stay_forbidden() -> None:
    """However much the penalty would like them."""
    for seed in range(30):
        model = random_model(Random(seed), (forbidding,), most=300)
        if not model.weighted:
            with pytest.raises(ForestError, match="finite"):
                max_expected_counts(model.forest, model.scores)
            continue
        for penalty in (-100.0, 0.0, 100.0):
            found = max_expected_counts(model.forest, model.scores, penalty=penalty)
            assert tuple(found.edges) in [d for _, d in model.weighted]


# Expected F1


@EVERY
@given(WEIGHTED, RANDOMS, st.integers(1, 30), st.booleans())
def test_max_expected_f1(model: Brute, random: Random, k: int, shared: bool) -> None:
    parts = model.forest.parts
    events = random_events(random, parts) if shared else [[part] for part in range(parts)]
    found = max_expected_f1(model.forest, model.scores, k, table(events) if shared else None)
    listed = model.kbest(k)
    if k < len(model.weighted):  # a tie at the end of the list would make it another one
        assume(model.kbest(k + 1)[k][0] < listed[-1][0] - 1e-9)
    bags = [bag(model, events, d) for _, d in listed]
    weights = [math.exp(score - listed[0][0]) for score, _ in listed]
    p = [weight / math.fsum(weights) for weight in weights]
    scores = [expected_f1(bags, p, each) for each in bags]
    mine = expected_f1(bags, p, bag(model, events, tuple(found.edges)))
    assert tuple(found.edges) in [d for _, d in listed]
    assert found.score == pytest.approx(max(scores), abs=1e-9)
    assert mine == pytest.approx(max(scores), abs=1e-9)
    equal = [each for each, f in zip(listed, scores, strict=True) if f > max(scores) - 1e-8]
    assert model.score(tuple(found.edges)) == pytest.approx(max(score for score, _ in equal))


def test_f1_of_one_candidate_is_one() -> None:
    model = random_model(Random(3), family="chain")
    found = max_expected_f1(model.forest, model.scores, k=1)
    assert found.score == 1
    assert tuple(found.edges) == model.best()[1]


def test_events_that_nobody_counts() -> None:
    """Without any event all derivations are equal, and silence is right."""
    model = random_model(Random(3), family="chain")
    nothing = table([[] for _ in range(model.forest.parts)])
    assert max_expected_f1(model.forest, model.scores, 5, nothing).score == pytest.approx(1)
    assert max_expected_counts(model.forest, model.scores, nothing).score == 0


# What cannot be done


def test_errors() -> None:
    model = random_model(Random(3), family="chart")
    short = Events(np.zeros(2, dtype=np.int32), np.zeros(0, dtype=np.int32))
    for decode in (max_expected_counts, max_expected_f1):
        with pytest.raises(ForestError, match=f"1 parts, not {model.forest.parts}"):
            decode(model.forest, model.scores, events=short)
    nothing = np.full(model.forest.parts, -math.inf)
    with pytest.raises(ForestError, match="finite score"):
        max_expected_f1(model.forest, nothing)
    with pytest.raises(ForestError, match="finite score"):
        max_expected_counts(model.forest, nothing)


@pytest.mark.parametrize(
    ("first", "event"),
    [([0, 1], [0]), ([1, 1, 1], [0]), ([0, 2, 1], [0]), ([0, 1, 2], [0]), ([0, 0, 1], [-1])],
)
def test_malformed_events(first: list[int], event: list[int]) -> None:
    rows = np.array(first, dtype=np.int32), np.array(event, dtype=np.int32)
    with pytest.raises(ForestError, match="event"):
        _core.event_gains(*rows, np.zeros(2), 0.0)
