"""Feature matrices against scipy's sparse products."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from treewright.errors import ForestError
from treewright.forests import FeatureMatrix

FEATURES = 50


def random_csr(seed: int, weighted: bool) -> tuple[NDArray[Any], NDArray[Any], Any]:
    """Rows of 0 to 5 features, some twice in a row."""
    random = np.random.default_rng(seed)
    first = np.concatenate(([0], np.cumsum(random.integers(0, 6, random.integers(1, 30)))))
    feature = random.integers(0, FEATURES, first[-1])
    return first, feature, random.normal(size=first[-1]).astype(np.float32) if weighted else None


def twin(first: Any, feature: Any, value: Any) -> csr_array:
    data = np.ones(len(feature)) if value is None else np.asarray(value, dtype=np.float64)
    return csr_array((data, feature, first), shape=(len(first) - 1, FEATURES))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_products_are_those_of_scipy(seed: int, weighted: bool) -> None:
    rows = random_csr(seed, weighted)
    matrix, expected = FeatureMatrix.from_csr(*rows), twin(*rows)
    random = np.random.default_rng(seed)
    weights, gradient = random.normal(size=FEATURES), random.normal(size=matrix.parts)
    assert matrix.parts == expected.shape[0]
    np.testing.assert_allclose(matrix.scores(weights), expected @ weights, rtol=1e-12, atol=1e-12)
    out = weights.copy()
    matrix.backpropagate(gradient, out)
    np.testing.assert_allclose(out, weights + expected.T @ gradient, rtol=1e-12, atol=1e-12)


def test_the_vocabulary_lists_each_feature_once() -> None:
    matrix = FeatureMatrix.from_csr([0, 2, 2, 5], [7, 3, 3, 9, 7], [1, 2, 3, 4, 5])
    assert matrix.vocabulary.tolist() == [3, 7, 9]
    assert matrix.vocabulary[matrix.local].tolist() == [7, 3, 3, 9, 7]
    assert matrix.value is not None
    assert matrix.value.dtype == np.float32
    assert FeatureMatrix.from_csr([0, 2], [7, 3]).value is None


def test_values_are_float32() -> None:
    matrix = FeatureMatrix.from_csr([0, 1], [0], [0.1])
    assert matrix.scores(np.ones(1))[0] == np.float64(np.float32(0.1))


def test_identity_returns_the_weights() -> None:
    weights = np.random.default_rng(1).normal(size=9)
    assert np.array_equal(FeatureMatrix.identity(9).scores(weights), weights)
    out = np.ones(9)
    FeatureMatrix.identity(9).backpropagate(weights, out)
    assert np.array_equal(out, weights + 1)


def test_a_matrix_without_features_scores_nothing() -> None:
    matrix = FeatureMatrix.from_csr([0, 0, 0], [])
    assert matrix.scores(np.ones(3)).tolist() == [0, 0]
    out = np.ones(3)
    matrix.backpropagate(np.ones(2), out)
    assert out.tolist() == [1, 1, 1]


def test_a_vocabulary_may_repeat_a_feature() -> None:
    matrix = FeatureMatrix(*(np.array(a, dtype=np.int32) for a in ([0, 2], [0, 1], [4, 4])))
    out = np.zeros(5)
    matrix.backpropagate(np.ones(1), out)
    assert out.tolist() == [0, 0, 0, 0, 2]
    assert matrix.scores(np.arange(5.0)).tolist() == [8]


@pytest.mark.parametrize("name", ["first", "local", "vocabulary", "value"])
def test_frozen_arrays_are_not_copied(name: str) -> None:
    arrays = {n: np.array(a, dtype=np.int32) for n, a in MATRIX.items()}
    arrays["value"] = np.ones(3, dtype=np.float32)
    for each in arrays.values():
        each.flags.writeable = False
    array = getattr(FeatureMatrix(**arrays), name)
    assert np.shares_memory(array, arrays[name])
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 0


MATRIX: dict[str, Any] = {"first": [0, 2, 3], "local": [0, 1, 1], "vocabulary": [4, 8]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"first": []}, "first is empty"),
        ({"first": [1, 2, 3]}, "first must run from 0"),
        ({"first": [0, 2, 4]}, "first must run from 0 to the number of entries"),
        ({"first": [0, 2, 2]}, "first must run from 0 to the number of entries"),
        ({"first": [0, 4, 3]}, "part 1 ends before it begins"),
        ({"first": [0, -1, 3]}, "part 0 ends before it begins"),
        ({"local": [0, 2, 1]}, "entry 1 is outside the vocabulary"),
        ({"local": [0, 1, -1]}, "entry 2 is outside the vocabulary"),
        ({"vocabulary": []}, "entry 0 is outside the vocabulary"),
        ({"vocabulary": [4, -8]}, "feature -8 is negative"),
        ({"value": [1.0, 2.0]}, "one value for each entry"),
        ({"value": [1.0, np.nan, 2.0]}, "value must be finite, but entry 1"),
        ({"value": [1.0, 2.0, 1e39]}, "value must be finite, but entry 2"),
        ({"value": ["a", "b", "c"]}, "value must be a list of numbers"),
        ({"value": [[1.0, 2.0, 3.0]]}, "value must be a list of numbers"),
        ({"first": [0, 2, 2**32 + 3]}, "first has values that do not fit"),
        ({"local": [0.5, 1, 1]}, "local must hold integers"),
        ({"vocabulary": [[4, 8]]}, "vocabulary must have 1 dimension"),
    ],
)
def test_a_malformed_matrix_is_refused(changed: dict[str, Any], message: str) -> None:
    with pytest.raises(ForestError, match=message):
        FeatureMatrix(**(MATRIX | changed))


@pytest.mark.parametrize(
    ("first", "feature", "message"),
    [
        ([0, 1], [-1], "feature -1 is negative"),
        ([0, 1], np.array([2**32 + 1]), "feature has values that do not fit"),
        ([0, 1], [1.5], "feature must hold integers"),
        ([0, 2], [1], "first must run from 0"),
    ],
)
def test_a_malformed_csr_matrix_is_refused(first: Any, feature: Any, message: str) -> None:
    with pytest.raises(ForestError, match=message):
        FeatureMatrix.from_csr(first, feature)


def test_weights_and_gradients_must_be_long_enough() -> None:
    matrix = FeatureMatrix.from_csr([0, 1, 2], [3, 7])
    with pytest.raises(ForestError, match="feature 7 is outside the weights"):
        matrix.scores(np.zeros(7))
    with pytest.raises(ForestError, match="feature 7 is outside the weights"):
        matrix.backpropagate(np.zeros(2), np.zeros(7))
    with pytest.raises(ForestError, match="one entry a part"):
        matrix.backpropagate(np.zeros(3), np.zeros(8))


def test_a_matrix_owns_what_was_checked() -> None:
    first, local, vocabulary = (np.arange(n, dtype=np.int32) for n in (3, 2, 2))
    matrix = FeatureMatrix(first, local, vocabulary)
    for array in (first, local, vocabulary):
        array[-1] = 10**9
    assert matrix.scores(np.array([1.0, 2.0])).tolist() == [1.0, 2.0]
