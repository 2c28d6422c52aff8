"""Forest stores: what goes in comes out, and no damage goes unseen or crashes the reader."""

import os
import resource
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from textwrap import dedent
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.strategies import random_forest, random_gold, with_random_counts
from treewright.errors import StoreError
from treewright.forests import Example, FeatureMatrix, Forest, ForestStore
from treewright.forests.record import ARRAYS, HEAD
from treewright.forests.store_frame import FOOTER, FRAME, INDEX

NAMES = ("", "wsj_0001.1", "süß 樹 🌲", "two\nlines\0", "lone \ud800 half", "x" * 5000)
STRUCTURE = ("first_edge", "left", "right", "part", "counts")
MATRIX = ("first", "local", "vocabulary", "value")


def random_example(random: Random) -> Example:
    """Any forest, with or without counts, gold, features and values."""
    forest = random_forest(random, most=200)
    if random.random() < 0.7:
        forest = with_random_counts(random, forest)
    gold = random_gold(random, forest) if random.random() < 0.7 else None
    numbers = [random.randint(0, 3) for _ in range(forest.parts)]
    features = [random.randint(0, 99) for _ in range(sum(numbers))]
    values = [random.uniform(-2, 2) for _ in features] if random.random() < 0.5 else None
    matrix = FeatureMatrix.from_csr(np.cumsum([0, *numbers]), features, values)
    return Example(forest, matrix, gold, random.choice(NAMES))


def some_examples(number: int, seed: int = 0) -> list[Example]:
    random = Random(seed)
    return [replace(random_example(random), name=f"s.{i}") for i in range(number)]


def full_example(name: str = "full") -> Example:
    """An example that has everything."""
    random = Random(5)
    forest = with_random_counts(random, random_forest(random, most=200))
    rows, entries = range(0, 2 * forest.parts + 1, 2), range(2 * forest.parts)
    features = FeatureMatrix.from_csr(rows, entries, np.linspace(-1, 1, len(entries)))
    return Example(forest, features, random_gold(random, forest), name)


def written(path: Path, examples: Sequence[Example]) -> Path:
    with ForestStore.create(path) as writer:
        for each in examples:
            writer.add(each)
    return path


def arrays_of(example: Example) -> dict[str, Any]:
    found = {name: getattr(example.features, name) for name in MATRIX}
    for prefix, forest in (("", example.forest), ("gold ", example.gold)):
        found |= {prefix + name: getattr(forest, name, None) for name in STRUCTURE}
    return found


def assert_same(found: Example, expected: Example) -> None:
    assert found.name == expected.name
    assert (found.gold is None) == (expected.gold is None)
    for a, b in ((found.forest, expected.forest), (found.gold, expected.gold)):
        assert getattr(a, "gold_size", None) == getattr(b, "gold_size", None)
        assert getattr(a, "parts", None) == getattr(b, "parts", None)
    others = arrays_of(expected)
    for name, array in arrays_of(found).items():
        assert (array is None) == (others[name] is None)
        if array is not None:
            assert array.dtype == others[name].dtype
            assert np.array_equal(array, others[name])


def all_of(path: Path) -> list[Example]:
    with ForestStore(path) as store:
        return list(store)


# Round trips


@given(st.lists(st.randoms(use_true_random=False).map(random_example), max_size=4))
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


def failing(path: Path, error: BaseException) -> None:
    with ForestStore.create(path) as writer:
        writer.add(full_example())
        assert writer.partial.exists()
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
            ForestStore(writer.partial)
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
    (tmp_path / "a.partial").write_bytes(b"half a store" * 1000)
    assert len(all_of(written(tmp_path / "a", some_examples(2)))) == 2
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_of_two_writers_at_once_the_first_fails(tmp_path: Path) -> None:
    path = tmp_path / "a"
    first, second = ForestStore.create(path), ForestStore.create(path)
    first.__enter__()
    with second:
        first.add(full_example("first"))
        second.add(full_example("second"))
        with pytest.raises(StoreError, match="another process has begun"):
            first.__exit__(None, None, None)
    assert [found.name for found in all_of(path)] == ["second"]


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


# Damage


class Altered:
    """The bytes of a store, to be changed; `seal` makes every checksum right again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.content = bytearray(path.read_bytes())
        _, self.records, *_, self.index, _ = FOOTER.unpack_from(self.content, len(self) - FRAME)
        rows = np.frombuffer(bytes(self.content[self.index : -FRAME]), dtype=INDEX)
        self.rows = [(int(row["offset"]), int(row["length"])) for row in rows]

    def __len__(self) -> int:
        return len(self.content)

    def put(self, layout: str, offset: int, *numbers: int) -> "Altered":
        struct.pack_into(f"<{layout}", self.content, offset, *numbers)
        return self

    def put_footer(self, field: int, number: int) -> "Altered":
        """Fields: records, nodes, edges, parts, entries, offset of the index."""
        return self.put("Q", len(self) - FRAME + 8 + 8 * field, number)

    def put_row(self, record: int, field: int, number: int) -> "Altered":
        return self.put("Q", self.index + record * INDEX.itemsize + 8 * field, number)

    def seal(self) -> "Altered":
        for i, (offset, length) in enumerate(self.rows):
            checksum = crc32(self.content[offset : offset + length])
            self.put("I", self.index + i * INDEX.itemsize + 16, checksum)
        end = len(self) - FRAME
        self.put("I", end + FOOTER.size - 4, crc32(self.content[self.index : end]))
        for begin in (0, end):
            self.put("I", begin + FRAME - 4, crc32(self.content[begin : begin + FRAME - 4]))
        return self

    def error(self) -> str:
        """What reading everything says."""
        self.path.write_bytes(self.content)
        with pytest.raises(StoreError) as caught, ForestStore(self.path) as store:
            list(store)
        message = str(caught.value)
        assert message.startswith(f"{self.path}: ")
        assert "\n" not in message
        return message


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("store") / "a", [full_example(), *some_examples(2, seed=1)])


@pytest.fixture
def altered(pristine: Path, tmp_path: Path) -> Altered:
    path = tmp_path / "altered"
    path.write_bytes(pristine.read_bytes())
    return Altered(path)


def test_sealing_what_is_unchanged_changes_nothing(altered: Altered) -> None:
    before = bytes(altered.content)
    assert altered.seal().content == before
    assert altered.records == len(altered.rows) == 3


def test_every_changed_byte_is_seen(altered: Altered) -> None:
    for at in range(len(altered)):
        altered.content[at] ^= 1 << at % 8
        message = altered.error()
        for number, (offset, length) in enumerate(altered.rows):
            if offset <= at < offset + length:
                assert f"record {number} (" in message
                assert "checksum" in message
        altered.content[at] ^= 1 << at % 8


def test_every_truncation_is_seen(altered: Altered) -> None:
    whole = altered.content
    for length in range(len(whole)):
        altered.content = whole[:length]
        message = altered.error()
        assert "record" not in message
        if length >= FRAME:
            assert "truncated" in message


def test_more_bytes_are_seen(altered: Altered) -> None:
    altered.content += bytes(64)
    assert "truncated" in altered.error()
    altered.content += altered.content[-128:-64]
    assert "not as long as its footer says" in altered.error()


@given(st.data())
def test_no_bytes_crash_the_reader(
    pristine: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.store"
    path.write_bytes(pristine.read_bytes())
    altered = Altered(path)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(altered) - 8))
        new = data.draw(st.binary(min_size=1, max_size=8))
        altered.content[at : at + len(new)] = new
    path.write_bytes(altered.seal().content)
    try:
        with ForestStore(path) as store:
            problems = list(store.verify())
            readable = sum(isinstance(found, Example) for found in store)
    except StoreError as error:
        problems, readable = [error], 0
    assert all(str(problem).startswith(f"{path}: ") for problem in problems)
    assert problems or readable == 3


HUGE = [2**31, 2**62, 2**63 - 1, -(2**63)]
# The lengths that another array or the padding does not confirm.
FREE = {"name", "vocabulary", "gold_counts"}
BOUND = [number for number, name in enumerate(ARRAYS) if name not in FREE]


@given(field=st.sampled_from(BOUND), data=st.data())
def test_wrong_lengths_are_seen(
    pristine: Path, tmp_path_factory: pytest.TempPathFactory, field: int, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "lengths.store"
    path.write_bytes(pristine.read_bytes())
    altered = Altered(path)
    at = FRAME + 8 * field
    before = struct.unpack_from("<q", altered.content, at)[0]
    near = st.integers(before - 70, before + 70)
    number = data.draw((near | st.sampled_from(HUGE)).filter(lambda n: n != before))
    message = altered.put("q", at, number).seal().error()
    assert "record 0 (" in message


@pytest.mark.parametrize(
    ("name", "number", "message"),
    [
        ("name", -1, "its head gives -1 for name"),
        ("left", -1, "its head gives -1 for left"),
        ("first", -1, "its head gives -1 for first"),
        ("counts", -2, "its head gives -2 for counts"),
        ("gold_counts", -3, "its head gives -3 for gold_counts"),
        ("local", 2**62, "its head asks for"),
        ("part", 0, "its head asks for"),
    ],
)
def test_a_wrong_head_is_explained(altered: Altered, name: str, number: int, message: str) -> None:
    altered.put("q", FRAME + 8 * list(ARRAYS).index(name), number).seal()
    record = "record 0 ('')" if name == "name" else "record 0 ('full')"
    assert f"{record}: {message}" in altered.error()


def test_a_forest_of_the_right_sizes_is_still_checked(altered: Altered) -> None:
    """The bytes of `full` are left in place, but its first edge gets a tail that is not there."""
    left = FRAME + HEAD.size + 64
    left += -(-4 * (full_example().forest.nodes + 1) // 64) * 64
    assert altered.content[left : left + 4] == b"\xff" * 4
    message = altered.put("i", left, 7).seal().error()
    assert "record 0 ('full'): edge 0 of node 0 has a tail that does not come before it" in message


def test_a_name_that_is_not_text(altered: Altered) -> None:
    altered.content[FRAME + HEAD.size] = 0xFF
    assert "its name is not UTF-8" in altered.seal().error()


@pytest.mark.parametrize("gold_size", [-2, 2**31, 2**62])
def test_a_gold_size_out_of_range(altered: Altered, gold_size: int) -> None:
    altered.put("q", FRAME + 8 * len(ARRAYS), gold_size)
    assert str(gold_size) in altered.seal().error()


@pytest.mark.parametrize("record", [0, 1, 2])
@pytest.mark.parametrize("field", [0, 1])
@pytest.mark.parametrize("number", [0, 1, 32, 63, 64, 65, 128, 2**32, 2**63, 2**64 - 64])
def test_an_absurd_index_is_seen(altered: Altered, record: int, field: int, number: int) -> None:
    if altered.rows[record][field] != number:
        altered.put_row(record, field, number).seal()
        assert "the index has records where none can be" in altered.error()


def test_an_index_that_goes_round_is_seen(altered: Altered) -> None:
    """Offsets and lengths that agree modulo 2^64."""
    altered.put_row(0, 1, 2**64 - FRAME).put_row(1, 0, 0)
    altered.put_row(1, 1, altered.rows[2][0]).seal()
    assert "the index has records where none can be" in altered.error()


@pytest.mark.parametrize("number", [0, 2, 4, 10**6, 2**63, 2**64 - 1])
@pytest.mark.parametrize("field", [0, 5])
def test_an_absurd_footer_is_seen(altered: Altered, field: int, number: int) -> None:
    altered.put_footer(field, number).seal()
    assert "not as long as its footer says" in altered.error()


def test_a_footer_that_moves_the_index_is_seen(altered: Altered) -> None:
    """One record fewer, and the index 24 bytes later: the length of the file is right."""
    index = altered.index
    altered.put_footer(0, 2).put_footer(5, index + INDEX.itemsize)
    altered.rows, altered.index = [], index + INDEX.itemsize
    assert "the index has records where none can be" in altered.seal().error()


def test_another_version_is_named(altered: Altered) -> None:
    altered.put("I", 8, 2)
    assert "the header is altered" in altered.error()
    altered.seal()
    expected = "a forest store of version 2; this Treewright reads version 1"
    assert expected in altered.error()


@pytest.mark.parametrize("content", [b"", b"\x89TWF", b"text\n" * 100, bytes(1000)])
def test_other_files_are_no_stores(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="other: not a forest store"):
        ForestStore(path)


def test_a_missing_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="none"):
        ForestStore(tmp_path / "none")


def test_verify_names_every_bad_record(tmp_path: Path) -> None:
    altered = Altered(written(tmp_path / "a", some_examples(5)))
    for number in (1, 3):
        altered.content[sum(altered.rows[number]) - 100] ^= 8
    altered.path.write_bytes(altered.content)
    seen: list[int] = []
    with ForestStore(altered.path) as store:
        assert store[0].name == "s.0"
        problems = list(store.verify(lambda numbers: (seen.append(n) or n for n in numbers)))
        assert store[4].name == "s.4"
    expected = "record {} ('s.{}'): it is altered: its checksum is wrong"
    assert [str(p) for p in problems] == [
        f"{altered.path}: {expected.format(n, n)}" for n in (1, 3)
    ]
    assert seen == [0, 1, 2, 3, 4]


def test_verify_reads_anew(tmp_path: Path) -> None:
    altered = Altered(written(tmp_path / "a", some_examples(2)))
    with ForestStore(altered.path) as store:
        assert len(list(store)) == 2
        with altered.path.open("r+b") as file:
            file.seek(altered.rows[1][0] + 100)
            file.write(b"\x55")
        assert len(list(store.verify())) == 1


@pytest.mark.parametrize("field", [1, 2, 3, 4])
def test_verify_adds_up_the_totals(altered: Altered, field: int) -> None:
    altered.path.write_bytes(altered.put_footer(field, 12345).seal().content)
    with ForestStore(altered.path) as store:
        [problem] = store.verify()
    assert str(problem).endswith("the totals in the footer are not those of the records")


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
