"""Joint training of supertagger and parser: the examples say what both models say."""

import numpy as np
import pytest

from tests.small_ccg import bank, small_parser
from treewright.grammar.lexicon import Lexicon
from treewright.models.ccg.examples import gold_sentence
from treewright.models.ccg.joint import JointModel, with_tags
from treewright.models.ccg.search import Beam
from treewright.scores.tagging.posteriors import Posteriors
from treewright.train.joint import JointExample, JointHinge, JointLikelihood

BEAM = Beam(0.01, 20)


@pytest.fixture(scope="module")
def model() -> JointModel:
    return JointModel(small_parser())


@pytest.fixture(scope="module")
def examples(model: JointModel) -> list[JointExample]:
    lexicon = Lexicon().learn(bank()[:70])
    sentences = [gold_sentence(model.parser.grammar, lexicon, each) for each in bank()[:12]]
    return list(model.examples(sentences, BEAM))


def test_layers_score_as_the_models_do(model: JointModel, examples: list[JointExample]) -> None:
    parser, weights = model.parser, model.weights
    by_name = {derivation.id: derivation.sentence for derivation in bank()}
    compared = 0
    for example in examples:
        tagger, chart = example.layers
        lattice = parser.lattices([by_name[chart.example.name]])[0]
        kept = lattice.kept(BEAM)
        if len(kept.tag) != example.variables.cells:
            continue  # gold tags were added
        _, scores = parser.supertagger.tagger.chain(kept)
        np.testing.assert_allclose(tagger.scores(weights), scores, atol=1e-4)
        compared += 1
        assert example.gold_cells.tolist() == sorted(set(example.gold_cells.tolist()))
        assert len(example.gold_cells) == len(example.variables)
    assert compared > 3


def test_gold_is_among_the_solutions(model: JointModel, examples: list[JointExample]) -> None:
    numbers, weights = np.arange(len(examples)), model.weights
    for objective in (JointLikelihood, JointHinge):
        value = objective(examples, len(weights)).value_and_gradient_on(numbers, weights)[0]
        assert np.isfinite(value)
        assert value > -1e-6


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
