"""Objectives on the forests of a training task: computed in this process, or by Ray workers.

Workers hold the forests: charts from the run's store, and trees that they are sent once.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from torch import Tensor

from treewright.forests.tables import SpanExamples
from treewright.losses.settings import ObjectiveSettings
from treewright.models.neural.data import Corpus, counted
from treewright.models.neural.members import SPANS
from treewright.models.neural.settings import ConstituencyHeadSettings
from treewright.neural.spans import SpanLoss
from treewright.torch.forests import RemoteForestLoss
from treewright.train.run import Run
from treewright.train.shards import Shard, dealt


@dataclass(frozen=True)
class Forests:
    """An objective, and what it takes: the number of words and an item by sentence number."""

    objective: Callable[[Sequence[Any], Sequence[Tensor]], Tensor] | None
    gold: Mapping[int, tuple[int, Any]]


def held_forests(
    how: ObjectiveSettings,
    words: Mapping[int, int],
    shard: Callable[[Sequence[int]], Shard],
    run: Run,
) -> Forests:
    """Forests that the workers of the run's cluster hold.

    Args:
        how: the objective.
        words: the number of words by sentence number.
        shard: the examples of some sentences, given by their indices in `words`.
        run: a run with a cluster.
    """
    numbers, sizes = list(words), list(words.values())
    hands = dealt(sizes, run.shards)
    objective = RemoteForestLoss(run.tables(how, [shard(hand) for hand in hands]))
    order = enumerate(chain.from_iterable(hands))
    return Forests(objective, {numbers[i]: (sizes[i], place) for place, i in order})


def span_forests(how: ConstituencyHeadSettings, corpus: Corpus, run: Run | None) -> Forests:
    """The trees of labelled spans of the training sentences."""
    gold = corpus.train.gold[SPANS]
    if how.local:
        return Forests(None, gold)
    chains = [counted(label) for label in corpus.labels[SPANS]]
    if run is None or run.ray is None:
        objective = SpanLoss(how.objective.make(), chains, threads=1)
        return Forests(objective, gold)
    trees = list(gold.values())
    return held_forests(
        how.objective,
        {number: words for number, (words, _) in gold.items()},
        lambda hand: Shard(SpanExamples, ([trees[i] for i in hand], chains)),
        run,
    )
