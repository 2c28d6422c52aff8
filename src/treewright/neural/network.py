"""A network: an encoder and heads, with their weights as arrays."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Self, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from treewright.arrays import Integers
from treewright.config.plugins import ENCODERS, plugin
from treewright.data.vectors import Vectors, read_vectors
from treewright.errors import StoreError
from treewright.neural.batches import batches
from treewright.neural.encoder import Encoder
from treewright.neural.hashed import NO_VECTORS, HashedEncoder
from treewright.neural.pieces import PieceEncoder, load_pieces
from treewright.neural.settings import EncoderSettings, NeuralSettings
from treewright.scores.neural.network import CONFIG, STATIC, TOKENIZER
from treewright.storage.tensors import Arrays

HASHED = "hashed"


def new_encoder(settings: EncoderSettings) -> Encoder:
    """A new encoder, or a pretrained one to be trained further."""
    if settings.name == HASHED:
        path = settings.vectors
        static = read_vectors(path, settings.max_vectors) if path else NO_VECTORS
        return _hashed(settings, static)
    if (make := plugin(ENCODERS, settings.name)) is not None:
        return cast(Encoder, make(settings, {}))
    return load_pieces(settings)


def kept_encoder(
    settings: EncoderSettings, texts: Mapping[str, str], arrays: Mapping[str, Any]
) -> Encoder:
    """The encoder of a trained network, without its weights."""
    if settings.name == HASHED:
        words = tuple(texts.get(STATIC, "").split("\n")[:-1])
        shape = arrays["encoder.static"].shape
        return _hashed(settings, Vectors(words, np.zeros((shape[0] - 1, shape[1]), np.float32)))
    if (make := plugin(ENCODERS, settings.name)) is not None:
        return cast(Encoder, make(settings, texts))
    return PieceEncoder(texts[CONFIG], texts[TOKENIZER], settings)


def _hashed(how: EncoderSettings, static: Vectors) -> HashedEncoder:
    shape = how.width, how.layers, how.rows, how.dropout
    return HashedEncoder(*shape, static, how.tags, how.recurrent)


class Network(nn.Module):
    """An encoder with heads by name: vectors of words, and from them padded tables of scores."""

    def __init__(
        self, encoder: Encoder, heads: Mapping[str, nn.Module], settings: NeuralSettings
    ) -> None:
        super().__init__()
        self.encoder, self.heads, self.settings = encoder, nn.ModuleDict(heads), settings
        self.dropout = nn.Dropout(settings.dropout)
        self.learnt_heads, self.frozen = tuple(heads), False
        self._mark_learnt()

    def freeze(self, heads: Collection[str]) -> None:
        """Keeps the encoder and these heads as they are; the other heads learn."""
        self.learnt_heads = tuple(name for name in self.heads if name not in heads)
        self.frozen = True
        self._mark_learnt()

    def _mark_learnt(self) -> None:
        learnt = {id(each) for group, _ in self.groups() for each in group}
        for each in self.parameters():
            each.requires_grad_(id(each) in learnt)

    def train(self, mode: bool = True) -> Self:
        """Training mode; there is no dropout in a frozen encoder."""
        super().train(mode)
        if self.frozen:
            assert isinstance(self.encoder, nn.Module)
            self.encoder.eval()
        return self

    def vectors(self, sentences: Sequence[Integers]) -> Tensor:
        """The vectors of prepared sentences: [sentences, longest + 1, width]."""
        device = next(self.parameters()).device
        batch = (each.to(device) for each in self.encoder.collate(sentences))
        found: Tensor = self.dropout(self._whole_words(self.encoder(*batch)))
        return found

    def scores(self, name: str, vectors: Tensor) -> Tensor:
        """The table of a head."""
        found: Tensor = self.heads[name](vectors)
        return found

    def _whole_words(self, vectors: Tensor) -> Tensor:
        """Word dropout: drops the whole vectors of some words in training."""
        if not self.training or not self.settings.word_dropout:
            return vectors
        kept = torch.rand(vectors.shape[:2], device=vectors.device) >= self.settings.word_dropout
        return vectors * kept[..., None]

    def groups(self) -> Iterator[tuple[list[nn.Parameter], float]]:
        """Parameters with learning rates: the heads', then the encoder's from the top down.

        New parameters of the encoder, outside its layers, have the learning rate of the heads.
        """
        how = self.settings
        heads = [each for name in self.learnt_heads for each in self.heads[name].parameters()]
        if self.frozen:
            yield heads, how.rate
            return
        layers = list(self.encoder.layers())
        old = {id(each) for layer in layers for each in layer.parameters()}
        new = [each for each in self.encoder.parameters() if id(each) not in old]
        yield [*heads, *new], how.rate
        pretrained = how.encoder.name != HASHED
        rate = how.encoder_rate if pretrained else how.rate
        for layer in reversed(layers[how.encoder.frozen if pretrained else 0 :]):
            yield list(layer.parameters()), rate
            rate *= how.layer_decay

    def arrays(self) -> Arrays:
        """The weights by name."""
        return {name: value.detach().cpu().numpy() for name, value in self.state_dict().items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Sets the weights from `arrays`."""
        own = self.state_dict()
        for name, value in own.items():
            if name not in arrays or arrays[name].shape != tuple(value.shape):
                raise StoreError(f"the weights {name!r} are missing or of another shape")
        self.load_state_dict({name: torch.from_numpy(np.array(arrays[name])) for name in own})


def encoded_batches(
    network: Network, sentences: Sequence[Integers], lengths: Sequence[int], size: int = 2000
) -> Iterator[tuple[list[int], Tensor]]:
    """Numbers of sentences and the padded vectors of their words; empty sentences are left out."""
    full = [number for number, length in enumerate(lengths) if length]
    network.eval()
    for batch in batches([len(sentences[i]) for i in full], size):
        numbers = [full[i] for i in batch]
        with torch.inference_mode():
            vectors = network.vectors([sentences[i] for i in numbers])
        yield numbers, vectors
