"""Fine-tuning: trained networks as the starting point of another training.

A model stores its network as graphs. Their constants are the weights, but transposed, sliced or in
8 bits, and some have lost their names. To identify them, the network is exported again with the
position of each weight in place of its value.
"""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from importlib import import_module
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from treewright.errors import ConfigError, StoreError
from treewright.neural.export import graph_inputs, traced
from treewright.neural.network import Network
from treewright.neural.pieces import SURFACE_WIDTH
from treewright.neural.transformer import TransformerShape, check_size
from treewright.scores.neural.checks import check_graph
from treewright.scores.neural.network import CONFIG, ENCODER, HEAD, LABELS
from treewright.scores.neural.words import SURFACES
from treewright.storage.bundle import Bundle

FIRST = 2**32  # the position of the first weight: larger than any number of a graph itself
QUANTISED, SCALE, ZERO = "_quantized", "_scale", "_zero_point"  # suffixes in ONNX Runtime's graphs
PROTOBUF = "google.protobuf.message"  # onnx reads graphs with it

Constants = dict[str, NDArray[Any]]


def check_start(bundle: Bundle, surface: int) -> None:
    """Refuses a trained encoder whose settings imply far more weights than its graph has."""
    shape = TransformerShape.parse(bundle.texts[CONFIG], CONFIG)
    tables = surface * SURFACES * SURFACE_WIDTH
    check_size(shape.weights() + tables, bundle.arrays[ENCODER].nbytes, CONFIG, "the graph")


def start_from(network: Network, bundle: Bundle, labels: Mapping[str, Sequence[str]]) -> list[str]:
    """Initialises the encoder and the heads of a network with the weights of a trained model.

    Returns the names of these heads: those whose labels start with the model's labels, and that
    otherwise have the same shape.
    """
    batch, vectors = graph_inputs(network)
    if not _take(network.encoder, batch, bundle.arrays[ENCODER].tobytes()):
        raise StoreError("an encoder of another shape cannot be fine-tuned")
    started = []
    for name, new in labels.items():
        old = tuple(bundle.texts.get(name + LABELS, "").split("\n")[:-1])
        if old and tuple(new[: len(old)]) == old:
            graph = bundle.arrays[HEAD + name].tobytes()
            if _take(network.heads[name], (vectors.double(),), graph, len(old), len(new)):
                started.append(name)
    return started


def _take(
    module: Any, inputs: tuple[Tensor, ...], graph: bytes, old: int = 1, new: int = 1
) -> bool:
    """Copies the constants of a graph into the weights of a module, if shapes match.

    old, new: the number of labels. The graph's labels are the first ones of the module's; an axis
    with one or several entries per label starts with theirs.
    """
    assert isinstance(module, nn.Module)
    check_graph(graph)
    try:
        pairs = _pairs(_constants(traced(_positions(module), inputs)), _constants(graph))
        finite = all(bool(np.isfinite(value).all()) for _, value in pairs)
    except (KeyError, TypeError, ValueError) as error:
        raise StoreError(f"a network's graph is damaged: {str(error)[:200]}") from error
    if not finite:
        raise StoreError("a network's graph has weights that are not finite")
    if not all(_fits(place.shape, value.shape, old, new) for place, value in pairs):
        return False
    flat = torch.cat([each.detach().reshape(-1) for each in module.parameters()]).numpy()
    for place, value in pairs:
        first = place[tuple(map(slice, value.shape))]
        flat[first.astype(np.int64) - FIRST] = value
    start = 0
    with torch.no_grad():
        for each in module.parameters():
            each.copy_(torch.from_numpy(flat[start : start + each.numel()]).view_as(each))
            start += each.numel()
    return True


def _fits(place: Sequence[int], value: Sequence[int], old: int, new: int) -> bool:
    """Whether two shapes are equal, except for the number of labels."""
    if len(place) != len(value):
        return False
    return all(p == v or p * old == v * new for p, v in zip(place, value, strict=True))


def _positions(module: nn.Module) -> nn.Module:
    """A copy of a module in which each weight is its position."""
    copy, first = deepcopy(module).double().eval(), FIRST
    with torch.no_grad():
        for each in copy.parameters():
            each.copy_(torch.arange(first, first + each.numel()).view_as(each))
            first += each.numel()
    return copy


def _pairs(positions: Constants, values: Constants) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """Pairs of constants of both graphs: by name if they have one, otherwise in order."""
    weights = {k: each for k, each in positions.items() if each.size and each.min() >= FIRST}
    known = {k: each for k, each in values.items() if k in weights or _number(k) is not None}
    if len(weights) != len(known):
        raise StoreError("the graph of a trained network has other constants than are known")
    return [
        (weights[one], known[other])
        for one, other in zip(_ordered(weights), _ordered(known), strict=True)
    ]


def _ordered(constants: Mapping[str, Any]) -> list[str]:
    """Names of constants: those of named weights, then those numbered by the exporter."""
    return sorted(constants, key=lambda name: (_number(name) or -1, name))


def _number(name: str) -> int | None:
    found = re.fullmatch(r"onnx::\w+_(\d+)", name)
    return int(found[1]) if found else None


def onnx_library() -> Any:
    """The library that reads graphs."""
    try:
        return import_module("onnx")
    except ImportError as error:
        raise ConfigError("fine-tuning needs onnx: pip install treewright[torch]") from error


def _constants(graph: bytes) -> Constants:
    """The arrays of a graph by name; 8-bit arrays are dequantised."""
    onnx = onnx_library()
    try:
        loaded = onnx.load_from_string(graph).graph.initializer
    except import_module(PROTOBUF).DecodeError as error:
        raise ValueError(str(error)) from error
    raw = {each.name: onnx.numpy_helper.to_array(each) for each in loaded}
    packed = {name.removesuffix(QUANTISED) for name in raw if name.endswith(QUANTISED)}
    parts = {name + ending for name in packed for ending in (QUANTISED, SCALE, ZERO)}
    found = {name: array for name, array in raw.items() if name not in parts}
    for name in packed:
        zero = raw[name + ZERO].astype(np.float32)
        found[name] = (raw[name + QUANTISED].astype(np.float32) - zero) * raw[name + SCALE]
    return found
