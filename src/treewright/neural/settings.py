"""The settings of neural scorers: the `[neural]` section of a training configuration."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from treewright.config import setting


def _check_share(name: str, value: float) -> None:
    if not 0 <= value < 1:
        raise ValueError(f"{name} must be from 0 up to 1, not {value}")


@dataclass(frozen=True)
class EncoderSettings:
    """What turns words into vectors."""

    name: str = setting(
        "hashed",
        "hashed: trained from scratch; otherwise a directory in the Hugging Face layout\n"
        "(config.json, tokenizer.json, model.safetensors), an installed package with one, the\n"
        "name of an entry point `treewright.encoders`, or a neural model of Treewright, installed\n"
        "or a directory, which is trained further: its encoder, and heads with the same labels",
    )
    width: int = setting(128, "hashed: of the vectors")
    layers: int = setting(4, "hashed: of convolutions over three words each")
    rows: int = setting(5000, "hashed: of each table of embeddings")
    surface: int = setting(
        0, "pretrained: rows of each table of capitals, affixes and shapes of words; 0: none"
    )
    vectors: Path | None = setting(
        None, "hashed: a file of static vectors, GloVe or word2vec, text or .bin"
    )
    max_vectors: int = setting(50_000, "hashed: how many of its words are used, the first ones")
    dropout: float = setting(0.1, "inside the encoder")
    frozen: int = setting(
        1, "pretrained: how many of the lowest layers stay as they are; the first is the embeddings"
    )

    def __post_init__(self) -> None:
        for name in ("width", "layers", "rows", "max_vectors"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")
        for name in ("frozen", "surface"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")
        _check_share("dropout", self.dropout)


@dataclass(frozen=True)
class NeuralSettings:
    """An encoder, a head and their training by AdamW."""

    encoder: EncoderSettings = setting(EncoderSettings(), "what turns words into vectors")
    hidden: int = setting(256, "width of the layer before scores")
    label_hidden: int = setting(96, "width of the layer before scores of labels")
    dropout: float = setting(0.33, "in front of and inside the head")
    word_dropout: float = setting(0.05, "share of words whose vector is dropped as a whole")
    iterations: int = setting(10, "passes over the training sentences")
    batch: int = setting(1200, "word pieces in a minibatch, padding included")
    rate: float = setting(1e-3, "the highest step size of the head")
    encoder_rate: float = setting(1e-4, "the highest step size of the encoder's last layer")
    layer_decay: float = setting(0.9, "factor of the step size from one layer to the next one down")
    warm_up: float = setting(
        0.1, "share of the steps in which step sizes rise; then they fall to 0"
    )
    weight_decay: float = setting(0.01, "AdamW's; not on biases and norms")
    clip: float = setting(1.0, "longest gradient; a longer one is scaled down")
    patience: int = setting(0, "stop after this number of dev scores without a new best; 0: never")
    score_every: int = setting(1, "passes from one dev score to the next; the last has one")
    precision: Literal["float32", "int8"] = setting(
        "int8", "of the weights that the model keeps; training has float32"
    )
    checkpoint_seconds: float = setting(60.0, "shortest time from one checkpoint to the next")

    def __post_init__(self) -> None:
        positive = ("hidden", "label_hidden", "iterations", "batch", "rate", "encoder_rate", "clip")
        for name in (*positive, "score_every"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")
        for name in ("dropout", "word_dropout", "warm_up"):
            _check_share(name, getattr(self, name))
        if self.patience < 0 or self.weight_decay < 0 or not 0 < self.layer_decay <= 1:
            raise ValueError(
                "patience and weight_decay must not be negative, layer_decay in (0, 1]"
            )
