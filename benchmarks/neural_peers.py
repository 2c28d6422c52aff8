"""Sums over trees by pytorch-struct and SuPar, for `benchmarks.neural_layer`.

Every function takes scores and a function that gives the scores of gold trees [sentences], and
returns the negative log likelihood by the name of the library, for those that are installed.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import torch
from torch import Tensor

Value = Callable[[], Tensor]
STRUCT, SUPAR = PEERS = ("pytorch-struct", "SuPar")
MODULES = {STRUCT: "torch_struct", SUPAR: "supar.structs"}


def projective_trees(arcs: Tensor, gold: Value) -> dict[str, Value]:
    """arcs: [sentences, words + 1, words + 1], head by word; several words may be roots."""
    return installed(
        {
            STRUCT: lambda m: m.DependencyCRF(_on_diagonal(arcs), multiroot=True).partition,
            SUPAR: lambda m: m.DependencyCRF(arcs.mT, multiroot=True).log_partition,
        },
        gold,
    )


def all_trees(arcs: Tensor, gold: Value) -> dict[str, Value]:
    """The same over all trees."""
    return installed(
        {
            STRUCT: lambda m: (
                m.NonProjectiveDependencyCRF(_on_diagonal(arcs), multiroot=True).partition
            ),
            SUPAR: lambda m: m.MatrixTree(arcs.mT, multiroot=True).log_partition,
        },
        gold,
    )


def binary_trees(spans: Tensor, gold: Value) -> dict[str, Value]:
    """spans: [sentences, words + 1, words + 1], begin by end."""
    return installed(
        {
            STRUCT: lambda m: m.TreeCRF(spans[:, :-1, 1:, None]).partition,
            SUPAR: lambda m: m.ConstituencyCRF(spans).log_partition,
        },
        gold,
    )


def installed(log_z: Mapping[str, Callable[[Any], Tensor]], gold: Value) -> dict[str, Value]:
    """The values of the libraries that can be imported."""
    found: dict[str, Value] = {}
    for name, of_module in log_z.items():
        try:
            module = import_module(MODULES[name])
        except ImportError:
            continue
        found[name] = lambda module=module, of_module=of_module: of_module(module) - gold()
    return found


def _on_diagonal(arcs: Tensor) -> Tensor:
    """Scores [head, word] with those of the root on the diagonal."""
    inner = arcs[:, 1:, 1:]
    off = inner - torch.diag_embed(inner.diagonal(dim1=1, dim2=2))
    return off + torch.diag_embed(arcs[:, 0, 1:])
