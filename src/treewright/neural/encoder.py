"""What heads see of an encoder: words in, one vector per word out, the root's vector first."""

from collections.abc import Iterator, Sequence
from typing import Protocol

import torch
from torch import Tensor, nn

from treewright.arrays import Integers
from treewright.scores.neural.words import padded as padded_array


class Encoder(Protocol):
    """Turns prepared sentences into vectors [sentences, longest + 1, width]; place 0 is the root.

    `prepare` makes arrays of one sentence, which can be kept; `collate` pads those of several to
    tensors; `forward` takes these tensors alone, so that it can be exported.
    """

    width: int

    def prepare(self, words: Sequence[str]) -> Integers:
        """A sentence as an integer array."""

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        """A batch of prepared sentences."""

    def parameters(self) -> Iterator[nn.Parameter]:
        """All weights."""

    def layers(self) -> Iterator[nn.Module]:
        """The modules from the input up: those further down learn more slowly."""

    def texts(self) -> dict[str, str]:
        """What a model must keep of the encoder beside its weights."""

    def __call__(self, *batch: Tensor) -> Tensor:
        """The vectors of a batch; behind the end of a sentence they are 0."""


def padded(arrays: Sequence[Integers], fill: int = 0) -> Tensor:
    """Arrays [length, ...] of different lengths as one tensor [sentences, longest, ...]."""
    return torch.from_numpy(padded_array(arrays, fill))
