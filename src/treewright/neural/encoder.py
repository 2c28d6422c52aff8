"""The interface of encoders: one vector per word, the root's vector first."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from treewright.arrays import Integers
from treewright.scores.neural.words import padded as padded_array


class Encoder(Protocol):
    """Encodes sentences as vectors [sentences, longest + 1, width]; position 0 is the root.

    `prepare` converts a sentence to arrays, `collate` pads those of several sentences to tensors,
    and `forward` takes only these tensors, so that it can be exported.
    """

    width: int

    def prepare(self, words: Sequence[str]) -> Integers:
        """A sentence as an integer array."""

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        """A batch of prepared sentences."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """All weights."""

    def layers(self) -> Iterator[nn.Module]:
        """The layers from the input up; lower layers have smaller learning rates."""

    def texts(self) -> dict[str, str]:
        """Texts that a model must save in addition to the weights."""

    def __call__(self, *batch: Tensor) -> Tensor:
        """The vectors of a batch; behind the end of a sentence they are 0."""


def padded(arrays: Sequence[Integers], fill: int = 0) -> Tensor:
    """Arrays [length, ...] of different lengths as one tensor [sentences, longest, ...]."""
    return torch.from_numpy(padded_array(arrays, fill))


def inside(lengths: Tensor, size: int) -> Tensor:
    """Which positions are the root's or a word's: bool [sentences, size]."""
    return torch.arange(size, device=lengths.device)[None] <= lengths[:, None]
