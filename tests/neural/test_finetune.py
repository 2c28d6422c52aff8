"""Networks that begin with the weights of a trained model."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.neural.tiny import write_encoder
from treewright.errors import StoreError
from treewright.models.neural.members import ARCS, RULES, SPANS, TAG
from treewright.models.neural.training import new_network
from treewright.neural.export import exported
from treewright.neural.finetune import start_from
from treewright.neural.network import Network
from treewright.neural.pieces import load_pieces
from treewright.neural.settings import EncoderSettings, NeuralSettings

LABELS = {ARCS: ("a", "b"), SPANS: ("S", "NP", "VP"), RULES: ("*", "* *", "S"), TAG: ("N", "V")}


def network(
    place: Path, seed: int, hidden: int = 12, labels: Mapping[str, Sequence[str]] = LABELS
) -> Network:
    """A network with random weights, those that start as 0 included."""
    encoder = EncoderSettings(name=str(place), surface=20)
    settings = NeuralSettings(encoder=encoder, hidden=hidden, label_hidden=6)
    made = new_network(load_pieces(encoder), labels, settings)
    torch.manual_seed(seed)
    with torch.no_grad():
        for each in made.parameters():
            each.copy_(torch.randn(each.shape))
    return made


@pytest.mark.parametrize("quantised", [False, True])
def test_weights_come_back_from_a_trained_model(tmp_path: Path, quantised: bool) -> None:
    pytest.importorskip("onnxruntime", reason="needs ONNX Runtime: pip install treewright[neural]")
    place = write_encoder(tmp_path / "encoder")
    trained, new = network(place, 1), network(place, 2)
    before = {name: array.copy() for name, array in new.arrays().items()}
    labels = LABELS | {TAG: ("V", "N")}
    assert start_from(new, exported(trained, LABELS, quantised), labels) == [ARCS, SPANS, RULES]
    after = new.arrays()
    for name, wanted in trained.arrays().items():
        if name.startswith(f"heads.{TAG}."):
            assert (after[name] == before[name]).all(), name
        elif name.endswith("token_type_embeddings.weight"):
            assert np.allclose(after[name][0], wanted[0], atol=0.05)  # the second is never used
        else:
            assert np.allclose(after[name], wanted, atol=0.05 if quantised else 0.0), name


def test_heads_of_another_shape_begin_anew_and_encoders_are_refused(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    trained = exported(network(place, 1), LABELS, quantised=False)
    other = network(place, 2, hidden=10)
    before = other.arrays()[f"heads.{TAG}.scores.weight"].copy()
    assert start_from(other, trained, LABELS) == []
    assert (other.arrays()[f"heads.{TAG}.scores.weight"] == before).all()
    with pytest.raises(StoreError, match="encoder of another shape"):
        start_from(network(write_encoder(tmp_path / "wide", width=32), 2), trained, LABELS)


def test_heads_that_a_model_lacks_begin_anew(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    old = {name: each for name, each in LABELS.items() if name != RULES}
    new = network(place, 2)
    before = new.arrays()[f"heads.{RULES}.begin.weight"].copy()
    trained = exported(network(place, 1, labels=old), old, quantised=False)
    assert start_from(new, trained, LABELS) == list(old)
    assert (new.arrays()[f"heads.{RULES}.begin.weight"] == before).all()


def test_heads_may_get_further_labels(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    trained = network(place, 1)
    more = LABELS | {
        ARCS: ("a", "b", "c"),
        RULES: (*LABELS[RULES], "NP"),
        TAG: ("N", "V", "X", "Y"),
    }
    new = network(place, 2, labels=more)
    before = new.arrays()[f"heads.{TAG}.scores.weight"].copy()
    assert start_from(new, exported(trained, LABELS, quantised=False), more) == list(LABELS)
    after = new.arrays()[f"heads.{TAG}.scores.weight"]
    assert (after[2:] == before[2:]).all()
    trained.eval(), new.eval()
    prepared = [new.encoder.prepare(["she", "reads", "."])]
    for name, known in LABELS.items():
        with torch.inference_mode():
            wanted = trained.scores(name, trained.vectors(prepared))
            found = new.scores(name, new.vectors(prepared))
        torch.testing.assert_close(found[..., : len(known)], wanted)


def test_damaged_graphs_are_refused(tmp_path: Path) -> None:
    place = write_encoder(tmp_path / "encoder")
    trained = exported(network(place, 1), LABELS, quantised=True)
    for data in (trained.arrays["encoder"][:-999], trained.arrays["encoder"][:0]):
        damaged = replace(trained, arrays={**trained.arrays, "encoder": data})
        with pytest.raises(StoreError):
            start_from(network(place, 2), damaged, LABELS)
