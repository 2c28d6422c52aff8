"""Tables of scores on workers that hold the forests give what one process gives, bit by bit."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from socket import create_server, socket
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.torch.structures import STRUCTURES
from tests.train.test_cluster import FakeRay
from treewright.arrays import Floats, Integers
from treewright.errors import ForestError, TreewrightError
from treewright.forests import ForestStore
from treewright.forests.features import Example
from treewright.forests.tables import SpanExamples, span_example
from treewright.losses.settings import ObjectiveSettings
from treewright.losses.tables import offsets, table_objective
from treewright.train import cluster as room
from treewright.train.cluster import Cluster
from treewright.train.shards import Shard, dealt, store_items
from treewright.train.tables import ClusterTables, TableWorker

HOW = ObjectiveSettings("softmax-margin", "f1", 2.0)
SIZED = [make() for name, make in STRUCTURES.items() for _ in range(2)]


def some(places: Sequence[int]) -> list[Example]:
    return [SIZED[place][0] for place in places]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    with create_server(("127.0.0.1", 0)) as head:
        yield fake_cluster(head, monkeypatch)


def fake_cluster(head: socket, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setattr(room, "connected", lambda _: FakeRay(head))
    return Cluster("auto", 1)


def random_tables(sizes: Sequence[int], dtype: Any) -> tuple[Floats, Integers]:
    first = offsets(sizes)
    return np.random.default_rng(0).normal(size=first[-1]).astype(dtype), first


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shards", [1, 3, 5])
def test_workers_give_the_same_bits(shards: int, dtype: Any, cluster: Cluster) -> None:
    hands = dealt([size for _, size in SIZED], shards)
    place = {number: i for i, number in enumerate(chain.from_iterable(hands))}
    ours = ClusterTables(cluster, HOW, [Shard(some, (hand,)) for hand in hands])
    assert len(ours) == len(SIZED)
    for chosen in (list(range(len(SIZED))), [3, 11, 0], [7]):
        tables, first = random_tables([SIZED[i][1] for i in chosen], dtype)
        values, gradient = ours([place[i] for i in chosen], tables, first)
        alone = table_objective(HOW.make(), some(chosen), threads=1)
        due, slope = alone(tables.astype(np.float64), first)
        assert np.array_equal(values, due)
        assert gradient.dtype == dtype
        assert np.array_equal(gradient, slope.astype(dtype))


def test_hands_have_equally_many_of_every_length() -> None:
    sizes = [5, 2, 9, 2, 7, 5, 2]
    assert dealt(sizes, 2) == [[1, 6, 5, 2], [3, 0, 4]]
    assert dealt(sizes[:2], 3) == [[1], [0]]


def test_shards_of_stores_and_of_trees(tmp_path: Any) -> None:
    with ForestStore.create(tmp_path / "x.store") as out:
        for name in "abcd":
            out.add(replace(SIZED[0][0], name=name))
    assert [each.name for each in store_items(tmp_path / "x.store", [2, 0])] == ["c", "a"]
    chains = [("A",), ("B",)]
    trees = [(2, [(0, 2, 1)]), (3, [(0, 3, 0), (1, 3, 1)])]
    examples = SpanExamples(trees, chains)
    assert len(examples) == len(examples[:]) == 2
    due = span_example(trees[1][1], 3, chains)
    for found in (examples[1], examples[-1]):
        assert found.forest.counts is not None
        assert due.forest.counts is not None
        assert np.array_equal(found.forest.counts, due.forest.counts)


def test_errors_of_workers_are_raised_here(cluster: Cluster) -> None:
    ours = ClusterTables(cluster, HOW, [Shard(some, ([0],))])
    size = SIZED[0][1]
    with pytest.raises(ForestError, match="is outside its table"):
        ours([0], np.zeros(size // 2), offsets([size // 2]))


def test_what_workers_send_is_checked(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    worker = SimpleNamespace(size=lambda: 2, values_and_gradient=lambda *_: sent[-1])
    monkeypatch.setattr(ClusterTables, "worker", lambda *_: worker)
    ours = ClusterTables(cluster, HOW, [Shard(list)] * 2)
    value, slope = np.ones(1), np.ones(4, np.float32)
    asked: tuple[Any, ...] = [3], np.zeros(4, np.float32), np.array([0, 4])
    sent.append((value, slope))
    assert np.array_equal(ours(*asked)[1], slope)
    for garbage in (
        None,
        value,
        (value, slope.astype(np.float64)),
        (value, slope[:1]),
        (1.0, slope),
        (np.ones(2), slope),
        (value.astype(np.float32), slope),
    ):
        sent.append(garbage)
        with pytest.raises(TreewrightError, match="shard 1 sent no valid answer to values_and"):
            ours(*asked)


def test_a_worker_that_dies_is_replaced_five_times(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fake's error of a dead worker is a KeyError."""
    deaths: list[int] = []

    class Mortal(TableWorker):
        def values_and_gradient(self, *asked: Any) -> Any:
            return super().values_and_gradient(*asked) if len(deaths) > 2 else "dead"

    def result(reference: Any) -> Any:
        if isinstance(reference, str):
            deaths.append(1)
            raise KeyError(reference)
        return reference

    monkeypatch.setattr(ClusterTables, "worker", Mortal)
    monkeypatch.setattr(cluster, "result", result)
    events: list[Any] = []
    shards = [Shard(some, ([0, 1],))]
    ours = ClusterTables(cluster, HOW, shards, lambda **fields: events.append(fields))
    tables, first = random_tables([SIZED[1][1]], np.float64)
    values, _ = ours([1], tables, first)
    assert np.array_equal(values, table_objective(HOW.make(), some([1]))(tables, first)[0])
    assert events == [{"event": "worker replaced", "shard": 0}] * 3
    monkeypatch.setattr(Mortal, "values_and_gradient", lambda *_: "dead")
    with pytest.raises(TreewrightError, match="the worker of shard 0 died 6 times"):
        ours([1], tables, first)
