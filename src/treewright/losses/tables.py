"""Objectives over forests with one table of scores per sentence, as networks compute them.

The columns of an example's feature matrix are indices into the table of its sentence. Tables are
concatenated: table i is `tables[first[i] : first[i + 1]]`.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from treewright import _core
from treewright.arrays import Floats, Integers
from treewright.errors import ForestError
from treewright.forests.features import Example
from treewright.losses.batch import batch_item
from treewright.losses.corpus import CorpusSoftmaxMargin
from treewright.losses.objective import Objective
from treewright.machine import available_threads

# (tables [entries], first [sentences + 1]) -> values [sentences], gradient [entries]
TableFunction = Callable[[Floats, Integers], tuple[Floats, Floats]]


def offsets(sizes: Sequence[int]) -> Integers:
    """The offsets of tables of these sizes: int64 [tables + 1]."""
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64))).astype(np.int64)


def table_objective(
    objective: Objective, examples: Sequence[Example], threads: int = 0
) -> TableFunction:
    """The objective's value on each example [examples], and its gradient over all tables.

    Computed in the core's threads with the GIL released; threads = 0: all cores.
    """
    items = [batch_item(objective, each, number) for number, each in enumerate(examples)]
    batch = _core.Batch(items, -1)
    used = threads or available_threads()
    return lambda tables, first: batch.run_tables(tables, first, used)


def corpus_table_objective(
    objective: CorpusSoftmaxMargin, examples: Sequence[Example]
) -> TableFunction:
    """The objective's value on all examples as one corpus [1], and its gradient over all tables."""
    golds = []
    for number, each in enumerate(examples):
        if each.gold is None:
            raise ForestError(f"{each.name or f'example {number}'}: no gold derivation")
        golds.append(each.gold)

    def run(tables: Floats, first: Integers) -> tuple[Floats, Floats]:
        views = [tables[a:b] for a, b in pairwise(first)]
        scores = [e.features.scores(view) for e, view in zip(examples, views, strict=True)]
        forests = [each.forest for each in examples]
        value, slopes = objective.value_and_gradient(forests, scores, golds)
        gradient = np.zeros_like(tables)
        for each, slope, (begin, end) in zip(examples, slopes, pairwise(first), strict=True):
            each.features.backpropagate(slope, gradient[begin:end])
        return np.array([value]), gradient

    return run
