"""Objectives on packed forests as functions of a network's score tables.

The core computes the value and its gradient with respect to the tables; autograd does the rest. The
core uses float64 on the CPU, independent of the type and device of the tables.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from treewright.arrays import Floats, Integers
from treewright.errors import ForestError
from treewright.forests.features import Example
from treewright.losses.corpus import CorpusSoftmaxMargin
from treewright.losses.objective import Objective
from treewright.losses.tables import (
    TableFunction,
    corpus_table_objective,
    offsets,
    table_objective,
)


class _Sweep(torch.autograd.Function):
    """Values of a function of tables; the gradient is made in the forward pass and kept."""

    @staticmethod
    def forward(ctx: Any, flat: Tensor, function: TableFunction, first: Integers) -> Tensor:
        tables = flat.detach().to("cpu", torch.float64).contiguous().numpy()
        values, gradient = function(tables, first)
        ctx.save_for_backward(torch.from_numpy(gradient).to(flat))
        ctx.sizes = [len(flat)] if len(values) == 1 else (first[1:] - first[:-1]).tolist()
        return torch.from_numpy(values).to(flat)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, slope: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        sizes = torch.tensor(ctx.sizes, device=slope.device)
        return gradient * slope.repeat_interleave(sizes), None, None


def _apply(function: TableFunction, examples: Sequence[Any], tables: Sequence[Tensor]) -> Tensor:
    if len(examples) != len(tables):
        raise ForestError(f"{len(examples)} examples, but {len(tables)} tables")
    flat = torch.cat([table.reshape(-1) for table in tables])
    first = offsets([table.numel() for table in tables])
    values: Tensor = _Sweep.apply(flat, function, first)  # type: ignore[no-untyped-call]
    return values


class ForestLoss(nn.Module):
    """An objective on the forest of every sentence: `values = loss(examples, tables)`, [sentences].

    Args:
        objective: any objective of `treewright.losses`.
        threads: number of threads; 0: all cores.
    """

    def __init__(self, objective: Objective, threads: int = 0) -> None:
        super().__init__()
        self.objective, self.threads = objective, threads

    def forward(self, examples: Sequence[Example], tables: Sequence[Tensor]) -> Tensor:
        """One value per sentence.

        Args:
            examples: forests with gold; the columns of their features point into the tables.
            tables: one tensor per sentence, of any shape; entries are read in order.
        """
        if not examples:
            return torch.zeros(0, requires_grad=True)
        return _apply(table_objective(self.objective, examples, self.threads), examples, tables)


class RemoteForestLoss(nn.Module):
    """`ForestLoss` on forests that others hold: `values = loss(numbers, tables)`, [sentences].

    Args:
        run: (numbers of examples, tables [entries], first [sentences + 1]) -> values [sentences],
            gradient [entries], such as `treewright.train.tables.ClusterTables`. Tables are float32
            if the network's are, otherwise float64.
    """

    def __init__(self, run: Callable[[Sequence[int], Any, Integers], tuple[Any, Any]]) -> None:
        super().__init__()
        self.run = run

    def forward(self, examples: Sequence[int], tables: Sequence[Tensor]) -> Tensor:
        """One value per sentence; see `ForestLoss.forward`."""
        if not examples:
            return torch.zeros(0, requires_grad=True)
        single = all(table.dtype == torch.float32 for table in tables)

        def run(flat: Floats, first: Integers) -> tuple[Floats, Any]:
            return self.run(examples, flat.astype(np.float32) if single else flat, first)

        return _apply(run, examples, tables)


class CorpusForestLoss(nn.Module):
    """Softmax-margin with a corpus-level loss: one value for a minibatch.

    Args:
        objective: its tau applies to the minibatch as a whole.
    """

    def __init__(self, objective: CorpusSoftmaxMargin) -> None:
        super().__init__()
        self.objective = objective

    def forward(self, examples: Sequence[Example], tables: Sequence[Tensor]) -> Tensor:
        """The value of the minibatch, a scalar; see `ForestLoss.forward`."""
        if not examples:
            raise ForestError("a corpus-level loss needs at least one example")
        return _apply(corpus_table_objective(self.objective, examples), examples, tables).squeeze(0)
