"""Learning from a teacher: a larger network's probabilities as soft labels (Hinton et al. 2015).

Every head is a log-linear model of its labels, so the cross entropy from the teacher's distribution
p is log Z - <p, s>: it needs only the teacher's probabilities of single labels, arcs and arguments,
for trees too.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from treewright.arrays import Floats, Floats32, Integers
from treewright.neural.encoder import inside
from treewright.torch.matrix_tree import log_partition

Normaliser = Callable[[Tensor, Tensor], Tensor]


class SoftLabels(NamedTuple):
    """The probable cells of the table of a sentence.

    Attributes:
        words: number of words.
        cells: coordinates in the table, [cells, dimensions].
        shares: their probabilities.
    """

    words: int
    cells: Integers
    shares: Floats32


@dataclass
class TaughtPart:
    """A head that learns from a teacher's soft labels.

    `log_z` takes padded tables and the lengths of the sentences: the sum of all log Z.
    """

    name: str
    head: str
    log_z: Normaliser
    gold: Mapping[int, SoftLabels]
    dev_gold: Mapping[int, Any] = field(default_factory=dict)

    @property
    def heads(self) -> tuple[str, ...]:
        """The head."""
        return (self.head,)

    def loss(self, scores: Tensor, gold: Sequence[SoftLabels]) -> Tensor:
        """The cross entropy, summed over the sentences."""
        lengths = torch.tensor([each.words for each in gold], device=scores.device)
        rows = np.repeat(np.arange(len(gold)), [len(each.shares) for each in gold])
        cells = np.concatenate([each.cells for each in gold]).astype(np.int64).T
        places = [torch.from_numpy(each).to(scores.device) for each in (rows, *cells)]
        shares = torch.from_numpy(np.concatenate([each.shares for each in gold])).to(scores)
        return self.log_z(scores, lengths) - (shares * scores[tuple(places)]).sum()

    def count(self, *_: Any) -> Sequence[int]:
        return ()

    def figures(self, counts: Floats) -> Mapping[str, float]:  # noqa: ARG002
        return {}


def of_words(scores: Tensor, lengths: Tensor) -> Tensor:
    """log Z of one label per word, from [sentences, words, labels]."""
    counted = inside(lengths - 1, scores.shape[1])
    return torch.logsumexp(scores, dim=2)[counted].sum()


def of_trees(scores: Tensor, lengths: Tensor) -> Tensor:
    """log Z of dependency trees with a single root, from [sentences, heads, words, labels]."""
    return log_partition(torch.logsumexp(scores, dim=3), lengths).to(scores.dtype).sum()


def of_arguments(scores: Tensor, lengths: Tensor) -> Tensor:
    """log Z of one argument, or none, per functor and slot: [sentences, functors, words, slots]."""
    within = inside(lengths, scores.shape[1])
    functors = within.clone()
    functors[:, 0] = False
    masked = scores.masked_fill(~within[:, None, :, None], -torch.inf)
    return torch.logsumexp(masked, dim=2)[functors].sum()
