"""Log-linear features beside a network's scores: shared weights behind every table."""

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck

from tests.torch.structures import STRUCTURES, Sized
from treewright.forests.features import Example, FeatureMatrix
from treewright.losses import objective_named
from treewright.torch import ForestLoss

FEATURES = 4  # that all sentences share


def with_features(sized: Sized) -> Example:
    """The example; each part has one more feature, with a value, behind the table's entries."""
    example, size = sized
    own, parts = example.features, example.forest.parts
    first = own.first + np.arange(parts + 1)
    more = size + np.arange(parts) % FEATURES
    columns = np.insert(own.vocabulary[own.local], own.first[1:], more)
    values = np.insert(np.ones(len(own.local)), own.first[1:], np.linspace(-1.0, 2.0, parts))
    features = FeatureMatrix.from_csr(first, columns, values)
    return Example(example.forest, features, example.gold, example.name)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_gradients_of_tables_and_of_shared_weights(structure: str) -> None:
    made = [STRUCTURES[structure](), STRUCTURES["tags"]()]
    examples = [with_features(each) for each in made]
    layer = ForestLoss(objective_named("softmax-margin", "f1", 1.5))
    random = torch.Generator().manual_seed(2)

    def numbers(size: int) -> torch.Tensor:
        return torch.randn(size, dtype=torch.float64, generator=random, requires_grad=True)

    def values(weights: torch.Tensor, *tables: torch.Tensor) -> torch.Tensor:
        return layer(examples, [torch.cat((table, weights)) for table in tables])

    given = [numbers(FEATURES), *(numbers(size) for _, size in made)]
    assert gradcheck(values, given, atol=1e-6, fast_mode=True)
    found = values(*given)
    for value, (_, size), example, table in zip(found, made, examples, given[1:], strict=True):
        columns = torch.from_numpy(example.features.vocabulary[example.features.local].astype(int))
        weights = torch.cat((table, given[0])).detach()
        assert example.features.value is not None
        parts = np.repeat(np.arange(example.forest.parts), np.diff(example.features.first))
        scores = np.bincount(
            parts, weights[columns].numpy() * example.features.value, example.forest.parts
        )
        assert columns.max() >= size
        objective = layer.objective
        alone, _ = objective.value_and_gradient(example.forest, scores, example.gold)
        assert float(value.detach()) == pytest.approx(alone, rel=1e-6)
