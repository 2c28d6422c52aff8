"""The scores that SuPar's sums over all trees get in `benchmarks.dep_peers`."""

from itertools import product

import pytest
import torch
from torch import Tensor

from benchmarks.supar_range import within_range


def log_likelihood(arcs: Tensor, heads: tuple[int, ...]) -> float:
    """Of one tree, by enumeration. arcs: [words + 1, words + 1], word by head."""
    words = range(1, len(arcs))
    trees = filter(is_tree, product(range(len(arcs)), repeat=len(arcs) - 1))
    sums = {
        tree: sum(arcs[word, head] for word, head in zip(words, tree, strict=True))
        for tree in trees
    }
    return float(sums[heads] - torch.logsumexp(torch.stack([*sums.values()]), 0))


def is_tree(heads: tuple[int, ...]) -> bool:
    def reaches_root(word: int) -> bool:
        for _ in heads:
            word = heads[word - 1] if word else 0
        return word == 0

    return all(map(reaches_root, range(1, len(heads) + 1)))


@pytest.mark.parametrize("heads", [(0, 1, 2), (2, 0, 2), (3, 1, 0)])
def test_trees_keep_their_probabilities(heads: tuple[int, ...]) -> None:
    arcs = torch.randn(1, 4, 4, generator=torch.manual_seed(1)) * 5
    positions = torch.ones(1, 4, dtype=torch.bool)
    found = within_range(arcs, positions)
    assert log_likelihood(found[0], heads) == pytest.approx(
        log_likelihood(arcs[0], heads), abs=1e-5
    )


def test_large_scores_can_be_exponentiated_and_padding_is_left_out() -> None:
    arcs = torch.tensor([[[0.0, 0.0, 0.0], [150.0, 400.0, 156.0], [60.0, 156.0, 99.0]]] * 2)
    positions = torch.tensor([[True, True, True], [True, True, False]])
    found = within_range(arcs, positions).exp()
    assert found.isfinite().all()
    assert found.amax() == 1
    assert found[0, 1].tolist() == pytest.approx([torch.exp(torch.tensor(-6.0)).item(), 0, 1])
    assert found[1, 1].tolist() == [1, 0, 0]


def test_gradients_of_likelihood_are_those_of_unbounded_scores() -> None:
    arcs = torch.randn(1, 4, 4, generator=torch.manual_seed(2), dtype=torch.float64)
    positions = torch.ones(1, 4, dtype=torch.bool)
    gradients = []
    for bounded in (False, True):
        given = arcs.clone().requires_grad_()
        scores = within_range(given, positions) if bounded else given
        (log_z(scores[0]) - scores[0, [1, 2, 3], [0, 1, 2]].sum()).backward()
        gradients.append(given.grad)
    torch.testing.assert_close(*gradients)


def log_z(arcs: Tensor) -> Tensor:
    """By Kirchhoff's theorem, any number of roots."""
    weights = arcs.exp() * (1 - torch.eye(len(arcs), dtype=arcs.dtype))
    return torch.logdet((torch.diag(weights.sum(1)) - weights)[1:, 1:])
