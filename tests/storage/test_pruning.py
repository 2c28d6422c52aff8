"""Packed tables of features, against a plain dictionary."""

import numpy as np

from treewright.storage.pruning import FeatureTable, packed_table, smallest
from treewright.storage.tensors import Arrays

TABLE = FeatureTable(first="first", columns=("tag",), weights=("local", "chain"))


def table(keys: int, seed: int = 0) -> Arrays:
    random = np.random.default_rng(seed)
    first = np.concatenate(([0], np.cumsum(random.integers(1, 4, keys)))).astype(np.int32)
    entries = int(first[-1])
    return {
        "keys": random.permutation(np.arange(keys, dtype=np.uint64) << np.uint64(20)),
        "first": first,
        "tag": random.integers(0, 9, entries).astype(np.int32),
        "local": random.standard_normal(entries).astype(np.float32),
        "chain": random.standard_normal(entries).astype(np.float32),
        "other": np.arange(3),
    }


def as_dict(arrays: Arrays) -> dict[int, list[tuple[float, ...]]]:
    columns = [arrays[name].tolist() for name in ("tag", "local", "chain")]
    rows = list(zip(*columns, strict=True))
    first = arrays["first"].tolist()
    return {key: rows[first[i] : first[i + 1]] for i, key in enumerate(arrays["keys"].tolist())}


def test_small_weights_and_empty_keys_go() -> None:
    arrays = table(400)
    size = np.maximum(np.abs(arrays["local"]), np.abs(arrays["chain"]))
    least = smallest(size, 0.05)
    expected: dict[int, list[tuple[float, ...]]] = {}
    for key, rows in as_dict(arrays).items():
        if kept := [row for row in rows if max(map(abs, row[1:])) >= least]:
            expected[key & 0xFFFFFFFF] = kept
    made = packed_table(arrays, TABLE, 0.05)
    assert made["keys"].dtype == np.uint32
    assert as_dict(made) == expected
    assert list(as_dict(made)) == sorted(expected)
    assert len(made["local"]) < len(arrays["local"])
    assert made["other"] is arrays["other"]


def test_of_keys_that_become_one_the_heavier_stays() -> None:
    arrays = {
        "keys": np.array([5, 1 << 40, 5 | 1 << 40], dtype=np.uint64),
        "weights": np.array([0.5, 3.0, -2.0]),
    }
    made = packed_table(arrays, FeatureTable(), 0.0)
    assert made["keys"].tolist() == [0, 5]
    assert made["weights"].tolist() == [3.0, -2.0]


def test_where_other_features_share_weights_no_key_goes() -> None:
    arrays = {
        "keys": np.array([9, 4], dtype=np.uint64),
        "weights": np.array([1e-9, 1.0, 7.0, 1e-9]),
    }
    made = packed_table(arrays, FeatureTable(), 0.01)
    assert made["keys"].tolist() == [4, 9]
    assert made["weights"].tolist() == [1.0, 1e-9, 7.0, 0.0]


def test_the_share_of_squares_is_kept() -> None:
    values = np.array([3.0, -1.0, 1.0, 0.5, 0.0])
    assert smallest(values, 0.0) == 0.5
    assert smallest(values, 0.25 / 11.25) == 1.0
    assert smallest(np.zeros(4), 0.5) == 0.0
