"""Export of trained networks to graphs for ONNX Runtime, in 32-bit floats or 8-bit integers."""

import io
import logging
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from treewright.errors import ConfigError
from treewright.neural.network import HASHED, Network
from treewright.scores.neural.graphs import as_bytes
from treewright.scores.neural.network import ENCODER, HEAD, KIND, LABELS
from treewright.storage.bundle import Bundle

OPSET = 17
SAMPLE = (("A", "sample", "of", "words"), ("another",))
Axes = dict[str, dict[int, str]]


def exported(network: Network, labels: Mapping[str, Sequence[str]], quantised: bool) -> Bundle:
    """The exported network: a graph for the encoder, and one for every head."""
    batch, vectors = graph_inputs(network)
    graphs = {ENCODER: traced(network.encoder, batch)}
    for name, head in network.heads.items():
        graphs[HEAD + name] = traced(head, (vectors,))
    arrays = {name: _quantised(data) if quantised else data for name, data in graphs.items()}
    texts = {
        name + LABELS: "".join(f"{each}\n" for each in names) for name, names in labels.items()
    }
    how = network.settings.encoder
    config: dict[str, object] = {"precision": "int8" if quantised else "float32"}
    if how.name == HASHED:
        config |= {"rows": how.rows, "tags": True} if how.tags else {"rows": how.rows}
    elif how.surface:
        config["surface"] = how.surface
    found = {name: as_bytes(data) for name, data in arrays.items()}
    return Bundle(KIND, config, found, {**network.encoder.texts(), **texts})


def graph_inputs(network: Network) -> tuple[tuple[Tensor, ...], Tensor]:
    """Inputs to trace graphs with: a batch for the encoder, vectors of words for the heads."""
    network.eval()
    batch = network.encoder.collate([network.encoder.prepare(words) for words in SAMPLE])
    with torch.inference_mode():
        return batch, network.encoder(*batch)


def _axes(batch: Sequence[Tensor]) -> Axes:
    """The axes of inputs that may have any size; sizes are shared by shape."""
    if batch[2:]:
        pieces = {0: "s", 1: "p"}
        found = {"input0": pieces, "input1": pieces, "input2": {0: "w"}}
        return found | ({"input3": pieces} if batch[3:] else {})
    return {f"input{i}": {0: "s", 1: "w"} for i in range(len(batch))}


def traced(module: Any, inputs: Sequence[Tensor]) -> bytes:
    """A module as a graph."""
    assert isinstance(module, nn.Module)
    buffer = io.BytesIO()
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            tuple(inputs),
            buffer,  # type: ignore[arg-type]
            input_names=[f"input{i}" for i in range(len(inputs))],
            output_names=["output"],
            dynamic_axes={**_axes(inputs), "output": {0: "s", 1: "w", 2: "v"}},
            opset_version=OPSET,
            dynamo=False,
        )
    return buffer.getvalue()


def _quantised(data: bytes) -> bytes:
    """The same with weights of 8 bits, one scale per column."""
    try:
        tools = import_module("onnxruntime.quantization")
    except ImportError as error:
        raise ConfigError(
            "8 bits need onnx and onnxruntime: pip install treewright[torch]"
        ) from error
    with tempfile.TemporaryDirectory() as place, _quiet():
        source, target = Path(place) / "a.onnx", Path(place) / "b.onnx"
        source.write_bytes(data)
        tools.quantize_dynamic(
            source,
            target,
            weight_type=tools.QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            extra_options={"MatMulConstBOnly": True},
        )
        return target.read_bytes()


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps advice of ONNX Runtime, which users cannot follow, off the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)
