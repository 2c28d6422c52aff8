"""Objectives over all dependency trees against enumeration, and their gradients."""

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck

from tests.trees import all_trees
from treewright.errors import ConfigError
from treewright.inference import matrix_tree as plain
from treewright.losses.costs import Loss, count_loss, loss_named
from treewright.torch import TreeLoss
from treewright.torch.matrix_tree import count_law, log_determinant, log_partition, marginals
from treewright.torch.trees import GoldTrees, TreeObjective, best_trees

OWN = count_loss(lambda n, _, y: 1.0 - (n / y) ** 2, "own")
AFFINE = ("f1", "precision", "recall", "f2", "sized-f1", "hamming", "dec-f1")
LENGTHS, LABELS = (3, 1, 4), 2


def scores(seed: int = 0) -> Tensor:
    random = torch.Generator().manual_seed(seed)
    size = max(LENGTHS) + 1
    shape = (len(LENGTHS), size, size, LABELS)
    return torch.randn(shape, dtype=torch.float64, generator=random, requires_grad=True)


def gold() -> GoldTrees:
    heads = torch.tensor([[2, 0, 2, 0], [0, 0, 0, 0], [3, 4, 0, 3]])
    labels = torch.tensor([[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 1, 1]])
    return GoldTrees(heads, labels, torch.tensor(LENGTHS))


def by_enumeration(
    name: str, loss: Loss, at: Tensor, tau: float, labelled: bool, root: bool
) -> list[float]:
    """The value on every sentence, from the list of its labelled trees."""
    found = []
    table, right = at.detach().numpy(), gold()
    for row, words in enumerate(LENGTHS):
        heads, labels = right.heads[row, :words].numpy(), right.labels[row, :words].numpy()
        totals, losses = [], []
        for tree in all_trees(words, root):
            for named in np.ndindex(*[LABELS] * words):
                place = row, list(tree), range(1, words + 1), list(named)
                totals.append(table[place].sum())
                losses.append(
                    loss_of(loss, np.array(tree), np.array(named), heads, labels, labelled)
                )
        best = table[row, heads, range(1, words + 1), labels].sum()
        found.append(objective(name, np.array(totals), np.array(losses), best, tau))
    return found


def loss_of(loss, tree, named, heads, labels, labelled) -> float:
    right = (tree == heads) & ((named == labels) | (not labelled))
    if loss.of_counts is not None:
        return float(loss.of_counts(right.sum(), np.int64(len(tree)), len(tree)))
    ones = np.ones(len(tree), np.int64)
    return float(
        loss.of_parts(right.astype(np.int64), ones, (tree == heads).astype(np.int64)).sum()
    )


def objective(name: str, totals, losses, best: float, tau: float) -> float:
    if name == "risk":
        return float(np.exp(totals - np.logaddexp.reduce(totals)) @ losses)
    if name in ("hinge", "perceptron"):
        return max(0.0, float((totals + tau * losses * (name == "hinge")).max() - best))
    added = tau * losses * (name == "softmax-margin")
    return float(np.logaddexp.reduce(totals + added) - best)


@pytest.mark.parametrize("root", [True, False])
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("loss", [*map(loss_named, AFFINE), loss_named("zero-one"), OWN])
@pytest.mark.parametrize("name", ["likelihood", "softmax-margin", "risk", "hinge", "perceptron"])
def test_values_and_gradients(name: TreeObjective, loss: Loss, labelled: bool, root: bool) -> None:
    layer = TreeLoss(name, loss, 1.5, labelled, root)
    at = scores(3)
    if name == "hinge" and loss.name in ("zero-one", "own"):
        with pytest.raises(ConfigError, match="not affine"):
            layer(at, gold())
        return
    found = layer(at, gold()).tolist()
    assert found == pytest.approx(by_enumeration(name, loss, at, 1.5, labelled, root), abs=1e-10)
    assert gradcheck(lambda s: layer(s, gold()), at, atol=1e-6, fast_mode=True)


@pytest.mark.parametrize("root", [True, False])
def test_sums_are_those_of_the_plain_theorem(root: bool) -> None:
    arcs = scores(1).detach()[..., 0]
    lengths = torch.tensor(LENGTHS)
    for row, words in enumerate(LENGTHS):
        wanted = plain.marginals(arcs[row, : words + 1, : words + 1].numpy(), root)
        assert float(log_partition(arcs, lengths, root)[row]) == pytest.approx(wanted.log_z)
        found = marginals(arcs, lengths, root)[row]
        np.testing.assert_allclose(found[: words + 1, : words + 1], wanted.arcs, atol=1e-12)
        assert float(found.sum()) == pytest.approx(words)


def test_the_law_of_right_arcs_sums_to_one() -> None:
    arcs = 3 * scores(2).detach()[..., 0]
    law = count_law(arcs, torch.tensor(LENGTHS), torch.full_like(arcs, 0.3))
    torch.testing.assert_close(law.sum(dim=1), torch.ones(3, dtype=torch.float64))
    assert float(law[1, 1]) == pytest.approx(0.3)
    assert law[1, 2:].abs().max() < 1e-12


def test_long_sentences_in_single_precision() -> None:
    random = torch.Generator().manual_seed(0)
    wide = 20 * torch.randn((2, 81, 81, 3), generator=random, dtype=torch.float64)
    trees = best_trees(wide, torch.tensor([80, 40]))
    layer = TreeLoss("softmax-margin", "f1", 1.0)
    values = []
    for table in (wide.clone(), wide.float()):
        values.append(layer(table.requires_grad_(), trees))
        values[-1].sum().backward()
        assert table.grad is not None
        assert torch.isfinite(table.grad).all()
    torch.testing.assert_close(values[0].float(), values[1], atol=2e-2, rtol=1e-3)


def test_unknown_objective() -> None:
    with pytest.raises(ConfigError, match="one of likelihood"):
        TreeLoss("crf")  # type: ignore[arg-type]


def cyclic(strength: float) -> Tensor:
    """Scores of three sentences; in the first two words are all but sure of each other."""
    random = torch.Generator().manual_seed(8)
    found = torch.randn((3, 5, 5), dtype=torch.float64, generator=random)
    found[0, 1, 2] = found[0, 2, 1] = strength
    found[2, 3, 4] = found[2, 4, 3] = strength
    return found.requires_grad_()


@pytest.mark.parametrize("strength", [3.0, 30.0, 400.0])
@pytest.mark.parametrize("single_root", [True, False])
def test_nearly_singular_laplacians(strength: float, single_root: bool) -> None:
    at, lengths = cyclic(strength), torch.tensor([3, 4, 4])
    log_z = log_partition(at, lengths, single_root)
    posteriors = marginals(at, lengths, single_root)
    (slopes,) = torch.autograd.grad(log_z.sum(), at)
    for row, words in enumerate(lengths.tolist()):
        trees = all_trees(words, single_root)
        table = at.detach().numpy()[row]
        weights = np.array([table[list(tree), range(1, words + 1)].sum() for tree in trees])
        due = np.logaddexp.reduce(weights)
        assert float(log_z[row].detach()) == pytest.approx(due, rel=1e-12)
        arcs = np.zeros((5, 5))
        for tree, share in zip(trees, np.exp(weights - due), strict=True):
            arcs[list(tree), range(1, words + 1)] += share
        assert np.allclose(posteriors.detach().numpy()[row], arcs, atol=1e-9)
        assert np.allclose(slopes.numpy()[row], arcs, atol=1e-9)


def test_gradients_of_nearly_singular_laplacians() -> None:
    lengths = torch.tensor([3, 4, 4])
    assert gradcheck(lambda at: log_partition(at, lengths), cyclic(20.0), atol=1e-6)
    assert gradcheck(lambda at: marginals(at, lengths)[:, :, 1:], cyclic(20.0), atol=1e-6)


def test_log_determinants_have_the_slopes_of_torchs_and_leave_its_threads_alone() -> None:
    matrices = torch.rand((3, 5, 5), dtype=torch.float64) + 2 * torch.eye(5, dtype=torch.float64)
    matrices.requires_grad_()
    before = torch.get_num_threads()
    found = log_determinant(matrices)
    torch.testing.assert_close(found, torch.linalg.slogdet(matrices)[1])
    assert gradcheck(log_determinant, (matrices,))
    assert torch.get_num_threads() == before
