"""Forest stores: what goes in comes out, however large, and a store is sound or not there."""

import os
import resource
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import (
    MATRIX,
    NAMES,
    STRUCTURE,
    all_of,
    arrays_of,
    assert_same,
    full_example,
    random_example,
    some_examples,
    written,
)
from tests.strategies import randoms
from treewright.errors import StoreError
from treewright.forests import Example, FeatureMatrix, Forest, ForestStore

# Round trips


@given(st.lists(randoms().map(random_example), max_size=4))
def test_what_goes_in_comes_out(
    tmp_path_factory: pytest.TempPathFactory, examples: list[Example]
) -> None:
    path = written(tmp_path_factory.getbasetemp() / "round.store", examples)
    with ForestStore(path) as store:
        assert len(store) == len(examples)
        for found, expected in zip(store, examples, strict=True):
            assert_same(found, expected)
        assert list(store.verify()) == []


@pytest.mark.parametrize("name", NAMES)
def test_any_name_comes_out(tmp_path: Path, name: str) -> None:
    [found] = all_of(written(tmp_path / "a", [full_example(name)]))
    assert found.name == name


def test_what_is_absent_stays_absent(tmp_path: Path) -> None:
    full = full_example()
    bare = Forest(*(getattr(full.forest, n) for n in STRUCTURE[:4]), full.forest.parts)
    unweighted = replace(full.features, value=None)
    empty = FeatureMatrix.from_csr([0] * (bare.parts + 1), [], [])
    counts = full.forest.counts
    assert counts is not None
    other_counts = full.forest.with_counts(counts[::-1], gold_size=0)
    examples = [
        full,
        replace(full, gold=None),
        replace(full, features=unweighted),
        replace(full, features=empty),
        replace(full, features=replace(empty, value=None)),
        replace(full, forest=bare, gold=None),
        replace(full, forest=bare),  # only the gold has counts
        replace(full, gold=bare),  # only the forest has
        replace(full, gold=other_counts),
        replace(full, forest=bare, gold=bare),
    ]
    path = written(tmp_path / "a", examples)
    for found, expected in zip(all_of(path), examples, strict=True):
        assert_same(found, expected)


def test_the_bytes_are_those_of_the_documentation(tmp_path: Path) -> None:
    """Reads a store with nothing but the tables of docs/formats.md, version 1."""
    expected = full_example("tree 樹")
    content = written(tmp_path / "a", [replace(expected, name="other"), expected]).read_bytes()
    assert content[:12] == b"\x89TWFS\r\n\x1a\1\0\0\0"
    assert content[-64:-56] == b"TWFS end"
    records, *totals, index = struct.unpack("<6Q", content[-56:-8])
    forest = expected.forest
    sizes = (forest.nodes, forest.edges, forest.parts, len(expected.features.local))
    assert (records, totals) == (2, [2 * size for size in sizes])
    at, length, checksum, zero = struct.unpack_from("<QQII", content, index + 24)
    assert (at + length, crc32(content[at:index]), zero) == (index, checksum, 0)
    *lengths, gold_size, size_of_gold = struct.unpack_from("<17q", content, at)
    assert gold_size == size_of_gold == forest.gold_size
    found, at = [], at + 192
    kinds = ["u1", *["i4"] * 7, "f4", "i2", *["i4"] * 4]
    for kind, number in zip(kinds, lengths[:-1], strict=True):
        found.append(np.frombuffer(content, f"<{kind}", number, at))
        at += -(-found[-1].nbytes // 64) * 64
    assert (at, lengths[-1]) == (index, -2)
    assert found[0].tobytes().decode() == expected.name
    arrays = arrays_of(expected)
    names = (*STRUCTURE[:4], *MATRIX, "counts", *(f"gold {name}" for name in STRUCTURE[:4]))
    for name, array in zip(names, found[1:], strict=True):
        assert np.array_equal(array, arrays[name].ravel()), name


def test_a_store_is_a_sequence(tmp_path: Path) -> None:
    examples = some_examples(5)
    with ForestStore(written(tmp_path / "a", examples)) as store:
        assert isinstance(store, Sequence)
        assert [found.name for found in store] == [f"s.{i}" for i in range(5)]
        assert store[-1].name == "s.4"
        assert store[np.int64(2)].name == "s.2"
        assert [found.name for found in store[1:4:2]] == ["s.1", "s.3"]
        assert [found.name for found in store[::-1]] == [f"s.{i}" for i in (4, 3, 2, 1, 0)]
        assert store[7:] == []
        for index in (5, -6):
            with pytest.raises(IndexError):
                store[index]


def test_an_empty_store(tmp_path: Path) -> None:
    with ForestStore(written(tmp_path / "a", [])) as store:
        assert list(store) == []
        assert list(store.verify()) == []
        assert store.info().records == store.info().edges == 0
        assert store.info().bytes_per_edge >= 0


def test_info_adds_up(tmp_path: Path) -> None:
    examples = some_examples(20)
    path = written(tmp_path / "a", examples)
    with ForestStore(path) as store:
        info = store.info()
    edges = sum(e.forest.edges for e in examples)
    structure = sum(getattr(e.forest, n).nbytes for e in examples for n in STRUCTURE[:4])
    assert (info.records, info.edges, info.bytes) == (20, edges, path.stat().st_size)
    assert info.nodes == sum(e.forest.nodes for e in examples)
    assert info.parts == sum(e.forest.parts for e in examples)
    assert info.entries == sum(len(e.features.local) for e in examples)
    assert info.structure_bytes_per_edge == structure / edges
    assert info.bytes_per_edge == path.stat().st_size / edges


def test_arrays_are_views_of_the_mapped_file(tmp_path: Path) -> None:
    with ForestStore(written(tmp_path / "a", [full_example("a" * 70), full_example()])) as store:
        content = store._content
        assert content is not None
        for found in store:
            for name, array in arrays_of(found).items():
                assert np.shares_memory(array, content), name
                assert array.ctypes.data % 64 == 0, name
                assert not array.flags.writeable, name


def test_gold_shares_the_counts_of_its_forest(tmp_path: Path) -> None:
    [found] = all_of(written(tmp_path / "a", [full_example()]))
    assert found.gold is not None
    assert np.shares_memory(found.gold.counts, found.forest.counts)


def test_an_example_is_read_once(tmp_path: Path) -> None:
    with ForestStore(written(tmp_path / "a", some_examples(3))) as store:
        assert all(a is b for a, b in zip(store, store, strict=True))


def test_a_closed_store_reads_no_more(tmp_path: Path) -> None:
    path = written(tmp_path / "a", some_examples(2))
    with ForestStore(path) as store:
        kept = store[0]
    assert kept.forest.left.max() >= -1
    for number in (0, 1):
        with pytest.raises(StoreError, match=r"a: the store is closed"):
            store[number]
    mapped = Path("/proc/self/maps")
    if mapped.exists():
        assert str(path) in mapped.read_text()
        del kept
        assert str(path) not in mapped.read_text()


# Writing


def partial_of(path: Path) -> Path:
    (partial,) = path.parent.glob(f".{path.name}.*.partial")
    return partial


def failing(path: Path, error: BaseException) -> None:
    with ForestStore.create(path) as writer:
        writer.add(full_example())
        assert partial_of(path).exists()
        raise error


@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
@pytest.mark.parametrize("existing", [True, False])
def test_a_failed_writer_leaves_nothing(
    tmp_path: Path, error: BaseException, existing: bool
) -> None:
    path = tmp_path / "a"
    before = written(path, some_examples(3)).read_bytes() if existing else b""
    with pytest.raises(type(error)):
        failing(path, error)
    assert list(tmp_path.iterdir()) == ([path] if existing else [])
    assert not existing or path.read_bytes() == before


def test_nothing_is_seen_before_the_end(tmp_path: Path) -> None:
    path = written(tmp_path / "a", some_examples(3))
    with ForestStore.create(path) as writer:
        writer.add(full_example())
        assert len(ForestStore(path)) == 3
        with pytest.raises(StoreError, match="not a forest store"):
            ForestStore(partial_of(path))
    assert [found.name for found in all_of(path)] == ["full"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_outlives_the_replacement_of_its_store(tmp_path: Path) -> None:
    old = some_examples(3)
    path = written(tmp_path / "a", old)
    with ForestStore(path) as store:
        written(path, [full_example()])
        for found, expected in zip(store, old, strict=True):
            assert_same(found, expected)


def test_what_a_killed_writer_left_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / ".a.0a1b2c3d.partial").write_bytes(b"half a store" * 1000)
    assert len(all_of(written(tmp_path / "a", some_examples(2)))) == 2
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_of_two_writers_at_once_the_last_to_finish_stays(tmp_path: Path) -> None:
    path = tmp_path / "a"
    with ForestStore.create(path) as first:
        with ForestStore.create(path) as second:
            first.add(full_example("first"))
            second.add(full_example("second"))
        assert [example.name for example in all_of(path)] == ["second"]
    assert [example.name for example in all_of(path)] == ["first"]
    assert list(tmp_path.iterdir()) == [path]


def test_a_writer_works_only_in_its_with(tmp_path: Path) -> None:
    writer = ForestStore.create(tmp_path / "a")
    with pytest.raises(StoreError, match="a: the writer is not open"):
        writer.add(full_example())
    with writer:
        pass
    with pytest.raises(StoreError, match="a: the writer is not open"):
        writer.add(full_example())


def test_a_store_that_cannot_be_finished_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    path = written(tmp_path / "a", some_examples(1))
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(StoreError, match="a: No space left on device"):
        written(path, some_examples(2))
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == before


def test_a_record_that_does_not_fit_spoils_no_other(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    small, large = full_example(), full_example("x" * 100_000)
    with ForestStore.create(tmp_path / "a") as writer:
        writer.add(small)
        resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
        try:
            with pytest.raises(StoreError, match="a: File too large"):
                writer.add(large)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        writer.add(small)
    for found in all_of(tmp_path / "a"):
        assert_same(found, small)
    assert (tmp_path / "a").stat().st_size < 50_000


# Size

PROGRAM = """
import resource, sys
import numpy as np
from treewright.forests import Example, FeatureMatrix, Forest, ForestStore

leaves = 100_000
edges = np.arange(2 * leaves + 1)
forest = Forest(
    np.append(edges[::2], len(edges)).astype(np.int32),
    np.where(edges < 2 * leaves, -1, leaves - 1).astype(np.int32),
    np.full(len(edges), -1, dtype=np.int32),
    edges.astype(np.int32),
    len(edges),
)
example = Example(forest, FeatureMatrix.identity(forest.parts), name="large")

with open("/proc/self/status") as status:
    used = next(int(line.split()[1]) for line in status if line.startswith("VmData"))
limit = used * 1024 + 60_000_000
resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
try:
    np.ones(80_000_000, dtype=np.uint8)
    sys.exit("the limit does not hold")
except MemoryError:
    pass

with ForestStore.create(sys.argv[1]) as writer:
    for _ in range(60):
        writer.add(example)
with ForestStore(sys.argv[1]) as store:
    assert store.info().bytes > 300_000_000
    assert list(store.verify()) == []
    for _ in range(2):
        assert sum(int(found.forest.part[-1]) for found in store) == 60 * 2 * leaves
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux")
def test_a_store_may_be_larger_than_memory(tmp_path: Path) -> None:
    """300 MB are written and read by a process that may use 60 MB more than it starts with."""
    command = [sys.executable, "-c", dedent(PROGRAM), str(tmp_path / "large")]
    try:
        subprocess.run(command, check=True, timeout=120)
    finally:
        (tmp_path / "large").unlink(missing_ok=True)
