"""Layers over forests: gradients of every objective with every loss on every structure."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck

from tests.torch.structures import STRUCTURES, Sized
from treewright.arrays import Integers
from treewright.errors import ForestError
from treewright.losses import loss_named, objective_named
from treewright.losses.corpus import CorpusSoftmaxMargin
from treewright.losses.costs import Loss, count_loss
from treewright.losses.hinge import Hinge
from treewright.losses.objective import Objective
from treewright.losses.settings import NAMES
from treewright.losses.softmax_margin import Risk, SoftmaxMargin
from treewright.losses.tables import table_objective
from treewright.torch import CorpusForestLoss, ForestLoss, RemoteForestLoss

NAMED = ("f1", "precision", "recall", "f2", "sized-f1", "zero-one", "hamming", "dec-f1")
OWN = count_loss(lambda n, d, y: 1.0 - (n / np.maximum(1, np.maximum(d, y))) ** 2, "own")
LOSSES = [*map(loss_named, NAMED), OWN]


def objectives(loss: Loss) -> dict[str, Objective]:
    return {
        "softmax-margin": SoftmaxMargin(loss, 1.5, tolerance=1e-9),
        "risk": Risk(loss, tolerance=1e-9),
        "hinge": Hinge(loss, "margin", 1.5),
        "hinge-slack": Hinge(loss, "slack", 1.5),
    }


def table(size: int, seed: int = 0) -> torch.Tensor:
    random = torch.Generator().manual_seed(seed)
    return torch.randn(size, dtype=torch.float64, generator=random, requires_grad=True)


def check(objective: Objective, sized: Sized) -> None:
    example, size = sized
    layer = ForestLoss(objective, threads=1)
    assert gradcheck(lambda t: layer([example], [t]), table(size), atol=1e-6, fast_mode=True)


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss.name)
@pytest.mark.parametrize("name", ["softmax-margin", "risk", "hinge", "hinge-slack"])
def test_gradients_of_every_pair(name: str, loss: Loss, structure: str) -> None:
    check(objectives(loss)[name], STRUCTURES[structure]())


@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("name", ["likelihood", "perceptron"])
def test_gradients_without_a_loss(name: str, structure: str) -> None:
    check(objective_named(name), STRUCTURES[structure]())


@pytest.mark.parametrize("loss", ["f1", "precision", "f2"])
def test_gradients_of_a_corpus(loss: str) -> None:
    made = [make() for make in STRUCTURES.values()]
    examples, sizes = [each[0] for each in made], [each[1] for each in made]
    layer = CorpusForestLoss(CorpusSoftmaxMargin(loss_named(loss), 4.0, "fourier", 1e-9))

    def value(*tables: torch.Tensor) -> torch.Tensor:
        return layer(examples, tables)

    assert gradcheck(
        value, [table(size, seed) for seed, size in enumerate(sizes)], atol=1e-6, fast_mode=True
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_minibatch_is_what_its_sentences_are(name: str) -> None:
    objective = objective_named(name)
    made = [make() for make in STRUCTURES.values()]
    tables = [table(size, seed) for seed, (_, size) in enumerate(made)]
    values = ForestLoss(objective)([example for example, _ in made], tables)
    weights = torch.arange(1.0, len(made) + 1, dtype=torch.float64)
    (values * weights).sum().backward()
    rows = zip(made, tables, values.tolist(), weights.tolist(), strict=True)
    for (example, size), each, found, weight in rows:
        numbers = each.detach().numpy()
        scores = example.features.scores(numbers)
        value, over_parts = objective.value_and_gradient(example.forest, scores, example.gold)
        wanted = np.zeros(size)
        example.features.backpropagate(over_parts, wanted)
        assert found == pytest.approx(value, rel=1e-12)
        assert each.grad is not None
        np.testing.assert_allclose(each.grad, wanted * weight, rtol=1e-12, atol=1e-14)


def test_tables_of_any_shape_and_type() -> None:
    example, size = STRUCTURES["spans"]()
    layer = ForestLoss(objective_named("softmax-margin", "f1"))
    wide = table(size)
    small = wide.detach().float().reshape(5, 5, 3).requires_grad_()
    value = layer([example], [wide]).sum()
    again = layer([example], [small]).sum()
    assert again.dtype == torch.float32
    assert again.item() == pytest.approx(value.item(), rel=1e-6)
    again.backward()
    value.backward()
    assert small.grad is not None
    torch.testing.assert_close(small.grad.double().reshape(-1), wide.grad, atol=1e-6, rtol=1e-5)


def test_nothing_and_too_little() -> None:
    example, size = STRUCTURES["tags"]()
    layer = ForestLoss(objective_named("likelihood"))
    nothing = layer([], []).sum()
    nothing.backward()
    assert nothing == 0
    with pytest.raises(ForestError, match="at least one example"):
        CorpusForestLoss(CorpusSoftmaxMargin(loss_named("f1"), 1.0))([], [])
    with pytest.raises(ForestError, match="1 examples, but 2 tables"):
        layer([example], [table(size), table(size)])
    with pytest.raises(ForestError, match="column 8 is outside its table of 8 entries"):
        layer([example], [table(8)])
    with pytest.raises(ForestError, match="forest 1"):
        layer([example, example], [table(size), torch.full((size,), torch.nan)])


def test_threads_do_not_change_a_bit() -> None:
    made = [STRUCTURES["spans"]()] * 40
    tables = [table(size, seed) for seed, (_, size) in enumerate(made)]
    found = []
    for threads in (1, 2, 3):
        layer = ForestLoss(objective_named("softmax-margin", "f1"), threads)
        values = layer([example for example, _ in made], tables)
        found.append(torch.cat([values, *torch.autograd.grad(values.sum(), tables)]))
    assert all(torch.equal(each, found[0]) for each in found)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_forests_that_others_hold_give_the_same_bits(dtype: torch.dtype) -> None:
    """Tables travel in 32 bits if the network's have no more."""
    made = [make() for make in STRUCTURES.values()]
    sent = []

    def run(numbers: Sequence[int], tables: Any, first: Integers) -> tuple[Any, Any]:
        sent.append(tables.dtype)
        examples = [made[i][0] for i in numbers]
        values, gradient = table_objective(objective, examples)(tables.astype(float), first)
        return values, gradient.astype(tables.dtype)

    objective = objective_named("softmax-margin", "f1", 2.0)
    tables = [table(size, seed).to(dtype) for seed, (_, size) in enumerate(made)]
    found = []
    for layer, items in (
        (ForestLoss(objective), [example for example, _ in made]),
        (RemoteForestLoss(run), range(len(made))),
    ):
        values = layer(items, tables)
        found.append(torch.cat([values, *torch.autograd.grad((values**2).sum(), tables)]))
    assert torch.equal(*found)
    assert sent == [np.float32 if dtype == torch.float32 else np.float64]
    assert RemoteForestLoss(run)([], []).sum() == 0
    with pytest.raises(ForestError, match="1 examples, but 0 tables"):
        RemoteForestLoss(run)([0], [])
