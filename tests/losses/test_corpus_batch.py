"""Corpus-level objectives on minibatches: gradients, limits, and training with them."""

import numpy as np
import pytest

from tests.examples import full_example
from treewright.errors import ForestError
from treewright.experiments.core.toy import ToyParser, sample
from treewright.forests import Example
from treewright.losses import BatchObjective, loss_named, objective_named
from treewright.losses.corpus import CorpusBatchObjective
from treewright.losses.settings import ObjectiveSettings
from treewright.train.minibatch import Minibatches
from treewright.train.settings import OptimiserSettings


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    parser = ToyParser()
    return [parser.example(sentence) for sentence in sample(12, 1)]


@pytest.fixture(scope="module")
def corpus(examples: list[Example]) -> CorpusBatchObjective:
    return CorpusBatchObjective(loss_named("f1"), 1.0, examples, 1 << 16, 1e-9)


def test_the_gradient_is_that_of_the_value(corpus: CorpusBatchObjective) -> None:
    random, chosen = np.random.default_rng(0), np.array([1, 5, 7, 2])
    weights = 0.3 * random.normal(size=corpus.features)
    found = corpus.value_and_gradient_on(chosen, weights)
    step = 1e-5
    for place in random.choice(len(found.features), 12, replace=False):
        ends = []
        for sign in (1, -1):
            moved = weights.copy()
            moved[found.features[place]] += sign * step
            ends.append(corpus.value_and_gradient_on(chosen, moved).value)
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(found.gradient[place], abs=1e-5)


def test_one_sentence_is_its_own_corpus(
    corpus: CorpusBatchObjective, examples: list[Example]
) -> None:
    objective = objective_named("softmax-margin", "f1", 1.0, "split")
    single = BatchObjective(objective, examples, corpus.features, 1)
    weights = np.random.default_rng(0).normal(size=corpus.features)
    for i in range(3):
        a = corpus.value_and_gradient_on(np.array([i]), weights)
        b = single.value_and_gradient_on(np.array([i]), weights)
        assert a.value == pytest.approx(b.value, abs=1e-7)
        order, other = np.argsort(a.features), np.argsort(b.features)
        np.testing.assert_allclose(a.gradient[order], b.gradient[other], atol=1e-6)
        assert np.array_equal(a.uses[order], b.uses[other])
    assert np.array_equal(corpus.uses(), single.uses())


def test_it_trains(corpus: CorpusBatchObjective) -> None:
    optimiser = Minibatches(corpus, OptimiserSettings("adagrad", iterations=4, batch=4), seed=0)
    values = []
    while not optimiser.done:
        values.append(optimiser.advance().value)
    assert values[-1] < 0.7 * values[0]
    whole, gradient = corpus.value_and_gradient(optimiser.weights)
    assert whole < corpus.value_and_gradient(0 * optimiser.weights)[0]
    assert gradient.any()


@pytest.mark.parametrize(
    ("name", "loss", "message"),
    [
        ("risk", "f1", "risk does not support level = corpus"),
        ("softmax-margin", "dec-f1", "not a function of"),
        ("softmax-margin", "sized-f1", "sized losses do not support"),
        ("softmax-margin", "false-positives", "use level = sentence"),
    ],
)
def test_what_has_no_corpus_level(name: str, loss: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ObjectiveSettings(name, loss, level="corpus")  # type: ignore[arg-type]


def test_what_examples_must_have() -> None:
    example = full_example()
    bare = Example(example.forest, example.features, None, "full")
    with pytest.raises(ForestError, match="full: no gold"):
        CorpusBatchObjective(loss_named("f1"), 1.0, [bare], 9999)
    with pytest.raises(ForestError, match="full: too few features"):
        CorpusBatchObjective(loss_named("f1"), 1.0, [example], 3)
