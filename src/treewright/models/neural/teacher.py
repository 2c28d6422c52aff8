"""Soft labels of training sentences from trained networks, computed once and kept in the run."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from treewright.arrays import Floats, Floats32, Integers
from treewright.errors import ConfigError
from treewright.inference.matrix_tree import marginals
from treewright.models.neural.data import Sentences, Words, numbers
from treewright.models.neural.members import ARCS, FEATS, LEMMA, SLOTS, SUPER, TAG
from treewright.neural.teaching import SoftLabels
from treewright.scores.neural.network import TrainedNetwork, log_softmax
from treewright.storage.bundle import Bundle
from treewright.train.run import Run

KIND = "soft-labels"
LEAST = 0.005  # smaller probabilities are left out
PIECE = 16  # sentences per task
Tables = Callable[[Floats32], Floats]


@dataclass(frozen=True)
class Taught:
    """How probabilities come from the scores of a head.

    Attributes:
        shares: probabilities of all cells of a table.
        units: the dimensions of a table with one distribution per index.
        pairs: whether the table is of pairs of words.
    """

    shares: Tables
    units: tuple[int, ...]
    pairs: bool = True


def _words(table: Floats32) -> Floats:
    return np.exp(log_softmax(table)).astype(np.float64)


def _arcs(table: Floats32) -> Floats:
    labels = log_softmax(table)
    summed = (table - labels)[..., 0].astype(np.float64)
    found: Floats = marginals(summed).arcs[..., None] * np.exp(labels)
    return found


def _arguments(table: Floats32) -> Floats:
    found = np.exp(log_softmax(table.transpose(0, 2, 1))).transpose(0, 2, 1).astype(np.float64)
    found[0] = 0.0  # the root is no functor
    return found


HEADS: Mapping[str, Taught] = {
    ARCS: Taught(_arcs, (1,)),
    SLOTS: Taught(_arguments, (0, 2)),
    **dict.fromkeys((TAG, FEATS, LEMMA, SUPER), Taught(_words, (0,), pairs=False)),
}


def soft_labels(
    teachers: Sequence[TrainedNetwork],
    labels: Mapping[str, Sequence[str]],
    sentences: Sentences,
    run: Run,
) -> Mapping[str, Mapping[int, SoftLabels]]:
    """The soft labels of each head that a teacher has, by sentence number.

    Sentences are those with gold for one of these heads.
    """
    known = {name for each in teachers for name in each.labels}
    heads = [name for name in labels if name in HEADS and name in known]
    if not heads:
        raise ConfigError("neural.teachers: models without any of the network's heads")
    chosen = sorted({number for head in heads for number in sentences.gold.get(head, ())})
    words = [sentences.words[number] for number in chosen]
    labeller = Labeller(
        [each.bundle for each in teachers], {head: tuple(labels[head]) for head in heads}
    )
    kept = run.stage("soft-labels", lambda: _bundle(labeller, words, run))
    return {
        head: {
            number: each
            for number, each in zip(chosen, _unpacked(kept, head, words), strict=True)
            if each is not None
        }
        for head in heads
    }


class Labeller:
    """Labels sentences with the mean probabilities of teachers, in threads or on workers.

    Args:
        teachers: the bundles of their networks.
        labels: the labels of the student's heads.
    """

    def __init__(self, teachers: Sequence[Bundle], labels: Mapping[str, Sequence[str]]) -> None:
        self.networks = [TrainedNetwork.from_bundle(each) for each in teachers]
        self.labels = dict(labels)
        self.by_head = {
            head: [
                (each, _both(each.labels[head], names))
                for each in self.networks
                if head in each.labels
            ]
            for head, names in labels.items()
        }

    def __reduce__(self) -> tuple[Callable[..., "Labeller"], tuple[object, ...]]:
        """Sessions of ONNX Runtime cannot be pickled; workers rebuild them from plain data."""
        return Labeller, ([each.bundle for each in self.networks], self.labels)

    def __call__(self, piece: Sequence[Words]) -> list[dict[str, SoftLabels]]:
        """The soft labels of sentences by head, where there are any."""
        return [dict(self._heads(words)) for words in piece]

    def _heads(self, words: Words) -> Iterator[tuple[str, SoftLabels]]:
        for head in self.labels:
            if (found := _probable(self._shares(head, words), HEADS[head])) is not None:
                yield head, SoftLabels(len(words), *found)

    def _shares(self, head: str, words: Words) -> Floats:
        """The mean of the teachers' probabilities in the layout of the student's table."""
        how, teachers = HEADS[head], self.by_head[head]
        size = (len(words) + 1,) * 2 if how.pairs else (len(words),)
        mean = np.zeros((*size, len(self.labels[head])))
        for network, (theirs, ours) in teachers:
            (table,) = network.tables(head, [words], how.pairs)
            mean[..., ours] += how.shares(table)[..., theirs] / len(teachers)
        return mean


def _both(theirs: Sequence[str], ours: Sequence[str]) -> tuple[Integers, Integers]:
    """The labels that two networks have: the first's numbers, and the second's."""
    number = numbers(ours)
    both = [(i, number[label]) for i, label in enumerate(theirs) if label in number]
    first, second = np.array(both, np.int64).reshape(-1, 2).T
    return first, second


def _probable(shares: Floats, how: Taught) -> tuple[Integers, Floats32] | None:
    """The probable cells of a table and their probabilities, which add up to 1 again.

    None if a distribution has no label that both networks have.
    """
    shares = np.where(shares < LEAST, 0.0, shares)
    others = tuple(axis for axis in range(shares.ndim) if axis not in how.units)
    total = shares.sum(axis=others, keepdims=True)
    if not total.squeeze(others)[1 if how.pairs else 0 :].all():
        return None
    shares = np.divide(shares, total, out=shares, where=total > 0.0)
    cells = np.argwhere(shares)
    return cells, shares[tuple(cells.T)].astype(np.float32)


def _bundle(labeller: Labeller, words: Sequence[Words], run: Run) -> Bundle:
    """The labels of all sentences: for each head their number per sentence, cells and shares."""
    pieces = [words[begin : begin + PIECE] for begin in range(0, len(words), PIECE)]
    made = [each for some in run.map("soft labels", labeller, pieces, len) for each in some]
    arrays: dict[str, NDArray[Any]] = {}
    for head in labeller.labels:
        found = [each[head] for each in made if head in each]
        empty = np.zeros((0, 3 if HEADS[head].pairs else 2), np.int64)
        arrays[f"{head}.counts"] = np.array(
            [len(each[head].shares) if head in each else 0 for each in made], np.int64
        )
        cells = np.concatenate([empty, *(each.cells for each in found)])
        arrays[f"{head}.cells"] = cells.astype(np.int32)
        arrays[f"{head}.shares"] = np.concatenate(
            [np.zeros(0, np.float32), *(each.shares for each in found)]
        )
        run.record(head=head, taught=len(found))
    return Bundle(KIND, {}, arrays, {})


def _unpacked(bundle: Bundle, head: str, words: Sequence[Words]) -> Iterator[SoftLabels | None]:
    """The labels of each sentence; None without any."""
    counts, cells, shares = (bundle.arrays[f"{head}.{x}"] for x in ("counts", "cells", "shares"))
    ends = np.cumsum(counts)
    for sentence, begin, end in zip(words, ends - counts, ends, strict=True):
        yield (
            SoftLabels(len(sentence), cells[begin:end], shares[begin:end]) if begin < end else None
        )
