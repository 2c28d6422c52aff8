"""Factors without a forest agree with their forests."""

import numpy as np
import pytest

from tests.scores.small_tagger import POS, WORDS, random_tagger
from treewright.arrays import Floats
from treewright.inference.factors import ForestFactor, Variables, chain_factor
from treewright.inference.lazy import LazyFactor


def both(seed: int) -> tuple[ForestFactor, LazyFactor]:
    """A tagger as a forest, and as a function."""
    tagger = random_tagger(1 + seed % 2, seed)
    kept = tagger.posteriors(WORDS[0], POS[0], 100)
    variables = Variables(kept.first)
    plain = chain_factor(variables, *tagger.chain(kept))
    lazy = LazyFactor(
        variables,
        lambda messages: tagger.marginals(kept, messages),
        lambda: chain_factor(variables, *tagger.chain(kept)),
    )
    return plain, lazy


def some_messages(factor: ForestFactor, seed: int, scale: float) -> Floats:
    random = np.random.default_rng(seed)
    messages: Floats = scale * random.normal(size=len(factor.scope))
    messages[random.integers(len(messages))] = -np.inf
    return messages


@pytest.mark.parametrize("scale", [1.0, 1000.0])  # the second leaves no double to some values
@pytest.mark.parametrize("seed", range(6))
def test_marginals_and_messages(seed: int, scale: float) -> None:
    plain, lazy = both(seed)
    messages = some_messages(plain, seed, scale)
    for wanted, found in (
        (plain.marginals(messages), lazy.marginals(messages)),
        (plain.message(messages), lazy.message(messages)),
    ):
        assert found[0] == pytest.approx(wanted[0])
        np.testing.assert_allclose(found[1], wanted[1], atol=1e-8)


@pytest.mark.parametrize("seed", range(4))
def test_best_derivations(seed: int) -> None:
    plain, lazy = both(seed)
    messages = some_messages(plain, seed, 1.0)
    for wanted, found in (
        (plain.best(messages), lazy.best(messages)),
        (plain.solve(messages), lazy.solve(messages)),
    ):
        assert found.score == wanted.score
        assert found.values.tolist() == wanted.values.tolist()
    assert lazy.work == plain.work
    lazy.forget()
    assert lazy.best(messages).score == plain.best(messages).score
    assert lazy.alive.tolist() == plain.alive.tolist()


def test_nothing_in_common() -> None:
    plain, lazy = both(0)
    messages = np.full(len(plain.scope), -np.inf)
    assert lazy.message(messages)[0] == plain.message(messages)[0] == -np.inf
