"""Encoders of every family beside the outputs of Hugging Face transformers."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from tests.neural.families import CONFIGS, GOLDEN, PIECES, padded_pieces, weights
from tests.neural.test_finetune import LABELS, network
from tests.neural.tiny import tokenizer
from treewright.models.neural.members import TAG
from treewright.neural.export import exported
from treewright.neural.families import FAMILIES
from treewright.neural.finetune import start_from
from treewright.neural.pieces import load_pieces
from treewright.neural.settings import EncoderSettings
from treewright.neural.transformer import Transformer, TransformerShape
from treewright.scores.neural.network import TrainedNetwork

SENTENCES = [["She", "reads", "a", "long", "book", "."], ["read"], list("abcdefghij")]


def write_family(place: Path, kind: str, prefixed: bool = False) -> Path:
    """The directory of the tiny network of a family."""
    text = json.dumps({**CONFIGS[kind], "model_type": kind})
    family = FAMILIES[kind]
    (place / "config.json").write_text(text)
    tokenizer().save(str(place / "tokenizer.json"))
    ours = Transformer(TransformerShape.parse(text, "test")).state_dict()
    names = {name: family.in_file(name) for name in ours}
    save_file(
        {family.prefix * prefixed + names[k]: weights(names[k], v.shape) for k, v in ours.items()},
        place / "model.safetensors",
    )
    return place


@pytest.mark.parametrize("prefixed", [False, True])
@pytest.mark.parametrize("kind", CONFIGS)
def test_outputs_of_a_family(kind: str, prefixed: bool, tmp_path: Path) -> None:
    encoder = load_pieces(EncoderSettings(name=str(write_family(tmp_path, kind, prefixed))))
    encoder.eval()
    with torch.inference_mode():
        found = encoder.transformer(*padded_pieces())
    golden = json.loads(GOLDEN.read_text())["outputs"][kind]
    for row, pieces, wanted in zip(found, PIECES, golden, strict=True):
        torch.testing.assert_close(row[: len(pieces)], torch.tensor(wanted), atol=1e-4, rtol=0.0)


def test_every_family_is_compared() -> None:
    assert set(CONFIGS) == set(FAMILIES)


@pytest.mark.parametrize("kind", CONFIGS)
def test_graphs_of_a_family_compute_the_same_and_can_be_trained_further(
    kind: str, tmp_path: Path
) -> None:
    pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")
    trained = network(write_family(tmp_path, kind), 1)
    bundle = exported(trained, LABELS, quantised=False)
    other = network(tmp_path, 2)
    assert start_from(other, bundle, LABELS) == list(LABELS)
    other.eval()
    for words, table in zip(
        SENTENCES, TrainedNetwork.from_bundle(bundle).tables(TAG, SENTENCES), strict=True
    ):
        for each in (trained, other):
            with torch.inference_mode():
                wanted = each.scores(TAG, each.vectors([each.encoder.prepare(words)]))[0]
            assert np.allclose(table, wanted.numpy(), atol=1e-3, rtol=1e-3)
