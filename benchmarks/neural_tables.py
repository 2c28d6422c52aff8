"""Score tables of heads over precomputed vectors, for `benchmarks.neural_objectives`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn

from benchmarks.neural_speed import network_of
from treewright.arrays import Floats32, Integers
from treewright.losses.settings import ObjectiveSettings
from treewright.models.kinds import load
from treewright.neural.encoder import padded
from treewright.neural.network import Network, encoded_batches

Words = tuple[str, ...]


@dataclass(frozen=True)
class Contender:
    """One way to train: its objective, or none for local training.

    weight: tau, or for local training of CCG what dependencies count beside supertags.
    """

    name: str
    objective: ObjectiveSettings | None
    weights: tuple[float, ...] = ()

    def weighted(self, weight: float) -> "Contender":
        """With one of its weights."""
        objective = self.objective and replace(self.objective, tau=weight)
        return Contender(f"{self.name}, {weight:g}", objective, (weight,))

    @property
    def training(self) -> str:
        """The name of its training; the weight of local training only counts in decoding."""
        return "local" if self.objective is None else self.name.replace(", ", "-")


class FixedVectors(nn.Module):
    """An encoder that looks up vectors computed before: a sentence's code is its rows."""

    def __init__(self, vectors: Mapping[Words, Floats32]) -> None:
        super().__init__()
        ends = np.cumsum([1, *map(len, vectors.values())])
        self._rows = {
            words: np.arange(begin, begin + len(each))
            for (words, each), begin in zip(vectors.items(), ends[:-1], strict=True)
        }
        self.width = next(iter(vectors.values())).shape[1]
        table = np.concatenate((np.zeros((1, self.width), np.float32), *vectors.values()))
        self.register_buffer("table", torch.from_numpy(table), persistent=False)

    def prepare(self, words: Sequence[str]) -> Integers:
        return self._rows[tuple(words)]

    def collate(self, sentences: Sequence[Integers]) -> tuple[Tensor, ...]:
        return (padded(sentences),)

    def layers(self) -> Iterator[nn.Module]:
        return iter(())

    def texts(self) -> dict[str, str]:
        return {}

    def forward(self, rows: Tensor) -> Tensor:
        found: Tensor = self.get_buffer("table")[rows]
        return found


def fixed_vectors(model: str, sentences: Iterable[Words]) -> FixedVectors:
    """The vectors that the encoder of a trained neural parser has for sentences."""
    network = network_of(load(model))
    distinct = list(dict.fromkeys(sentences))
    return FixedVectors(dict(zip(distinct, network.encoder.vectors(distinct), strict=True)))


def tables_of(
    network: Network, sentences: Sequence[Words], heads: Sequence[str]
) -> Iterator[tuple[Words, list[Floats32]]]:
    """The tables of some heads for every sentence, without padding; not in order."""
    lengths = [len(words) for words in sentences]
    codes = [network.encoder.prepare(words) for words in sentences]
    for numbers, vectors in encoded_batches(network, codes, lengths):
        with torch.inference_mode():
            tables = [network.scores(head, vectors).numpy() for head in heads]
        for row, number in enumerate(numbers):
            size = lengths[number] + 1
            inside = [
                table[row, :size, :size] if table.ndim == 4 else table[row, : size - 1]
                for table in tables
            ]
            yield sentences[number], list(map(np.ascontiguousarray, inside))
