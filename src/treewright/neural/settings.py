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
    """Settings of the encoder."""

    name: str = setting(
        "hashed",
        "one of: hashed (trained from scratch); a directory in the Hugging Face layout\n"
        "(config.json, tokenizer.json, model.safetensors), of BERT or a related family\n"
        "(docs/neural.md); an installed package with such a directory; an entry point in the\n"
        "group `treewright.encoders`; or a neural model of Treewright to fine-tune (a name or a\n"
        "directory): its encoder, and the heads with the same labels",
    )
    width: int = setting(128, "hashed: width of the word vectors")
    layers: int = setting(1, "hashed: number of convolution layers, each over three words")
    recurrent: int = setting(
        2, "hashed: number of bidirectional LSTM layers behind the convolutions"
    )
    rows: int = setting(5000, "hashed: number of rows per embedding table")
    surface: int = setting(
        0,
        "pretrained: number of rows per embedding table for case, affixes and word shape; 0: none",
    )
    tags: bool = setting(
        False,
        "hashed, dependency parsers: UPOS and XPOS as input, those that are given or a tagger's",
    )
    vectors: Path | None = setting(
        None, "hashed: file of static vectors, GloVe or word2vec, text or .bin"
    )
    max_vectors: int = setting(
        50_000, "hashed: number of static vectors to use, from the start of the file"
    )
    dropout: float = setting(0.1, "dropout in the encoder")
    frozen: int = setting(
        1, "pretrained: number of frozen layers, from the bottom; embeddings are the first"
    )

    def __post_init__(self) -> None:
        for name in ("width", "layers", "rows", "max_vectors"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")
        for name in ("frozen", "recurrent", "surface"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} must not be negative, not {getattr(self, name)}")
        _check_share("dropout", self.dropout)
        if self.tags and self.name != "hashed":
            raise ValueError(f"tags need the encoder hashed, not {self.name}")


@dataclass(frozen=True)
class NeuralSettings:
    """Settings of encoder, heads and training with AdamW."""

    encoder: EncoderSettings = setting(EncoderSettings(), "encoder")
    hidden: int = setting(256, "width of the hidden layer")
    label_hidden: int = setting(96, "width of the hidden layer for labels")
    dropout: float = setting(0.33, "dropout before and in the scoring layers")
    teachers: list[str] = setting(
        [],
        "neural models of Treewright, installed or directories: the mean of their probabilities\n"
        "is learned in addition to the treebanks, by the heads that they have too",
    )
    teacher_weight: float = setting(
        0.5, "weight of the teachers' probabilities; the treebank has the rest"
    )
    only_new_heads: bool = setting(
        False,
        "only train the heads that the model of `encoder.name` lacks, and keep its weights",
    )
    word_dropout: float = setting(0.05, "probability of dropping the whole vector of a word")
    iterations: int = setting(10, "number of epochs")
    batch: int = setting(1200, "number of word pieces per minibatch, padding included")
    rate: float = setting(1e-3, "maximum learning rate of the scoring layers")
    encoder_rate: float = setting(1e-4, "maximum learning rate of the encoder's last layer")
    layer_decay: float = setting(
        0.9, "multiplier of the learning rate per layer, from the top down"
    )
    warm_up: float = setting(
        0.1, "fraction of steps for learning rate warm-up; then linear decay to 0"
    )
    weight_decay: float = setting(0.01, "weight decay of AdamW; not for biases and layer norms")
    clip: float = setting(1.0, "maximum gradient norm; larger gradients are scaled down")
    patience: int = setting(0, "stop after this number of dev scores without improvement; 0: never")
    score_every: int = setting(1, "epochs between dev scores; the last epoch is always scored")
    precision: Literal["float32", "int8"] = setting(
        "int8", "precision of the saved weights; training uses float32"
    )
    checkpoint_seconds: float = setting(60.0, "minimum seconds between checkpoints")

    def __post_init__(self) -> None:
        positive = ("hidden", "label_hidden", "iterations", "batch", "rate", "encoder_rate", "clip")
        for name in (*positive, "score_every"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be positive, not {getattr(self, name)}")
        for name in ("dropout", "word_dropout", "warm_up", "teacher_weight"):
            _check_share(name, getattr(self, name))
        if self.patience < 0 or self.weight_decay < 0 or not 0 < self.layer_decay <= 1:
            raise ValueError(
                "patience and weight_decay must not be negative, layer_decay in (0, 1]"
            )
