"""Joint training of supertagger and parser: the examples say what both models say."""

from collections import defaultdict

import numpy as np
import pytest

from tests.small_ccg import bank, small_parser
from treewright.forests.ccg.chart import CcgChart
from treewright.forests.forest import Forest
from treewright.grammar.lexicon import Lexicon
from treewright.inference import exact
from treewright.inference.oracle import best_f1_forest
from treewright.models.ccg.examples import GoldSentence, gold_sentence
from treewright.models.ccg.joint import (
    DictionaryTarget,
    JointModel,
    dependency_target,
    derivation_target,
    with_tags,
)
from treewright.models.ccg.search import Beam
from treewright.scores.tagging.base import Posteriors
from treewright.train.joint import JointExample, JointHinge, JointLikelihood

BEAM = Beam(0.01, 20)


@pytest.fixture(scope="module")
def model() -> JointModel:
    return JointModel(small_parser())


@pytest.fixture(scope="module")
def examples(model: JointModel) -> list[JointExample]:
    return list(model.examples(gold_sentences(model), BEAM))


def test_layers_score_as_the_models_do(model: JointModel, examples: list[JointExample]) -> None:
    parser, weights = model.parser, model.weights
    by_name = {derivation.id: derivation.sentence for derivation in bank()}
    compared = 0
    for example in examples:
        tagger, chart = example.layers
        lattice = parser.lattices([by_name[chart.example.name]])[0]
        kept = lattice.kept(BEAM)
        if len(kept.tag) != example.variables.values:
            continue  # gold tags were added
        _, scores = parser.supertagger.tagger.chain(kept)
        np.testing.assert_allclose(tagger.scores(weights), scores, atol=1e-4)
        compared += 1
        assert example.gold_values.tolist() == sorted(set(example.gold_values.tolist()))
        assert len(example.gold_values) == len(example.variables)
    assert compared > 3


def test_gold_is_among_the_solutions(model: JointModel, examples: list[JointExample]) -> None:
    numbers, weights = np.arange(len(examples)), model.weights
    for objective in (JointLikelihood, JointHinge):
        value = objective(examples, len(weights)).value_and_gradient_on(numbers, weights)[0]
        assert np.isfinite(value)
        assert value > -1e-6


def gold_sentences(model: JointModel) -> list[GoldSentence]:
    lexicon = Lexicon().learn(bank()[:70])
    return [gold_sentence(model.parser.grammar, lexicon, each) for each in bank()[:12]]


def value_on(model: JointModel, example: JointExample) -> float:
    objective = JointLikelihood([example], len(model.weights), iterations=50, threshold=1e-9)
    return objective.value_and_gradient(model.weights)[0]


def test_latent_derivations_are_summed_out(model: JointModel) -> None:
    """The less is known, the more derivations agree with it, and the smaller is the loss."""
    sentences = gold_sentences(model)
    entries: dict[str, set[int]] = defaultdict(set)
    for sentence in sentences:
        for word, entry in zip(sentence.words, sentence.gold.entries.tolist(), strict=True):
            entries[word].add(entry)
    targets = (derivation_target, dependency_target, DictionaryTarget(entries), everything)
    rows = [
        {e.layers[-1].example.name: e for e in model.latent_examples(sentences, BEAM, target)}
        for target in targets
    ]
    both = [name for name in rows[0] if all(name in row for row in rows)]
    assert len(both) > 5
    sums = []
    for name in both:
        derivation, dependencies, dictionary, whole = (value_on(model, r[name]) for r in rows)
        assert derivation >= dependencies - 1e-6
        assert derivation >= dictionary - 1e-6
        assert whole == pytest.approx(0.0, abs=1e-6)
        sums.append((derivation, dependencies, dictionary))
        forest = rows[1][name].layers[-1].gold
        best, found = best_f1_forest(rows[1][name].layers[-1].example.forest)
        assert best == 1.0
        assert exact.count(forest) == exact.count(found)
    derivation, dependencies, dictionary = np.sum(sums, axis=0)
    assert derivation > dependencies > 0
    assert derivation > dictionary > 0


def everything(_: GoldSentence, chart: CcgChart) -> Forest:
    return chart.forest


def test_the_gradient_of_a_latent_target(model: JointModel) -> None:
    (example, *_) = model.latent_examples(gold_sentences(model)[3:], BEAM, dependency_target)
    objective = JointLikelihood([example], len(model.weights), iterations=300, threshold=1e-13)
    weights = model.weights
    _, gradient = objective.value_and_gradient(weights)
    for feature in np.argsort(-np.abs(gradient))[:4]:
        step = np.zeros(len(weights))
        step[feature] = 1e-4
        up, down = (objective.value_and_gradient(weights + s)[0] for s in (step, -step))
        assert gradient[feature] == pytest.approx((up - down) / 2e-4, abs=1e-5)


def test_a_dictionary_without_the_words_leaves_nothing(model: JointModel) -> None:
    assert not list(model.latent_examples(gold_sentences(model), BEAM, DictionaryTarget({})))


def test_a_step_against_the_gradient_is_downhill(
    model: JointModel, examples: list[JointExample]
) -> None:
    weights = model.weights
    objective = JointLikelihood(examples, len(weights), iterations=30)
    value, gradient = objective.value_and_gradient(weights)
    step = 1e-3 / np.abs(gradient).max()
    assert objective.value_and_gradient(weights - step * gradient)[0] < value


def test_weights_go_back_into_the_models(model: JointModel) -> None:
    same = JointModel(model.with_weights(model.weights))
    np.testing.assert_allclose(same.weights, model.weights, rtol=1e-6)
    sentence = bank()[75].sentence
    assert same.parser.parse(sentence).supertags == model.parser.parse(sentence).supertags
    other = JointModel(model.with_weights(model.weights + 1.0))
    np.testing.assert_allclose(other.weights, model.weights + 1.0, rtol=1e-5)


def test_tags_are_added_where_they_lack() -> None:
    ends = np.array([0, 2], dtype=np.int32)
    first, tag = np.array([0, 2, 3], dtype=np.int32), np.array([1, 5, 2], dtype=np.int32)
    found = with_tags(Posteriors(first, tag, np.array([0.7, 0.3, 1.0]), ends), [4, 2])
    assert found.first.tolist() == [0, 3, 4]
    assert found.tag.tolist() == [1, 4, 5, 2]
    assert found.probability.tolist() == [0.7, 0.3, 0.3, 1.0]
