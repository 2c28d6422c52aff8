"""A transformer encoder in plain torch, for BERT and its kin (`treewright.neural.families`).

Modules have the names that checkpoints of BERT in the Hugging Face layout have.
"""

import json
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from treewright.config import from_dict
from treewright.errors import ConfigError
from treewright.neural.families import FAMILIES
from treewright.scores.neural.checks import BEHIND_PADDING

# The largest sizes: no network of this family comes near.
MOST = {
    "hidden_size": 1 << 14,
    "num_hidden_layers": 256,
    "num_attention_heads": 256,
    "intermediate_size": 1 << 16,
    "vocab_size": 1 << 22,
    "max_position_embeddings": 1 << 14,
}
# The same of numbers that are 0 where a network has no such part.
MOST_OR_NONE = {
    "type_vocab_size": 1 << 10,
    "embedding_size": 1 << 14,
    "relative_attention_num_buckets": 1 << 10,
    "pad_token_id": 1 << 22,
    "first_position": 1 << 14,
}
FARTHEST = 128  # MPNet: pieces that are farther apart have the same bias
SPARE = 2  # weights per byte: they take a byte at least, but some that are never used are left out
ACTIVATIONS = {"gelu": "none", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh"}


@dataclass(frozen=True)
class TransformerShape:
    """The numbers of `config.json` that the computation needs.

    Attributes:
        embedding_size: width of the embeddings; 0: that of the layers (ELECTRA's may be smaller).
        relative_attention_num_buckets: number of biases by distance per head; 0: none (MPNet).
        first_position: the position of the first piece.
    """

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    vocab_size: int
    max_position_embeddings: int
    type_vocab_size: int = 2
    layer_norm_eps: float = 1e-12
    hidden_act: str = "gelu"
    pad_token_id: int = 0
    embedding_size: int = 0
    relative_attention_num_buckets: int = 0
    first_position: int = 0

    def __post_init__(self) -> None:
        for least, limits in ((1, MOST), (0, MOST_OR_NONE)):
            for name, most in limits.items():
                if not least <= (value := getattr(self, name)) <= most:
                    raise ValueError(f"{name} must be from {least} to {most}, not {value}")
        if self.hidden_size % self.num_attention_heads:
            raise ValueError("hidden_size must be a multiple of num_attention_heads")
        if self.pad_token_id >= self.vocab_size:
            raise ValueError("pad_token_id must be smaller than vocab_size")
        if self.first_position >= self.max_position_embeddings:
            raise ValueError("pad_token_id must be smaller than max_position_embeddings")
        if self.relative_attention_num_buckets % 4:
            raise ValueError("relative_attention_num_buckets must be a multiple of 4")
        if not 0 <= self.layer_norm_eps <= 1:
            raise ValueError("layer_norm_eps must be from 0 to 1")
        if self.hidden_act not in ACTIVATIONS:
            raise ValueError(f"unknown activation {self.hidden_act!r:.80}")

    @classmethod
    def parse(cls, text: str, where: str) -> "TransformerShape":
        """From the text of `config.json`."""
        try:
            config: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"{where}: damaged: {error!s:.200}") from error
        kind = config.get("model_type") if isinstance(config, dict) else None
        family = FAMILIES.get(str(kind))
        if family is None:
            known = ", ".join(FAMILIES)
            raise ConfigError(f"{where}: model_type must be one of {known}, not {kind!r:.80}")
        if config.get("position_embedding_type", "absolute") != "absolute":
            raise ConfigError(f"{where}: only absolute position embeddings are known")
        named = {family.config.get(name, name): value for name, value in config.items()}
        fields = cls.__dataclass_fields__.keys() - {"first_position"}
        numbers = {name: named[name] for name in fields if named.get(name) is not None}
        if not family.types:
            numbers["type_vocab_size"] = 0
        if kind in BEHIND_PADDING and isinstance(padding := named.get("pad_token_id", 0), int):
            numbers["first_position"] = padding + 1
        return from_dict(cls, numbers, where)

    @property
    def narrow(self) -> int:
        """The width of the embeddings."""
        return self.embedding_size or self.hidden_size

    def weights(self) -> int:
        """The number of weights of such a network."""
        width, wide = self.hidden_size, self.intermediate_size
        rows = self.vocab_size + self.max_position_embeddings + self.type_vocab_size + 2
        layer = 4 * width * (width + 1) + 2 * width * wide + wide + 5 * width
        biases = self.relative_attention_num_buckets * self.num_attention_heads
        turn = (self.narrow + 1) * width if self.narrow != width else 0
        return rows * self.narrow + turn + biases + self.num_hidden_layers * layer


def check_size(weights: int, size: int, where: str, file: str) -> None:
    """Refuses a network with more weights than its file could hold."""
    if weights > SPARE * size:
        raise ConfigError(f"{where}: {weights} weights, but {file} has {size} bytes")


class _Embeddings(nn.Module):
    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        width, self.first = shape.narrow, shape.first_position
        self.word_embeddings = nn.Embedding(shape.vocab_size, width)
        self.position_embeddings = nn.Embedding(shape.max_position_embeddings, width)
        if shape.type_vocab_size:
            self.token_type_embeddings = nn.Embedding(shape.type_vocab_size, width)
        self.LayerNorm = nn.LayerNorm(width, shape.layer_norm_eps)
        if width != shape.hidden_size:
            self.project = nn.Linear(width, shape.hidden_size)
        if shape.relative_attention_num_buckets:
            self.relative = _RelativeBias(shape)

    def forward(self, pieces: Tensor) -> Tensor:
        last = self.position_embeddings.num_embeddings - 1
        places = torch.arange(self.first, self.first + pieces.shape[1], device=pieces.device)
        found = self.word_embeddings(pieces) + self.position_embeddings(places.clamp(max=last))
        if hasattr(self, "token_type_embeddings"):
            found = found + self.token_type_embeddings.weight[0]
        normed: Tensor = self.LayerNorm(found)
        return self.project(normed) if hasattr(self, "project") else normed

    def attention(self, pieces: Tensor, present: Tensor) -> Tensor:
        """What is added to scores of attention, or else which pieces count.

        Its shape is [sentences, heads, pieces, pieces] or [sentences, 1, 1, pieces].
        """
        mask = present[:, None, None, :]
        if not hasattr(self, "relative"):
            return mask
        bias: Tensor = self.relative(pieces.shape[1])
        return bias + torch.zeros(mask.shape, dtype=bias.dtype).masked_fill(~mask, -torch.inf)


class _RelativeBias(nn.Module):
    """A bias of attention per head and bucket of distances (Raffel et al. 2020): [1, heads, n, n].

    One half of the buckets is for pieces on the left, the other for those on the right. Half of
    each is for single distances, the rest grow logarithmically up to FARTHEST.
    """

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.side = shape.relative_attention_num_buckets // 2
        self.bias = nn.Embedding(2 * self.side, shape.num_attention_heads)

    def forward(self, pieces: int) -> Tensor:
        places = torch.arange(pieces, device=self.bias.weight.device)
        apart = places[None, :] - places[:, None]
        found: Tensor = self.bias(self._buckets(apart)).permute(2, 0, 1)[None]
        return found

    def _buckets(self, apart: Tensor) -> Tensor:
        distance, single = apart.abs(), self.side // 2
        far = torch.log(distance.clamp(min=1).float() / single) / math.log(FARTHEST / single)
        wide = (single + (far * (self.side - single)).long()).clamp(max=self.side - 1)
        return torch.where(apart > 0, self.side, 0) + torch.where(distance < single, distance, wide)


class _SelfAttention(nn.Module):
    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.heads = shape.num_attention_heads
        width = shape.hidden_size
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """No weight of attention is dropped: torch's fast kernel for CPUs cannot."""
        query, key, value = (self._split(part(x)) for part in (self.query, self.key, self.value))
        attended = _attended(query, key, value, mask)
        return attended.transpose(1, 2).flatten(2)

    def _split(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:2], self.heads, -1).transpose(1, 2)


def _attended(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """Attention: a mask says which pieces count, or what is added to the scores."""
    if mask.dtype == torch.float64:  # torch cannot export its kernel with such numbers
        scores = query @ key.transpose(2, 3) / math.sqrt(query.shape[3])
        return torch.softmax(scores + mask, dim=3) @ value
    return functional.scaled_dot_product_attention(query, key, value, mask)


def shared_dropout(x: Tensor, share: float, training: bool) -> Tensor:
    """Drops the same dimensions in all pieces of a sentence, which needs few random numbers."""
    if not training or not share:
        return x
    return x * functional.dropout(x.new_ones(x.shape[0], 1, x.shape[2]), share)


class _Output(nn.Module):
    """A projection back to the width of the model, added to what came in, and normed."""

    def __init__(self, width: int, shape: TransformerShape) -> None:
        super().__init__()
        self.dense = nn.Linear(width, shape.hidden_size)
        self.LayerNorm = nn.LayerNorm(shape.hidden_size, shape.layer_norm_eps)

    def forward(self, x: Tensor, before: Tensor, dropout: float) -> Tensor:
        normed: Tensor = self.LayerNorm(
            shared_dropout(self.dense(x), dropout, self.training) + before
        )
        return normed


class _Layer(nn.Module):
    def __init__(self, shape: TransformerShape, dropout: float) -> None:
        super().__init__()
        self.dropout, self.approximate = dropout, ACTIVATIONS[shape.hidden_act]
        self.attention = nn.ModuleDict(
            {"self": _SelfAttention(shape), "output": _Output(shape.hidden_size, shape)}
        )
        self.intermediate = nn.ModuleDict(
            {"dense": nn.Linear(shape.hidden_size, shape.intermediate_size)}
        )
        self.output = _Output(shape.intermediate_size, shape)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        attended = self.attention["self"](x, mask)
        x = self.attention["output"](attended, x, self.dropout)
        wide = functional.gelu(self.intermediate["dense"](x), approximate=self.approximate)
        found: Tensor = self.output(wide, x, self.dropout)
        return found


class Transformer(nn.Module):
    """Piece numbers [sentences, pieces], and which of them are no padding -> vectors.

    Args:
        shape: of the network.
        dropout: in training.
        entry: the block in front of which `more` is added.
    """

    def __init__(self, shape: TransformerShape, dropout: float = 0.1, entry: int = 0) -> None:
        super().__init__()
        self.dropout, self.entry = dropout, min(entry, shape.num_hidden_layers - 1)
        self.embeddings = _Embeddings(shape)
        self._blocks = [_Layer(shape, dropout) for _ in range(shape.num_hidden_layers)]
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(self._blocks)})

    def forward(self, pieces: Tensor, present: Tensor, more: Tensor | None = None) -> Tensor:
        x = functional.dropout(self.embeddings(pieces), self.dropout, self.training)
        mask = self.embeddings.attention(pieces, present)
        for number, layer in enumerate(self._blocks):
            if more is not None and number == self.entry:
                x = x + more
            x = layer(x, mask)
        return x

    def blocks(self) -> list[nn.Module]:
        """The layers above the embeddings."""
        return [*self._blocks]
