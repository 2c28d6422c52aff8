"""Attributes of words as numbers."""

import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from treewright.scores.features import encoder
from treewright.scores.features.encoder import AttributeTable, key_of


def test_a_row_has_the_key_of_every_column() -> None:
    table = AttributeTable([key_of, lambda text: key_of(text.lower())])
    expected = [[key_of("Dog"), key_of("dog")], [key_of("a"), key_of("a")]]
    assert table.attributes(["Dog", "a"]).tolist() == expected
    assert table.attributes([]).shape == (0, 2)


def test_a_full_table_starts_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "MOST_KEPT", 4)
    table = AttributeTable([key_of])
    for words in (["a", "b", "c"], ["d", "a"], ["c", "e", "b", "a"]):
        assert table.attributes(words).ravel().tolist() == [key_of(word) for word in words]


def test_a_table_grows() -> None:
    words = [str(n) for n in range(3000)]
    found = AttributeTable([key_of]).attributes(words)
    assert np.array_equal(found.ravel(), np.array([key_of(w) for w in words], dtype=np.uint64))


def test_threads_may_share_a_table() -> None:
    """A second thread that asks for a word of which the first is making the row gets all of it."""
    begun = Event()

    def slow(word: str) -> int:
        begun.set()
        time.sleep(0.05)
        return key_of(word)

    table = AttributeTable([slow])
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(table.attributes, ["dog"])
        begun.wait()
        assert table.attributes(["dog"]).tolist() == [[key_of("dog")]]
        assert first.result().tolist() == [[key_of("dog")]]
