"""Joint training of the heads of a network: sentences with gold for some heads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor

from treewright.arrays import Floats, Integers
from treewright.neural.batches import Batch
from treewright.neural.network import Network, encoded_batches


class Part(Protocol):
    """Training data of one or several heads; gold is indexed by sentence number.

    `loss` takes the tables of the heads in their order, then the gold of a batch, and returns the
    value to minimise, summed over the words; `count` takes the same of dev sentences, and returns
    counts that can be added up.
    """

    name: str
    gold: Mapping[int, Any]
    dev_gold: Mapping[int, Any]

    @property
    def loss(self) -> Callable[..., Tensor]: ...
    @property
    def count(self) -> Callable[..., Sequence[int]]: ...
    @property
    def heads(self) -> tuple[str, ...]:
        """The names of the heads."""

    def figures(self, counts: Floats) -> Mapping[str, float]:
        """Metrics of total counts; the first is used to choose the best epoch."""


@dataclass
class JointTask:
    """Several parts with one encoder; an epoch encodes every sentence once for all its parts."""

    network: Network
    parts: Sequence[Part]
    sentences: Sequence[Integers]
    lengths: Sequence[int]
    dev_sentences: Sequence[Integers] = ()
    dev_lengths: Sequence[int] = ()
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def has_dev(self) -> bool:
        return bool(self.dev_sentences)

    def loss(self, batch: Batch) -> Tensor:
        """The weighted sum of the parts' losses, per word of the batch."""
        vectors = self.network.vectors([self.sentences[i] for i in batch])
        total = vectors.new_zeros(())
        made: dict[tuple[str, tuple[int, ...]], Tensor] = {}  # several parts may share a head
        for part in self.parts:
            rows = tuple(row for row, i in enumerate(batch) if i in part.gold)
            if rows:
                for head in part.heads:
                    if (head, rows) not in made:
                        made[head, rows] = self.network.scores(head, _rows(vectors, rows))
                scores = [made[head, rows] for head in part.heads]
                value = part.loss(*scores, [part.gold[batch[row]] for row in rows])
                total = total + self.weights.get(part.name, 1.0) * value
        return total / max(1, sum(self.lengths[i] for i in batch))

    def score(self) -> Mapping[str, float]:
        """The metrics of all parts, and the mean of their first metrics."""
        counts = {part.name: np.zeros(0) for part in self.parts}
        for numbers, vectors in encoded_batches(self.network, self.dev_sentences, self.dev_lengths):
            for part in self.parts:
                rows = [row for row, i in enumerate(numbers) if i in part.dev_gold]
                if rows:
                    with torch.inference_mode():
                        some = _rows(vectors, rows)
                        scores = [self.network.scores(head, some) for head in part.heads]
                    gold = [part.dev_gold[numbers[row]] for row in rows]
                    counts[part.name] = _added(counts[part.name], part.count(*scores, gold))
        found = [part.figures(counts[part.name]) for part in self.parts if len(counts[part.name])]
        figures = {name: value for each in found for name, value in each.items()}
        mean = float(np.mean([next(iter(each.values())) for each in found])) if found else 0.0
        return {"score": mean / 100, **figures}


class OneHead:
    """A part that is named as its head."""

    name: str

    @property
    def heads(self) -> tuple[str, ...]:
        """The head."""
        return (self.name,)


def _rows(vectors: Tensor, rows: Sequence[int]) -> Tensor:
    return vectors if len(rows) == len(vectors) else vectors[list(rows)]


def _added(total: Floats, more: Sequence[int]) -> Floats:
    found: Floats = np.asarray(more, np.float64) + (total if len(total) else 0.0)
    return found
