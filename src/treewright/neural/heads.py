"""Heads: scoring layers that map word vectors to tables of scores.

Tables have the layouts of `treewright.forests.tables`, padded to the longest sentence of a batch.
"""

from math import log

import torch
from torch import Tensor, nn

LABELLED = 0.1  # of spans, by a new head for rules


class _Layer(nn.Sequential):
    """A hidden layer with dropout."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__(nn.Linear(width, hidden), nn.LeakyReLU(0.1), nn.Dropout(dropout))


class Biaffine(nn.Module):
    """Scores of pairs [sentences, left, right, labels] (Dozat and Manning 2017).

    s(a, b, l) = a' W_l b + u_l' a + v_l' b + c_l for hidden vectors a and b of two words.
    """

    def __init__(self, width: int, hidden: int, labels: int, dropout: float) -> None:
        super().__init__()
        self.left, self.right = (_Layer(width, hidden, dropout) for _ in range(2))
        self.pair = nn.Linear(hidden, labels * hidden, bias=False)
        self.of_left, self.of_right = nn.Linear(hidden, labels), nn.Linear(hidden, labels)
        nn.init.zeros_(self.pair.weight)
        self.labels = labels

    def forward(self, left: Tensor, right: Tensor) -> Tensor:
        a, b = self.left(left), self.right(right)
        turned = self.pair(a).unflatten(2, (self.labels, -1)).flatten(1, 2)
        pairs = (turned @ b.transpose(1, 2)).unflatten(1, (-1, self.labels)).permute(0, 1, 3, 2)
        found: Tensor = pairs + self.of_left(a)[:, :, None] + self.of_right(b)[:, None]
        return found


class ArcHead(nn.Module):
    """Labelled arcs: [sentences, longest + 1, longest + 1, labels], head by word."""

    def __init__(
        self, width: int, labels: int, hidden: int, label_hidden: int, dropout: float
    ) -> None:
        super().__init__()
        self.arcs = Biaffine(width, hidden, 1, dropout)
        self.labels = Biaffine(width, label_hidden, labels, dropout)

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = self.arcs(vectors, vectors) + self.labels(vectors, vectors)
        return found


class SlotHead(nn.Module):
    """Arguments of functors: [sentences, longest + 1, longest + 1, slots], functor by argument.

    The argument 0 is none: the slot is not filled.
    """

    def __init__(self, width: int, slots: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.pairs = Biaffine(width, hidden, slots, dropout)

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = self.pairs(vectors, vectors)
        return found


def _fenceposts(vectors: Tensor) -> Tensor:
    """Vectors of the places between words: those of the words on the left and on the right.

    The root is on the left of the first word, and zeros are on the right of the last.
    """
    after = nn.functional.pad(vectors[:, 1:], (0, 0, 0, 1))
    return torch.cat((vectors, after), dim=2)


class SpanHead(nn.Module):
    """Labelled spans: [sentences, longest + 1, longest + 1, labels], begin by end."""

    def __init__(
        self, width: int, labels: int, hidden: int, label_hidden: int, dropout: float
    ) -> None:
        super().__init__()
        self.spans = Biaffine(2 * width, hidden, 1, dropout)
        self.labels = Biaffine(2 * width, label_hidden, labels, dropout)

    def forward(self, vectors: Tensor) -> Tensor:
        posts = _fenceposts(vectors)
        found: Tensor = self.spans(posts, posts) + self.labels(posts, posts)
        return found


class RuleHead(nn.Module):
    """Rules over spans: [sentences, longest + 1, longest + 1, labels], begin by end.

    s(i, j) = W leaky(A x_i + B x_j + a) + b for the vectors x of fenceposts: there are many labels,
    and a biaffine layer has a matrix for each of them. As most spans have no label, b is low at
    first, so that a new head beside trained ones does not outweigh them.
    """

    def __init__(self, width: int, labels: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.begin = nn.Linear(2 * width, hidden)
        self.end = nn.Linear(2 * width, hidden, bias=False)
        last = nn.Linear(hidden, labels)
        nn.init.constant_(last.bias, -log(labels / LABELLED))
        self.scores = nn.Sequential(nn.LeakyReLU(0.1), nn.Dropout(dropout), last)

    def forward(self, vectors: Tensor) -> Tensor:
        posts = _fenceposts(vectors)
        found: Tensor = self.scores(self.begin(posts)[:, :, None] + self.end(posts)[:, None])
        return found


class TagHead(nn.Module):
    """Tags: [sentences, longest, tags]."""

    def __init__(self, width: int, tags: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.hidden = _Layer(width, hidden, dropout)
        self.scores = nn.Linear(hidden, tags)

    def forward(self, vectors: Tensor) -> Tensor:
        found: Tensor = self.scores(self.hidden(vectors[:, 1:]))
        return found
