"""Batches equal single calls, bit by bit for any number of threads; interrupts."""

import math
import signal
import subprocess
import sys
import time
from functools import cache
from random import Random

import numpy as np
import pytest

from tests.checks import Floats, assert_close
from tests.strategies import random_gold, random_model
from treewright.errors import ForestError
from treewright.forests import Example, FeatureMatrix, ForestBuilder
from treewright.losses import (
    BatchObjective,
    Likelihood,
    Objective,
    Perceptron,
    Risk,
    SoftmaxMargin,
    loss_named,
    objective_named,
)
from treewright.losses.settings import NAMES
from treewright.machine import available_threads

FEATURES = 40
THREADS = (1, 2, 3, 7)


def example(seed: int) -> Example:
    """A small forest, gold in it, and features with and without values, some of them shared."""
    random = Random(seed)
    forest = random_model(random, counts=True, most=100).forest
    sizes = [random.randint(0, 4) for _ in range(forest.parts)]
    feature = [random.randrange(FEATURES) for _ in range(sum(sizes))]
    value = [random.uniform(-1, 1) for _ in feature] if random.random() < 0.5 else None
    matrix = FeatureMatrix.from_csr(np.cumsum([0, *sizes]), feature, value)
    return Example(forest, matrix, random_gold(random, forest), f"sentence {seed}")


@cache
def examples() -> list[Example]:
    return [example(seed) for seed in range(30)]


def weights(seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=FEATURES)


def choice(seen: int, part: int) -> Example:
    """A forest of two edges; part 0 has feature `seen`, part 1 has none, and gold is a part."""
    builder = ForestBuilder()
    builder.node([(0,), (1,)])
    forest = builder.build([[0, 1], [1, 1], [1, 1]], gold_size=1)
    features = FeatureMatrix.from_csr([0, 1, 1], [seen])
    return Example(forest, features, forest.restrict([part]), "choice")


def one_by_one(objective: Objective, sentences: list[Example], at: Floats) -> tuple:
    """Every value, and the gradient over the features, from single calls."""
    values, gradient = [], np.zeros(len(at))
    for each in sentences:
        scores = each.features.scores(at)
        value, over_parts = objective.value_and_gradient(each.forest, scores, each.gold)
        values.append(value)
        each.features.backpropagate(over_parts, gradient)
    return np.array(values), gradient


# Sums


@pytest.mark.parametrize("loss", ["f1", "recall", "dec-f1"])
@pytest.mark.parametrize("name", NAMES)
def test_a_batch_is_the_sum_of_its_sentences(name: str, loss: str) -> None:
    objective = objective_named(name, loss)
    batch = BatchObjective(objective, examples(), FEATURES, threads=2)
    assert len(batch) == len(examples())
    for seed in range(3):
        values, gradient = one_by_one(objective, examples(), weights(seed))
        found, direction = batch.values_and_gradient(weights(seed))
        assert_close(found, values, 1e-13)
        assert_close(direction, gradient, 1e-13)
        total, again = batch.value_and_gradient(weights(seed))
        assert total == pytest.approx(values.sum(), rel=1e-13)
        assert np.array_equal(again, direction)


def test_values_keep_the_order_of_the_examples() -> None:
    order = Random(0).sample(range(30), 30)
    values, gradient = BatchObjective(Likelihood(), examples(), FEATURES).values_and_gradient(
        weights()
    )
    shuffled = BatchObjective(Likelihood(), [examples()[i] for i in order], FEATURES)
    found, direction = shuffled.values_and_gradient(weights())
    assert np.array_equal(found, values[order])
    assert_close(direction, gradient, 1e-12)
    assert len(set(values)) > 20


@pytest.mark.parametrize("name", NAMES)
def test_every_number_of_threads_gives_the_same_bits(name: str) -> None:
    """More sentences than a thread may run ahead of the slowest one."""
    many = (examples() * 10)[:290]
    objective = objective_named(name)
    found = [
        BatchObjective(objective, many, FEATURES, threads).values_and_gradient(weights())
        for threads in (*THREADS, *THREADS)
    ]
    for values, gradient in found:
        assert np.array_equal(values, found[0][0])
        assert np.array_equal(gradient, found[0][1])
    batch = BatchObjective(objective, many, FEATURES, 3)
    first, second = batch.value_and_gradient(weights()), batch.value_and_gradient(weights())
    assert first[0] == second[0]
    assert np.array_equal(first[1], second[1])


def test_threads_are_as_many_as_the_process_may_run() -> None:
    batch = BatchObjective(Likelihood(), examples(), FEATURES)
    assert batch.threads == available_threads()


def test_an_empty_batch() -> None:
    batch = BatchObjective(Likelihood(), [], FEATURES)
    value, gradient = batch.value_and_gradient(weights())
    assert len(batch) == value == 0
    assert np.array_equal(gradient, np.zeros(FEATURES))


def test_weights_of_any_layout() -> None:
    batch = BatchObjective(Likelihood(), examples(), FEATURES)
    wide = np.repeat(weights(), 2)[::2]
    assert not wide.flags.c_contiguous
    assert batch.value_and_gradient(wide)[0] == batch.value_and_gradient(weights())[0]
    assert batch.value_and_gradient(np.zeros(FEATURES, np.float32))[0] > 0


def test_a_batch_keeps_what_it_needs() -> None:
    """The examples may be gone."""
    batch = BatchObjective(objective_named("softmax-margin"), map(example, range(5)), FEATURES)
    kept = [example(seed) for seed in range(5)]
    values, _ = one_by_one(objective_named("softmax-margin"), kept, weights())
    assert_close(batch.values_and_gradient(weights())[0], values, 1e-13)


# Errors


@pytest.mark.parametrize("threads", THREADS)
def test_an_error_names_the_first_forest_that_has_it(threads: int) -> None:
    """A weight of -inf forbids part 0 of the last two, and there it is gold."""
    sentences = [choice(0, 0)] * 20 + [choice(1, 1)] + [choice(1, 0)] * 2
    at = np.array([0.0, -math.inf])
    for objective in (Likelihood(), Perceptron()):
        batch = BatchObjective(objective, sentences, 2, threads)
        with pytest.raises(ForestError, match=r"^forest 21: no gold derivation has weight$"):
            batch.value_and_gradient(at)
    fine = BatchObjective(Likelihood(), sentences[:-2], 2, threads)
    assert fine.value_and_gradient(at)[0] == pytest.approx(20 * math.log(2))


@pytest.mark.parametrize("length", [0, FEATURES - 1, FEATURES + 1])
def test_weights_of_the_wrong_length(length: int) -> None:
    batch = BatchObjective(Likelihood(), examples(), FEATURES)
    with pytest.raises(ForestError, match=f"{FEATURES} weights, not {length}"):
        batch.value_and_gradient(np.zeros(length))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("wrong", [math.nan, math.inf])
def test_scores_that_are_no_numbers(name: str, wrong: float) -> None:
    """A single call says which part it is; a batch must not hide it in its sums."""
    batch = BatchObjective(objective_named(name), [choice(0, 0), choice(1, 1)], 2)
    with pytest.raises(ForestError, match="forest 1"):
        batch.value_and_gradient(np.array([0.0, wrong]))


def test_features_beyond_the_weights() -> None:
    with pytest.raises(ForestError, match="feature 7 is outside the weights"):
        BatchObjective(Likelihood(), [choice(7, 0)], 7)


def test_examples_without_gold() -> None:
    bare = [Example(e.forest, e.features, None, e.name) for e in examples()]
    with pytest.raises(ForestError, match="sentence 0: no gold"):
        BatchObjective(Likelihood(), bare, FEATURES)
    unnamed = Example(bare[0].forest, bare[0].features)
    with pytest.raises(ForestError, match=r"^example 1: no gold"):
        BatchObjective(Likelihood(), [examples()[0], unnamed], FEATURES)
    risk = Risk(loss_named("f1"))
    with_gold = BatchObjective(risk, examples(), FEATURES).value_and_gradient(weights())
    without = BatchObjective(risk, bare, FEATURES).value_and_gradient(weights())
    assert with_gold[0] == without[0]


def test_a_loss_that_a_method_cannot_do_is_an_error() -> None:
    """Nothing falls back to another method."""
    objective = SoftmaxMargin(loss_named("zero-one"), 5.0, "expsum", 1e-12)
    with pytest.raises(ForestError, match="expsum cannot reach"):
        BatchObjective(objective, examples(), FEATURES)


# Interrupts

LONG = """
import numpy as np
from treewright.forests import Example, FeatureMatrix, Grammar, chart
from treewright.losses import BatchObjective, objective_named

words = {words}
forest = chart(Grammar.of(1, [(0, 0, 0)]), words, [(i, 0) for i in range(words)], 0).forest
n = np.arange(forest.parts) % 2
forest = forest.with_counts(np.array([n, n + 1, n], dtype=np.int16), words)
sentence = Example(forest, FeatureMatrix.identity(forest.parts), forest)
objective = objective_named("softmax-margin", "f1", method="split")
batch = BatchObjective(objective, [sentence] * {sentences}, forest.parts, threads={threads})
print("running", flush=True)
try:
    batch.value_and_gradient(np.zeros(forest.parts))
    print("finished")
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize(
    ("words", "sentences", "threads"), [(25, 50_000, 1), (25, 50_000, 3), (100, 1, 1)]
)
def test_ctrl_c(words: int, sentences: int, threads: int) -> None:
    """Many short sentences, or one long one; either would take a minute or more."""
    script = LONG.format(words=words, sentences=sentences, threads=threads)
    site = ["-S"] if sys.flags.no_site else []
    command = [sys.executable, *site, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "running\n"
            time.sleep(0.5)  # until it is in the core
            child.send_signal(signal.SIGINT)
            rest, _ = child.communicate(timeout=60)
        finally:
            child.kill()
    assert rest == "interrupted\n"
    assert child.returncode == 0


# Minibatches


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("name", ["likelihood", "softmax-margin"])
def test_a_minibatch_is_the_sum_of_its_sentences(name: str, threads: int) -> None:
    objective, chosen = objective_named(name), [3, 17, 3, 8]
    batch = BatchObjective(objective, examples(), FEATURES, threads)
    found = batch.value_and_gradient_on(np.array(chosen), weights())
    values, gradient = one_by_one(objective, [examples()[i] for i in chosen], weights())
    assert found.value == pytest.approx(values.sum(), rel=1e-13)
    assert len(set(found.features.tolist())) == len(found.features)
    dense = np.zeros(FEATURES)
    dense[found.features] = found.gradient
    assert_close(dense, gradient, 1e-12)
    has = [set(examples()[i].features.vocabulary.tolist()) for i in chosen]
    assert found.uses.tolist() == [sum(f in one for one in has) for f in found.features.tolist()]
    again = batch.value_and_gradient_on(np.array(chosen), weights())
    assert all(np.array_equal(a, b) for a, b in zip(found, again, strict=True))


def test_uses_count_the_sentences_with_a_feature() -> None:
    batch = BatchObjective(objective_named("likelihood"), examples(), FEATURES, 1)
    has = [set(each.features.vocabulary.tolist()) for each in examples()]
    assert batch.uses().tolist() == [sum(f in one for one in has) for f in range(FEATURES)]


@pytest.mark.parametrize("number", [-1, 30])
def test_a_minibatch_of_a_sentence_that_is_not_there(number: int) -> None:
    batch = BatchObjective(objective_named("likelihood"), examples(), FEATURES, 1)
    with pytest.raises(ForestError, match=f"no example {number}"):
        batch.value_and_gradient_on(np.array([0, number]), weights())


def test_a_minibatch_with_wrong_weights_leaves_the_batch_sound() -> None:
    batch = BatchObjective(objective_named("likelihood"), examples(), FEATURES, 2)
    before = batch.value_and_gradient_on(np.array([1, 2]), weights())
    for wrong in (np.full(FEATURES, np.nan), np.zeros(3)):
        with pytest.raises(ForestError):
            batch.value_and_gradient_on(np.array([1, 2]), wrong)
    after = batch.value_and_gradient_on(np.array([1, 2]), weights())
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert batch.value_and_gradient_on(np.array([], dtype=np.int64), weights()).value == 0
