"""Arrays of packed models: whole numbers come back, floats come back nearly."""

import numpy as np
import pytest

from treewright.errors import StoreError
from treewright.storage.coding import BLOCK, PackedArrays, encode

RANDOM = np.random.default_rng(0)
WHOLE = {
    "keys": np.unique(RANDOM.integers(0, 2**32, 5000, dtype=np.uint32)),
    "wide keys": np.unique(RANDOM.integers(0, 2**63, 500, dtype=np.uint64)),
    "first": np.concatenate(([0], np.cumsum(RANDOM.integers(0, 4, 900)))).astype(np.int32),
    "a long row": np.concatenate((np.zeros(500), [70_000], np.full(100, 70_001))).astype(np.int64),
    "tags": RANDOM.integers(0, 300, (30, 40)).astype(np.int32),
    "negative": RANDOM.integers(-5, 5, 200).astype(np.int32),
    "few": np.array([3, 1, 2], dtype=np.int32),
    "bytes": RANDOM.integers(0, 256, 200).astype(np.uint8),
    "all the same": np.full(100, 255, np.uint16),
}


@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers_come_back(name: str) -> None:
    array = WHOLE[name]
    stored, coding = encode({name: array}, {})
    (found,) = PackedArrays(stored, coding).values()
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_sorted_keys_take_two_bytes_each() -> None:
    keys = np.unique(RANDOM.integers(0, 2**32, 500_000, dtype=np.uint32))
    stored, _ = encode({"keys": keys}, {})
    assert sum(each.nbytes for each in stored.values()) < 2.1 * len(keys)


@pytest.mark.parametrize("bits", [4, 8, 16])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_are_rounded_within_their_block(bits: int, dtype: type) -> None:
    values = (RANDOM.standard_normal(1001) * 10 ** RANDOM.uniform(-3, 3, 1001)).astype(dtype)
    stored, coding = encode({"weights": values}, {"weights": bits})
    found = PackedArrays(stored, coding)["weights"]
    assert found.dtype == values.dtype
    for begin in range(0, len(values), BLOCK):
        block, ours = values[begin : begin + BLOCK], found[begin : begin + BLOCK]
        assert np.abs(block - ours).max() <= 0.51 * np.abs(block).max() / (2 ** (bits - 1) - 1)


@pytest.mark.parametrize("bits", [4, 8])
def test_zeros_cost_a_bit_and_stay_zeros(bits: int) -> None:
    values = np.where(RANDOM.random((100, 90)) < 0.02, 1.5, 0.0)
    stored, coding = encode({"bigram": values}, {"bigram": bits})
    assert sum(each.nbytes for each in stored.values()) < values.size / 8 + 0.04 * values.size
    np.testing.assert_allclose(PackedArrays(stored, coding)["bigram"], values, rtol=5e-4)


def test_what_cannot_be_rounded_stays() -> None:
    values = {"a": np.full(100, -np.inf), "b": np.linspace(0, 1, 100)}
    stored, coding = encode(values, {"a": 8})
    assert coding == {}
    np.testing.assert_array_equal(stored["b"], values["b"])


@pytest.mark.parametrize(
    ("bits", "piece"), [(8, "codes"), (4, "halves"), (8, "scales"), (4, "scales"), (8, "zeros")]
)
def test_pieces_that_do_not_fit_are_refused(bits: int, piece: str) -> None:
    values = np.where(RANDOM.random(1000) < 0.5, 1.5, 0.0)
    stored, coding = encode({"w": values}, {"w": bits})
    with pytest.raises(StoreError, match="inconsistent"):
        PackedArrays({**stored, f"w.{piece}": stored[f"w.{piece}"][:-3]}, coding)["w"]
    del stored[f"w.{piece}"]
    with pytest.raises(StoreError, match="inconsistent"):
        PackedArrays(stored, coding)["w"]


def test_packed_arrays_are_a_mapping_of_what_was_packed() -> None:
    arrays = {name: WHOLE[name] for name in ("few", "keys", "tags")}
    found = PackedArrays(*encode(arrays, {}))
    assert list(found) == ["few", "keys", "tags"]
    assert len(found) == 3
    assert "keys" in found
    assert "keys.codes" not in found
    assert found["keys"] is not found["keys"]
    with pytest.raises(KeyError):
        found["none"]
