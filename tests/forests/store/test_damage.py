"""Damaged forest stores: no damage goes unseen, and none crashes the reader."""

import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import full_example, some_examples, written
from treewright.errors import StoreError
from treewright.forests import Example, ForestStore
from treewright.forests.store.frame import FOOTER, FRAME, INDEX
from treewright.forests.store.record import ARRAYS, HEAD


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
    return written(
        tmp_path_factory.mktemp("store") / "a", [full_example(), *some_examples(2, seed=1)]
    )


@pytest.fixture
def altered(pristine: Path, tmp_path: Path) -> Altered:
    path = tmp_path / "altered"
    path.write_bytes(pristine.read_bytes())
    return Altered(path)


def test_sealing_what_is_unchanged_changes_nothing(altered: Altered) -> None:
    before = bytes(altered.content)
    assert altered.seal().content == before
    assert altered.records == len(altered.rows) == 3


def test_every_changed_byte_is_seen(tmp_path: Path) -> None:
    altered = Altered(written(tmp_path / "a", [full_example()]))
    for at in range(len(altered)):
        altered.content[at] ^= 1 << at % 8
        message = altered.error()
        assert ("record 0 (" in message) == (FRAME <= at < altered.index)
        assert ("checksum" in message) == (FRAME <= at < altered.index)
        altered.content[at] ^= 1 << at % 8


def test_every_truncation_is_seen(tmp_path: Path) -> None:
    altered = Altered(written(tmp_path / "a", [full_example()]))
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
    assert "its length differs from the footer" in altered.error()


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
        ("name", -1, "its header has -1 for name"),
        ("left", -1, "its header has -1 for left"),
        ("first", -1, "its header has -1 for first"),
        ("counts", -2, "its header has -2 for counts"),
        ("gold_counts", -3, "its header has -3 for gold_counts"),
        ("local", 2**62, "its header needs"),
        ("part", 0, "its header needs"),
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
        assert "the index points outside the records" in altered.error()


@pytest.mark.parametrize("by", [-64, 32])
def test_records_that_are_not_where_they_were_written_are_seen(altered: Altered, by: int) -> None:
    """Two neighbours agree on a border that no writer makes: in the header, or not aligned."""
    offset, length = altered.rows[0]
    if by < 0:
        altered.put_row(0, 0, offset + by).put_row(0, 1, length - by)
    else:
        altered.put_row(0, 1, length + by)
        altered.put_row(1, 0, altered.rows[1][0] + by).put_row(1, 1, altered.rows[1][1] - by)
    assert "the index points outside the records" in altered.seal().error()


def test_a_record_shorter_than_its_head_is_seen(altered: Altered) -> None:
    (offset, length), (_, other) = altered.rows[:2]
    altered.rows[:2] = (offset, 64), (offset + 64, length - 64 + other)
    for number, row in enumerate(altered.rows[:2]):
        altered.put_row(number, 0, row[0]).put_row(number, 1, row[1])
    assert "record 0 (''): it is shorter than a record header" in altered.seal().error()


def test_an_index_that_goes_round_is_seen(altered: Altered) -> None:
    """Offsets and lengths that agree modulo 2^64."""
    altered.put_row(0, 1, 2**64 - FRAME).put_row(1, 0, 0)
    altered.put_row(1, 1, altered.rows[2][0]).seal()
    assert "the index points outside the records" in altered.error()


@pytest.mark.parametrize("number", [0, 2, 4, 10**6, 2**63, 2**64 - 1])
@pytest.mark.parametrize("field", [0, 5])
def test_an_absurd_footer_is_seen(altered: Altered, field: int, number: int) -> None:
    altered.put_footer(field, number).seal()
    assert "its length differs from the footer" in altered.error()


def test_a_footer_that_moves_the_index_is_seen(altered: Altered) -> None:
    """One record fewer, and the index 24 bytes later: the length of the file is right."""
    index = altered.index
    altered.put_footer(0, 2).put_footer(5, index + INDEX.itemsize)
    altered.rows, altered.index = [], index + INDEX.itemsize
    assert "the index points outside the records" in altered.seal().error()


def test_another_version_is_named(altered: Altered) -> None:
    altered.put("I", 8, 2)
    assert "the header is altered" in altered.error()
    altered.seal()
    expected = "forest store version 2; this version of Treewright reads version 1"
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

    def watch(numbers: Iterable[int]) -> Iterator[int]:
        for number in numbers:
            seen.append(number)
            yield number

    with ForestStore(altered.path) as store:
        assert store[0].name == "s.0"
        problems = list(store.verify(watch))
        assert store[4].name == "s.4"
    expected = "record {} ('s.{}'): altered: wrong checksum"
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
    assert str(problem).endswith("the totals in the footer differ from the records")
