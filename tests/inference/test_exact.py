"""The contract of exact inference: all functions agree with enumeration of derivations.

It holds on chains, CKY charts and other forests, with scores of any kind.
"""

import math
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from tests.brute import Brute
from tests.strategies import (
    FAMILIES,
    SCORES,
    forbidding,
    models,
    plain,
    random_forest,
    random_model,
    random_scores,
    randoms,
    tenths,
    whole,
)
from treewright import _core
from treewright.errors import ForestError
from treewright.forests import ForestBuilder, chain
from treewright.inference import exact
from treewright.inference.exact import Semiring

EVERY = settings(max_examples=80)


def assert_close(found: ArrayLike, expected: ArrayLike, scale: float = 1.0) -> None:
    """Equal but for the rounding of sums of scores of this size; infinities are just equal."""
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13 * max(scale, 10))


def size(model: Brute) -> float:
    """A bound on the scores in it, and so on what rounding can do to their sums."""
    finite = model.scores[np.isfinite(model.scores)]
    return 30 * float(np.abs(finite).max(initial=1))


def log_of(value: exact.Scaled) -> ArrayLike:
    with np.errstate(divide="ignore"):
        return np.log(value.mantissa) + value.exponent * math.log(2)


# Inside and outside


@EVERY
@given(models(*SCORES))
def test_inside_sums_the_derivations_of_every_node(model: Brute) -> None:
    expected = model.inside()
    found = exact.inside(model.forest, model.scores)
    assert_close(found, expected, size(model))
    assert exact.log_z(model.forest, model.scores) == found[-1]
    scaled = exact.inside(model.forest, model.scores, Semiring.REAL)
    assert_close(log_of(scaled), expected, size(model))
    best = exact.inside(model.forest, model.scores, Semiring.MAX)
    assert_close(best, model.max_inside(), size(model))


@EVERY
@given(models(*SCORES))
def test_outside_sums_the_contexts_of_every_node(model: Brute) -> None:
    expected = model.outside()
    assert_close(exact.outside(model.forest, model.scores), expected, size(model))
    scaled = exact.outside(model.forest, model.scores, Semiring.REAL)
    assert_close(log_of(scaled), expected, size(model))
    best = exact.outside(model.forest, model.scores, Semiring.MAX)
    assert_close(best, model.max_outside(), size(model))


@EVERY
@given(models(*SCORES))
def test_scaled_reals_are_normal(model: Brute) -> None:
    for sweep in (exact.inside, exact.outside):
        mantissa, exponent = sweep(model.forest, model.scores, Semiring.REAL)
        assert np.all((mantissa == 0) | ((mantissa >= 1) & (mantissa < 2)))
        assert np.all(exponent[mantissa == 0] == 0)


@EVERY
@given(models(whole, forbidding))
def test_counts_are_numbers_of_derivations(model: Brute) -> None:
    found = exact.inside(model.forest, model.scores, Semiring.COUNT)
    assert found.tolist() == model.numbers()
    assert exact.count(model.forest) == model.number
    residues = _core.count_inside(model.forest.core, model.scores, 7)
    assert residues.tolist() == [number % 7 for number in model.numbers()]


def test_outside_does_not_support_counting() -> None:
    model = random_model(Random(0))
    with pytest.raises(ForestError, match="does not support COUNT"):
        exact.outside(model.forest, model.scores, Semiring.COUNT)


@EVERY
@given(models())
def test_reachable_is_what_derivations_use(model: Brute) -> None:
    nodes = [bool(contexts) for contexts in model.contexts_of]
    assert _core.reachable_nodes(model.forest.core).tolist() == nodes
    used = {part for d in model.derivations for part in model.parts_of(d)}
    assert model.forest.unreachable_parts().tolist() == sorted(
        set(range(model.forest.parts)) - used
    )


# The model


@EVERY
@given(models(*SCORES))
def test_marginals_are_expected_uses(model: Brute) -> None:
    found = exact.marginals(model.forest, model.scores)
    assert_close(found.log_z, model.log_z, size(model))
    assert_close(found.nodes, model.node_marginals(), size(model))
    assert_close(found.edges, model.edge_marginals(), size(model))
    assert_close(found.parts, model.part_marginals(), size(model))


@EVERY
@given(models(*SCORES))
def test_marginals_stay_in_range(model: Brute) -> None:
    """A node is used at least 0 times, and at most as often as one derivation uses it."""
    found = exact.marginals(model.forest, model.scores)
    uses = [Counter(model.forest.head[list(d)].tolist()) for d in model.derivations]
    most = [max(of_one[node] for of_one in uses) for node in range(model.forest.nodes)]
    assert np.all((found.nodes >= 0) & (found.nodes <= np.array(most) + 1e-13 * size(model)))
    assert min(found.edges.min(), found.parts.min()) >= 0
    assert_close(np.bincount(model.forest.part, found.edges, model.forest.parts), found.parts)
    assert_close(np.bincount(model.forest.head, found.edges, model.forest.nodes), found.nodes)


@EVERY
@given(models(plain, whole, forbidding).filter(lambda model: model.weighted))
def test_entropy(model: Brute) -> None:
    found = exact.entropy(model.forest, model.scores)
    assert_close(found, model.entropy())
    assert -1e-12 <= found <= math.log(model.number) + 1e-12


@EVERY
@given(models(plain, whole, forbidding).filter(lambda model: model.weighted), st.data())
def test_divergence(model: Brute, data: st.DataObject) -> None:
    random = data.draw(randoms())
    other = random_scores(random, model.forest.parts, (plain, whole, forbidding))
    found = exact.divergence(model.forest, model.scores, other)
    assert_close(found, model.divergence(other))
    assert found >= -1e-12
    assert_close(exact.divergence(model.forest, model.scores, model.scores), 0)


@EVERY
@given(models(*SCORES))
def test_a_part_of_all_derivations_changes_nothing_but_log_z(model: Brute) -> None:
    builder = ForestBuilder()
    f = model.forest
    for v in range(f.nodes):
        builder.node([(int(f.part[e]), *model.tails(e)) for e in model.edges_of(v)])
    builder.node([(f.parts, f.goal)])
    longer = builder.build(np.zeros((3, f.parts + 1), dtype=np.int16))
    found = exact.marginals(longer, np.append(model.scores, 7.5))
    assert_close(found.log_z, model.log_z + 7.5, size(model))
    assert_close(found.parts[:-1], model.part_marginals(), size(model))


# Best derivations


@EVERY
@given(models(*SCORES).filter(lambda model: model.weighted))
def test_viterbi_finds_the_best(model: Brute) -> None:
    found = exact.viterbi(model.forest, model.scores)
    assert tuple(found.edges) in model.derivations
    assert_close(found.score, model.score(found.edges), size(model))
    assert_close(found.score, model.best()[0], size(model))


@EVERY
@given(models(whole))
def test_viterbi_breaks_ties_by_the_first_edge(model: Brute) -> None:
    found = exact.viterbi(model.forest, model.scores)
    assert (found.score, tuple(found.edges)) == model.best()


@EVERY
@given(models(*SCORES), st.integers(0, 40))
def test_kbest_are_the_best(model: Brute, k: int) -> None:
    found = exact.kbest(model.forest, model.scores, k)
    derivations = [tuple(d.edges) for d in found]
    scores = [d.score for d in found]
    assert len(set(derivations)) == len(derivations) == min(k, len(model.weighted))
    assert set(derivations) <= set(model.derivations)
    assert scores == sorted(scores, reverse=True)
    assert_close(scores, [model.score(d) for d in derivations], size(model))
    assert_close(scores, [score for score, _ in model.kbest(k)], size(model))


def test_kbest_is_in_order_to_the_last_bit() -> None:
    """Sums that differ by rounding alone must not come in the wrong order."""
    for seed in range(300):
        random = Random(seed)
        forest = random_forest(random)
        found = exact.kbest(forest, random_scores(random, forest.parts, (tenths,)), 50)
        scores = [d.score for d in found]
        assert scores == sorted(scores, reverse=True), f"seed {seed}"


@EVERY
@given(models(plain, whole, forbidding))
def test_kbest_lists_them_all(model: Brute) -> None:
    """Asked for more than there are, it lists what there is, each once."""
    found = exact.kbest(model.forest, model.scores, model.number + 3)
    assert sorted(tuple(d.edges) for d in found) == sorted(d for _, d in model.weighted)


@EVERY
@given(models(*SCORES), st.integers(1, 8))
def test_kbest_lists_are_prefixes_of_longer_ones(model: Brute, k: int) -> None:
    short, long = (exact.kbest(model.forest, model.scores, how_many) for how_many in (k, k + 1))
    assert [(d.score, *d.edges) for d in short] == [(d.score, *d.edges) for d in long[:k]]


@EVERY
@given(models(*SCORES).filter(lambda model: model.weighted))
def test_kbest_begins_with_viterbi(model: Brute) -> None:
    best = exact.viterbi(model.forest, model.scores)
    (first,) = exact.kbest(model.forest, model.scores, 1)
    assert (first.score, *first.edges) == (best.score, *best.edges)


@EVERY
@given(models())
def test_part_counts_add_up_a_derivation(model: Brute) -> None:
    best = exact.viterbi(model.forest, model.scores)
    uses = Counter(model.parts_of(best.edges))
    found = exact.part_counts(model.forest, best.edges)
    assert found.tolist() == [uses[part] for part in range(model.forest.parts)]


# Samples


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_samples_follow_the_model(family: str, seed: int) -> None:
    """Pearson's statistic over derivations stays within five deviations of its mean."""
    how_many = 4000
    random = Random(seed)
    candidates = (random_model(random, (plain, forbidding), family, most=400) for _ in range(99))
    model = next(model for model in candidates if len(model.weighted) > 5)
    drawn = Counter(map(tuple, exact.sample(model.forest, model.scores, how_many, seed)))
    assert set(drawn) <= {d for _, d in model.weighted}
    expected = np.array([how_many * p for p, _ in model.probable])
    seen = np.array([drawn[d] for _, d in model.probable])
    common = expected >= 5
    cells = [*zip(expected[common], seen[common], strict=True)]
    cells += [(expected[~common].sum(), seen[~common].sum())]
    statistic = sum((e - s) ** 2 / e for e, s in cells if e > 0)
    freedom = max(1, len(cells) - 1)
    assert statistic < freedom + 5 * math.sqrt(2 * freedom)


@EVERY
@given(models(plain, forbidding).filter(lambda m: m.weighted), st.integers(0, 2**64 - 1))
def test_samples_repeat_by_seed(model: Brute, seed: int) -> None:
    first, again = (exact.sample(model.forest, model.scores, 9, seed) for _ in range(2))
    fewer = exact.sample(model.forest, model.scores, 4, seed)
    assert [list(d) for d in first] == [list(d) for d in again]
    assert [list(d) for d in first[:4]] == [list(d) for d in fewer]
    assert {tuple(d) for d in first} <= {d for _, d in model.weighted}


def test_samples_are_the_same_everywhere() -> None:
    """The generator is SplitMix64; a choice between 16 equals shows the top 4 bits of its numbers.

    Numbers of seed 1234567 as in the test vectors of Rosetta Code's "Pseudo-random
    numbers/Splitmix64".
    """
    numbers = [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]
    builder = ForestBuilder()
    builder.node([(part,) for part in range(16)])
    drawn = exact.sample(builder.build(), np.zeros(16), 5, seed=1234567)
    assert [int(d[0]) for d in drawn] == [number >> 60 for number in numbers]


def test_different_seeds_give_different_samples() -> None:
    forest = chain([range(3)] * 10, order=0).forest
    drawn = [exact.sample(forest, np.zeros(30), 3, seed) for seed in range(20)]
    assert len({tuple(map(tuple, derivations)) for derivations in drawn}) == 20
