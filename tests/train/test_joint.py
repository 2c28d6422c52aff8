"""Joint training: gradients against differences, accuracy on a toy task, repeatability."""

from itertools import pairwise

import numpy as np
import pytest

from treewright.errors import ConfigError, ForestError
from treewright.forests import Chart, Example, FeatureMatrix, Grammar, chain, chart
from treewright.inference import bp, dual
from treewright.inference.factors import ForestFactor, Variables
from treewright.inference.intersect import chain_tables, intersect
from treewright.losses import SoftmaxMargin, loss_named
from treewright.train.joint import (
    JointExample,
    JointHinge,
    JointLikelihood,
    JointObjective,
    Layer,
    shifted,
)
from treewright.train.joint_margin import JointSoftmaxMargin, LossFactor
from treewright.train.minibatch import Minibatches
from treewright.train.settings import OptimiserSettings

# Four tags, any two of which make a phrase (symbol 4), as do phrases with anything.
TAGS, WORDS = 4, 8
RULES = [(4, a, b) for a in range(5) for b in range(5)]
GRAMMAR = Grammar.of(5, RULES)
TAGGER_FEATURES = WORDS * TAGS + (TAGS + 1) ** 2
PARSER_FEATURES = TAGS + len(RULES) * (1 + WORDS)
FEATURES = TAGGER_FEATURES + PARSER_FEATURES
TEACHER = np.random.default_rng(7).normal(scale=2.0, size=FEATURES)


def tagger_features(ngrams: np.ndarray, words: list[int], tags: list[list[int]]) -> FeatureMatrix:
    """(word, tag) of emissions, (tag, tag) of transitions."""
    emissions = [w * TAGS + t for w, row in zip(words, tags, strict=True) for t in row]
    old, new = ngrams.astype(np.int64).T
    numbers = np.concatenate((emissions, WORDS * TAGS + (old + 1) * (TAGS + 1) + new + 1))
    return FeatureMatrix.from_csr(np.arange(len(numbers) + 1), numbers)


def parser_features(built: Chart, words: list[int], entries: list[list[int]]) -> FeatureMatrix:
    """A lexical tag; a rule alone and with the first word of its span."""
    rows = []
    for part, (rule, begin, _, _) in enumerate(built.parts.tolist()):
        with_word = TAGS + len(RULES) + rule * WORDS + words[begin]
        rows.append([entries[part][1]] if rule < 0 else [TAGS + rule, with_word])
    first = np.cumsum([0] + [len(row) for row in rows])
    return FeatureMatrix.from_csr(first, [number for row in rows for number in row])


def joint_example(seed: int, weight: float = 1.0) -> JointExample:
    """A random sentence; gold is the teacher's joint optimum, found by intersection."""
    rng = np.random.default_rng(seed)
    words = rng.integers(WORDS, size=rng.integers(3, 7)).tolist()
    tags = [sorted({w % TAGS, (w + 1) % TAGS, (3 * w) % TAGS}) for w in words]
    lattice = chain(tags, 1)
    entries = [[i, t] for i, row in enumerate(tags) for t in row]
    built = chart(GRAMMAR, len(words), entries, goal=4)
    assert built is not None
    variables = Variables.of_sizes([len(row) for row in tags])
    values = np.arange(len(entries), dtype=np.int32)
    matrices = (
        tagger_features(lattice.ngrams, words, tags),
        shifted(parser_features(built, words, entries), TAGGER_FEATURES),
    )
    scores = [matrix.scores(TEACHER) for matrix in matrices]
    parser = ForestFactor(variables, built.forest, scores[1], values, values)
    best = intersect(variables, parser, chain_tables(lattice, tags, scores[0])).best()
    path = chain_path(lattice.forest.part, lattice.ngrams, best.values, entries)
    gold_parts = np.unique(built.forest.part[best.edges])
    counts = np.zeros((3, built.forest.parts), dtype=np.int16)
    counts[1, len(entries) :] = 1  # rules are what is counted
    counts[[[0], [2]], gold_parts] = counts[1, gold_parts]
    forest = built.forest.with_counts(counts, gold_size=len(words) - 1)
    tagger = Example(lattice.forest, matrices[0], lattice.forest.restrict(path))
    tree = Example(forest, matrices[1], forest.restrict(best.edges))
    layers = [Layer(tagger, values, values), Layer(tree, values, values, weight)]
    return JointExample(variables, layers, best.values)


def chain_path(
    part: np.ndarray, ngrams: np.ndarray, values: np.ndarray, entries: list[list[int]]
) -> np.ndarray:
    """A mask of the edges of a chain that only these values and their transitions use."""
    tags = [-1, *(entries[c][1] for c in values), -1]
    pairs = set(pairwise(tags))
    allowed = np.isin(np.arange(len(entries)), values).tolist()
    allowed += [(a, b) in pairs for a, b in ngrams.tolist()]
    return np.array(allowed)[part]


TRAIN = [joint_example(seed) for seed in range(40)]
HELD_OUT = [joint_example(seed) for seed in range(100, 140)]
OBJECTIVES = {
    "likelihood": lambda examples: JointLikelihood(examples, FEATURES, iterations=5),
    "dec-f1": lambda examples: JointSoftmaxMargin(examples, FEATURES, loss_named("dec-f1")),
    "f1": lambda examples: JointSoftmaxMargin(examples, FEATURES, loss_named("f1"), 3.0),
    "perceptron": lambda examples: JointHinge(examples, FEATURES),
    "hinge": lambda examples: JointHinge(
        examples, FEATURES, hamming=0.5, loss=loss_named("dec-f1"), scale=0.5
    ),
}


def accuracy(examples: list[JointExample], weights: np.ndarray) -> tuple[float, float, float]:
    """Shares of right tags by BP and by DD, and of brackets by BP."""
    right = dual_right = words = correct = produced = 0
    for each in examples:
        graph = each.graph([layer.scores(weights) for layer in each.layers])
        state = bp.run(graph, 3).state
        edges = state.decode().edges
        forest = each.layers[-1].example.forest
        chosen = {int(p) for p in forest.part[edges] if p < each.variables.values}
        right += len(chosen & set(each.gold_values.tolist()))
        values = dual.solve(graph).solution.values
        dual_right += int((values == each.gold_values).sum())
        words += len(each.gold_values)
        n, d, _ = forest.totals(edges)
        correct, produced = correct + n, produced + d
    return right / words, dual_right / words, correct / produced


@pytest.mark.parametrize("name", OBJECTIVES)
def test_training_makes_the_joint_model_better(name: str) -> None:
    settings = OptimiserSettings(name="adagrad", iterations=4, rate=0.3, batch=4, prior=3.0)
    optimiser = Minibatches(OBJECTIVES[name](TRAIN), settings, seed=0)
    values = [optimiser.advance().value for _ in range(4)]
    assert values[-1] < 0.8 * max(values)
    before = accuracy(HELD_OUT, np.zeros(FEATURES))
    after = accuracy(HELD_OUT, optimiser.weights)
    assert after[0] > before[0] + 0.1
    assert after[1] > before[1] + 0.1
    assert after[2] > before[2] + 0.1


def differences(objective: JointObjective, weights: np.ndarray, features: np.ndarray) -> np.ndarray:
    step, out = 1e-5, []
    for feature in features:
        up, down = weights.copy(), weights.copy()
        up[feature] += step
        down[feature] -= step
        out.append(objective.value_and_gradient(up)[0] - objective.value_and_gradient(down)[0])
    return np.array(out) / (2 * step)


CONVERGED = {"iterations": 400, "threshold": 1e-13}


@pytest.mark.parametrize("weight", [1.0, 0.6])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_gradients(name: str, weight: float) -> None:
    examples = [joint_example(seed, weight) for seed in range(200, 203)]
    objective: JointObjective = OBJECTIVES[name](examples)
    if name == "likelihood":
        objective = JointLikelihood(examples, FEATURES, **CONVERGED)
    elif isinstance(objective, JointSoftmaxMargin):
        given = objective.loss, objective.tau
        objective = JointSoftmaxMargin(examples, FEATURES, *given, method="split", **CONVERGED)
    rng = np.random.default_rng(0)
    weights = rng.normal(scale=0.5, size=FEATURES)
    value, gradient = objective.value_and_gradient(weights)
    assert value > 0
    chosen = rng.permutation(np.flatnonzero(objective.uses()))[:12]
    chosen = np.union1d(chosen, np.flatnonzero(gradient)[:8])
    np.testing.assert_allclose(gradient[chosen], differences(objective, weights, chosen), atol=1e-5)


@pytest.mark.parametrize("weight", [1.0, 0.6])
@pytest.mark.parametrize("tau", [0.0, 2.0])
@pytest.mark.parametrize("loss", ["dec-f1", "f1", "precision"])
def test_softmax_margin_where_belief_propagation_is_exact(
    loss: str, tau: float, weight: float
) -> None:
    """A tagger without transitions only adds to the scores of lexical parts."""
    weights = np.random.default_rng(1).normal(size=FEATURES)
    weights[WORDS * TAGS : TAGGER_FEATURES] = 0.0
    for example in (joint_example(seed, weight) for seed in range(300, 304)):
        parser = example.layers[-1]
        scores = [layer.scores(weights) for layer in example.layers]
        both = weight * scores[1]
        both[parser.parts] += scores[0][parser.values]
        margin = SoftmaxMargin(loss, tau, "split")
        forest, gold = parser.example.forest, parser.gold
        value, gradient = margin.value_and_gradient(forest, both, gold)
        joint = JointSoftmaxMargin(
            [example], FEATURES, loss_named(loss), tau, method="split", **CONVERGED
        )
        found, (of_tagger, of_parser) = joint.gradients(example, scores)
        assert found == pytest.approx(value, abs=1e-9)
        np.testing.assert_allclose(of_parser, gradient, atol=1e-7)
        emissions = of_tagger[: example.variables.values]
        np.testing.assert_allclose(emissions, gradient[: len(emissions)], atol=1e-7)


def test_the_margin_of_0_is_likelihood() -> None:
    weights = np.random.default_rng(2).normal(scale=0.5, size=FEATURES)
    value, gradient = JointLikelihood(TRAIN[:5], FEATURES).value_and_gradient(weights)
    for loss in ("dec-f1", "f1"):
        margin = JointSoftmaxMargin(TRAIN[:5], FEATURES, loss_named(loss), 0.0)
        found, other = margin.value_and_gradient(weights)
        assert found == pytest.approx(value, abs=1e-6)
        np.testing.assert_allclose(other, gradient, atol=1e-5)


def test_values_that_rounding_loses_keep_their_messages() -> None:
    """The factor's sums see no value of probability 1e-26, but its message does."""
    example = joint_example(5)
    layer = example.layers[-1]
    scores = layer.scores(np.random.default_rng(3).normal(size=FEATURES))
    factors = [
        LossFactor(example.variables, layer, scores, SoftmaxMargin("f1", tau, "split"))
        for tau in (0.0, 1.0)
    ]
    messages = np.zeros(example.variables.values)
    messages[example.variables.first[:-1]] = -60.0
    messages[example.variables.first[1]] = -np.inf
    plain = ForestFactor(example.variables, layer.example.forest, scores, layer.parts, layer.values)
    wanted = plain.message(messages)[1]
    none, some = (factor.message(messages)[1] for factor in factors)
    np.testing.assert_allclose(none, wanted, atol=1e-6)
    finite = np.isfinite(wanted)
    assert np.array_equal(np.isfinite(some), finite)
    assert np.abs(some[finite] - wanted[finite]).max() < 2.0


def test_minibatches_threads_and_resuming_are_repeatable() -> None:
    settings = OptimiserSettings(name="sgd", iterations=2, rate=0.2, batch=5)
    one = JointLikelihood(TRAIN[:12], FEATURES)
    two = JointLikelihood(TRAIN[:12], FEATURES, threads=2)
    whole = Minibatches(one, settings, seed=3)
    whole.advance()
    arrays, values = whole.state()
    saved = {name: array.copy() for name, array in arrays.items()}
    whole.advance()
    resumed = Minibatches(two, settings, seed=3)
    resumed.restore(saved, dict(values))
    resumed.advance()
    assert np.array_equal(whole.weights, resumed.weights)
    assert len(one) == 12
    assert one.uses().max() == 12


def test_what_cannot_be_trained() -> None:
    with pytest.raises(ConfigError):
        JointLikelihood(TRAIN, FEATURES, threads=0)
    zero_one = JointHinge(TRAIN, FEATURES, loss=loss_named("zero-one"))
    with pytest.raises(ForestError, match="zero-one"):
        zero_one.value_and_gradient(np.zeros(FEATURES))
    layer = TRAIN[0].layers[0]
    example = Example(layer.example.forest, layer.example.features)
    unknown = Layer(example, layer.parts, layer.values)
    with pytest.raises(ForestError, match="no gold"):
        unknown.gold  # noqa: B018
