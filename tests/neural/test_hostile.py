"""Encoders and trained networks from elsewhere: a clear error before memory or time is spent."""

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tests.neural.test_finetune import LABELS, network
from tests.neural.tiny import write_encoder
from treewright.errors import TreewrightError
from treewright.models.neural.training import first_network
from treewright.neural.export import exported
from treewright.neural.pieces import load_pieces
from treewright.neural.settings import EncoderSettings, NeuralSettings
from treewright.storage.bundle import Bundle

SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
SIZES += ("vocab_size", "max_position_embeddings")
SIZES_OR_NONE = ("type_vocab_size", "embedding_size", "relative_attention_num_buckets")
NO_SIZES: list[Any] = [-1, 1.5, True, "x", [], {}, float("nan"), 10**400, 1 << 40, 1 << 21]


def check_refused(place: Path, text: str) -> None:
    with pytest.raises(TreewrightError) as error:
        load_pieces(EncoderSettings(name=str(place)))
    assert text in str(error.value)
    assert len(str(error.value)) < 1000


@pytest.mark.parametrize("key", [*SIZES, *SIZES_OR_NONE])
def test_sizes_of_encoders(key: str, tmp_path: Path) -> None:
    config = write_encoder(tmp_path / "encoder") / "config.json"
    plain = json.loads(config.read_text())
    for value in NO_SIZES + [0] * (key in SIZES):
        config.write_text(json.dumps({**plain, key: value}))
        check_refused(tmp_path / "encoder", "config.json")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"[" * 100_000, b"{}", b"\xff", b'{"model_type": "bert"}']
)
def test_damaged_configurations_of_encoders(content: bytes, tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    (place / "config.json").write_bytes(content)
    check_refused(place, "config.json")


def test_other_settings_of_encoders(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    plain = json.loads((place / "config.json").read_text())
    for key, value in {
        "num_attention_heads": 3,
        "hidden_act": [],
        "layer_norm_eps": -1.0,
        "pad_token_id": 1 << 20,
    }.items():
        (place / "config.json").write_text(json.dumps({**plain, key: value}))
        check_refused(place, "config.json")


def test_pieces_without_vectors(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    plain = json.loads((place / "tokenizer.json").read_text())
    plain["model"]["vocab"]["she"] = 5000
    (place / "tokenizer.json").write_text(json.dumps(plain))
    check_refused(place, "vocab_size")


@pytest.mark.parametrize(
    "change",
    [
        lambda x: torch.full_like(x, torch.nan),
        lambda x: torch.full_like(x, torch.inf),
        lambda x: x[:-1].contiguous(),
        lambda x: x.reshape(-1),
        lambda x: x.to(torch.int8),
        lambda x: x.bool(),
        lambda x: x.to(torch.complex64),
    ],
)
def test_weights_of_encoders(
    change: Callable[[torch.Tensor], torch.Tensor], tmp_path: Path
) -> None:
    path = write_encoder(tmp_path / "encoder") / "model.safetensors"
    weights = load_file(path)
    first = "embeddings.word_embeddings.weight"
    save_file({**weights, first: change(weights[first])}, path)
    check_refused(tmp_path / "encoder", "model.safetensors")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_devices_and_damaged_files(name: str, tmp_path: Path) -> None:
    path = write_encoder(tmp_path / "encoder") / name
    for content in (b"", b"\xff" * 9, b"\x80\x04K\x01."):
        path.write_bytes(content)
        check_refused(path.parent, "")
    path.unlink()
    path.symlink_to("/dev/zero")
    check_refused(path.parent, f"no {name}")
    path.unlink()
    os.mkfifo(path)
    check_refused(path.parent, f"no {name}")


def hostile(trained: Bundle) -> dict[str, Bundle]:
    """Networks to fine-tune with one thing wrong."""
    config = json.loads(trained.texts["config.json"])
    sizes = [(key, value) for key in SIZES for value in ("x", -1, 1 << 21)]
    texts = [json.dumps({**config, key: value}) for key, value in sizes]
    texts += ["", "[]", "[" * 100_000]
    graph = trained.arrays["encoder"]
    found = {
        f"config {i}": replace(trained, texts={**trained.texts, "config.json": text})
        for i, text in enumerate(texts)
    }
    for value in (-1, 1 << 30, "x", None, [], 1.5):
        found[f"surface {value}"] = replace(trained, config={"surface": value})
    for name, data in {"cut": graph[:-99], "none": graph[:0], "with_nan": with_nan(graph)}.items():
        found[name] = replace(trained, arrays={**trained.arrays, "encoder": data})
    for name in ("encoder", "head.tag"):
        rest = {key: array for key, array in trained.arrays.items() if key != name}
        found[f"no {name}"] = replace(trained, arrays=rest)
    return found


def with_nan(graph: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The same graph with a weight that is no number."""
    onnx: Any = pytest.importorskip("onnx")
    loaded = onnx.load_from_string(graph.tobytes())
    tensor = max(loaded.graph.initializer, key=lambda each: len(each.raw_data))
    tensor.raw_data = np.float32("nan").tobytes() + tensor.raw_data[4:]
    return np.frombuffer(loaded.SerializeToString(), np.uint8)


def test_networks_to_fine_tune(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    trained = exported(network(place, 1), LABELS, quantised=False)
    settings = NeuralSettings(EncoderSettings(name="elsewhere"), hidden=12, label_hidden=6)
    assert first_network(settings, LABELS, trained)[1] == list(LABELS)
    for name, bundle in hostile(trained).items():
        with pytest.raises(TreewrightError) as error:
            first_network(settings, LABELS, bundle)
        assert len(str(error.value)) < 1000, name
